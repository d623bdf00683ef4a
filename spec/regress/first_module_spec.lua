---`require "bide.transfer"` failed unless bide.core had been loaded before: transfer.so needed a library by a made-up name.

local process = require "spec.support.process"

local names = { "core", "transfer", "sqlite", "digest", "secure", "walls" }

---Runs a script in plain Lua, which finds bide's modules by their whole paths, or by relative ones.
local function lua(script, folder)
  return process.run({ process.lua, "-e", script }, { env = {
    LUA_PATH = "lua/?.lua;lua/?/init.lua;;", LUA_CPATH = folder .. "/lib/?.so;;",
  } })
end

describe("a C module that is the first of its process", function()
  local relative = process.build
  local whole = relative:sub(1, 1) == "/" and relative or require("luv").cwd() .. "/" .. relative

  for _, name in ipairs(names) do
    it("is loaded: bide." .. name, function()
      local done = lua(("print(type(require 'bide.%s'))"):format(name), whole)
      assert.same({ 0, "table\n", "" }, { done.code, done.stdout, done.stderr })
    end)
  end

  it("shares the core with what is loaded after it", function()
    local script = [[
      local transfer = require "bide.transfer"
      local core, http = require "bide.core", require "bide.http"
      local ok, failure = pcall(http.get, "http://127.0.0.1:1/")
      print(transfer.version():match "^%a+", ok, failure.type)
      local cores = {}
      for line in io.lines "/proc/self/maps" do
        if line:find("core.so", 1, true) then cores[line:match "%S+$"] = true end
      end
      local count = 0
      for _ in pairs(cores) do count = count + 1 end
      print(count, core.task ~= nil)
    ]]
    for _, folder in ipairs { whole, relative } do
      local done = lua(script, folder)
      assert.same({ 0, "libcurl\tfalse\tConnectionRefused\n1\ttrue\n", "" }, { done.code, done.stdout, done.stderr })
    end
  end)
end)
