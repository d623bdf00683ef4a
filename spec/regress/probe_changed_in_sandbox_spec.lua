---A sandboxed script got the very table of bide.postgres by `bide.postgres`, and could change it for all others.

local modules = require "bide.sandbox.modules"
local registry = require "bide.text.registry"

describe("a probe that is a table", function()
  it("is a copy for sandboxed scripts, which works as the probe does", function()
    local real, count = require "bide.postgres", 0
    local copy = modules.open("bide", "/folder").postgres
    local mistake = real.mistake
    copy.mistake = nil
    assert.equal(mistake, real.mistake)
    assert.error_matches(function() copy { host = 5 } end, "host: expected")
    for name in pairs(registry.functions) do
      local value = require("bide")[name]
      if type(value) == "table" then
        count = count + 1
        assert.not_equal(value, modules.open("bide", "/folder")[name], name)
      end
    end
    assert.is_true(count > 0)
  end)
end)
