---A sandboxed script that required a module in a folder of bide was refused without the reason of its row, and was asked
---whether it meant that very module.

local modules = require "bide.sandbox.modules"
local registry = require "bide.text.registry"

describe("a module that the sandbox refuses", function()
  for name, row in pairs(registry.modules) do
    if row.refused then
      it("is refused with its reason: bide." .. name, function()
        local module, refusal = modules.open("bide." .. name, "/folder")
        assert.is_nil(module)
        assert.truthy(refusal and refusal:find(row.refused, 1, true), refusal)
      end)
    end
  end
end)
