---make in a folder with a blank in its path ended with a mistake of the compiler for each file.

local Directory = require "spec.support.directory"
local process = require "spec.support.process"
local uv = require "luv"

describe("make in a folder with a blank in its path", function()
  local directory = Directory.of_each()

  it("says so, and builds nothing", function()
    local folder = directory.path .. "/with a blank"
    process.run({ "sh", "-c", 'mkdir "$0" && cp -R Makefile .ci src "$0"', folder }, { tool = true }):ends(0)
    local done = process.run({ "make" }, { tool = true, cwd = folder })
    local was_built = uv.fs_stat(folder .. "/build")
    done:says(2, "with a blank: make takes no folder with a blank in its path")
    assert.is_nil(was_built)
  end)
end)
