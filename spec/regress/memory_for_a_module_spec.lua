---A module of bide that could not be mapped for lack of memory was a bug in the recipe, exit code 5.

local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"

describe("memory that is short for a module of bide", function()
  local workspace = Workspace.of_each()

  it("ends bide with exit code 70", function()
    if process.is_sanitized then return end -- which reserves terabytes
    local codes = {}
    local function run(limit, words)
      local done = workspace:shell(('ulimit %s; "$BIDE" %s --max-wait 100ms --quiet'):format(limit, words))
      codes[done.code] = true
    end
    for limit = 16000, 24000, 2000 do run("-v " .. limit, "http 127.0.0.1:1") end
    for limit = 1900, 2300, 50 do run("-d " .. limit, "tls 127.0.0.1:1") end -- libcrypto's data do not fit
    assert.same({ true, nil }, { codes[70], codes[5] })
  end)
end)
