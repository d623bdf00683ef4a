---A worker that had stood still, and whose lease was over, began the attempts that waited for a free place as soon as others
---ended: only those that joined the line were asked about.

local gates = require "bide.record.worker.gate"

require "bide"

describe("the gate of a worker", function()
  local gate, is_sure, begun

  ---A wait that notes when its attempt begins.
  local function enter(name)
    local wait = { name = name, key = { id = 1 } }
    gate:enter(function() begun[#begun + 1] = name end, wait)
    return wait
  end

  before_each(function()
    is_sure, begun = true, {}
    gate = gates.new(1, function() return is_sure end, function() return true end, function() return math.huge end)
  end)

  it("begins nothing that waits in line once the lease may be over", function()
    enter "first"
    enter "second"
    is_sure = false
    gate:leave()
    assert.same({ "first" }, begun)
    is_sure = true
    enter "third"
    assert.same({ "first", "second" }, begun)
  end)

  it("asks before each that it lets in", function()
    gate = gates.new(2, function() return #begun < 1 end, function() return true end, function() return math.huge end)
    enter "first"
    enter "second"
    assert.same({ "first" }, begun)
  end)
end)
