---What bide is used for most, by the program under test; `make uses` tries the same with each artefact of a release.

local Directory = require "spec.support.directory"
local Uses = require "spec.support.uses"
local process = require "spec.support.process"
local uv = require "luv"

describe("bide is used for", function()
  local directory = Directory.of_block()
  local uses, program

  setup(function()
    uses = Uses.start()
    program = { words = { assert(uv.fs_realpath(process.bide)) }, folder = directory.path, within = directory.path }
  end)
  teardown(function() uses:stop() end)

  for _, name in ipairs(Uses.names) do
    it(name, function()
      if name == "exec" and process.is_sanitized then return pending "the search for leaks does not work behind walls" end
      local worked, why = uses:try(name, program)
      if worked == nil then return pending(why) end
      assert.is_true(worked, why)
    end)
  end
end)
