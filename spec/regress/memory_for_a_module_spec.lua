---A module of bide that could not be mapped for lack of memory was a bug in the recipe, exit code 5.

local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"

describe("memory that is short for a module of bide", function()
  it("ends bide with exit code 70", function()
    if process.is_sanitized then return end -- which reserves terabytes
    local workspace = Workspace.make()
    finally(function() workspace:remove() end)
    local codes = {}
    for limit = 16000, 24000, 2000 do
      local done = workspace:shell(('ulimit -v %d; "$BIDE" http 127.0.0.1:1 --max-wait 100ms --quiet'):format(limit))
      codes[done.code] = true
    end
    assert.same({ true, nil }, { codes[70], codes[5] })
  end)
end)
