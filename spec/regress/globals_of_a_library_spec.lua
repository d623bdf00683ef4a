---`require "bide"` replaced coroutine.resume, coroutine.wrap and xpcall of the whole process, of
---programs too that use bide as a library.

local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"
local uv = require "luv"

describe("bide as a library", function()
  local workspace = Workspace.of_block()

  local function run(script)
    workspace:write("script.lua", script)
    local here = uv.cwd()
    return process.run({ "lua5.4", workspace.path .. "/script.lua" }, { env = {
      LUA_PATH = ("%s/lua/?.lua;%s/lua/?/init.lua;;"):format(here, here),
      LUA_CPATH = ("%s/%s/lib/?.so;;"):format(here, process.build),
    } })
  end

  it("leaves the globals of the process as they are until bide.install() is called", function()
    local done = run [[
      local resume, wrap, close, x = coroutine.resume, coroutine.wrap, coroutine.close, xpcall
      local bide = require "bide"
      print(resume == coroutine.resume, wrap == coroutine.wrap, close == coroutine.close, x == xpcall)
      bide.install()
      print(resume == coroutine.resume, wrap == coroutine.wrap, close == coroutine.close, x == xpcall)
      print(coroutine.resume(coroutine.create(function() bide.sleep(0.001) return "slept" end)))]]
    assert.equal("true\ttrue\ttrue\ttrue\nfalse\tfalse\tfalse\tfalse\ntrue\tslept\n", done.stdout, done.stderr)
  end)

  it("names bide.install() where a coroutine wants to wait within a task", function()
    local done = run [[
      local bide = require "bide"
      bide.spawn(function()
        print(coroutine.resume(coroutine.create(function() bide.sleep(1) end)))
      end):join()]]
    assert.matches("false\t.*cannot wait here: this coroutine was resumed by a function that bide does not know", done.stdout)
  end)
end)
