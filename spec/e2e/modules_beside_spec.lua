---Modules of scripts: found beside them, and never in place of bide's own.

local Directory = require "spec.support.directory"
local process = require "spec.support.process"
local uv = require "luv"

describe("a script", function()
  local directory = Directory.of_block()
  local bide

  setup(function()
    bide = uv.fs_realpath(process.bide)
    directory:write("helper.lua", "return { name = 'beside' }")
    directory:write("script.lua", "print(require('helper').name)")
    directory:write("things.lua", [[
      local helper = require "helper"
      return { GetThing = { call = function() return helper end, waitable = { ThingNamed = { acceptors = {
        { state = "success", matcher = { output = { path = "name", comparator = "stringEquals", expected = "beside" } } },
      } } } } }
    ]])
  end)

  it("finds its modules beside itself, wherever it is run", function()
    local done = process.run({ bide, "exec", directory.path .. "/script.lua" }, { cwd = "/" })
    assert.same({ 0, "beside\n" }, { done.code, done.stdout })
    done = process.run({ bide, "run", directory.path .. "/things.lua", "--max-wait", "50s" }, { cwd = "/" })
    assert.equal(0, done.code)
  end)

  it("cannot take the place of a library by lying in the current folder", function()
    for _, name in ipairs { "luv", "argparse", "cjson", "bide" } do
      directory:write(name .. ".lua", "error('the wrong one')")
    end
    local done = process.run({ bide, "exec", "script.lua" }, { cwd = directory.path })
    assert.same({ 0, "beside\n" }, { done.code, done.stdout })
  end)

  it("that loads libcurl gives the programs it starts the environment that it has itself", function()
    directory:write("environment.lua", [[
      pcall(require("bide.http").get, "http://127.0.0.1:1/")
      local loaded
      for line in io.lines "/proc/self/maps" do loaded = loaded or line:find "/libcurl" ~= nil end
      print(loaded, os.getenv "GNUTLS_NO_IMPLICIT_INIT", io.popen("env", "r"):read("a"):find "GNUTLS_NO_IMPLICIT_INIT")
    ]])
    local done = process.run { bide, "exec", directory.path .. "/environment.lua" }
    assert.same({ 0, process.is_static and "false\tnil\tnil\n" or "true\tnil\tnil\n" }, { done.code, done.stdout })
  end)
end)
