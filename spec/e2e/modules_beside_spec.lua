---Modules of scripts: found beside them, and never in place of bide's own.

local Directory = require "spec.support.directory"
local process = require "spec.support.process"
local uv = require "luv"

describe("a script", function()
  local directory, bide

  setup(function()
    directory, bide = Directory.make(), uv.fs_realpath(process.bide)
    directory:write("helper.lua", "return { name = 'beside' }")
    directory:write("script.lua", "print(require('helper').name)")
    directory:write("things.lua", [[
      local helper = require "helper"
      return { GetThing = { call = function() return helper end, waitable = { ThingNamed = { acceptors = {
        { state = "success", matcher = { output = { path = "name", comparator = "stringEquals", expected = "beside" } } },
      } } } } }
    ]])
  end)
  teardown(function() directory:remove() end)

  it("finds its modules beside itself, wherever it is run", function()
    local done = process.run({ bide, "exec", directory.path .. "/script.lua" }, { cwd = "/" })
    assert.same({ 0, "beside\n" }, { done.code, done.stdout })
    done = process.run({ bide, "run", directory.path .. "/things.lua", "--max-wait", "1s" }, { cwd = "/" })
    assert.equal(0, done.code)
  end)

  it("cannot take the place of a library by lying in the current folder", function()
    for _, name in ipairs { "luv", "argparse", "cjson", "bide" } do
      directory:write(name .. ".lua", "error('the wrong one')")
    end
    local done = process.run({ bide, "exec", "script.lua" }, { cwd = directory.path })
    assert.same({ 0, "beside\n" }, { done.code, done.stdout })
  end)
end)
