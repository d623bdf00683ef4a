local gates = require "bide.record.worker.gate"

describe("the gate before the attempts of a worker", function()
  local gate, begun, may_pass, is_written, room

  before_each(function()
    begun, may_pass, is_written, room = {}, true, true, math.huge
    gate = gates.new(2, function() return may_pass end, function() return is_written end, function() return room end)
  end)

  local function enter(name, is_alone)
    local wait = { name = name, is_alone = is_alone }
    gate:enter(function(one) begun[#begun + 1] = one.name end, wait)
    return wait
  end

  local function assert_begun(names) assert.equal(names, table.concat(begun, " ")) end

  it("lets as many begin at a time as there are jobs, in their order", function()
    for _, name in ipairs { "a", "b", "c", "d", "e" } do enter(name) end
    assert_begun "a b"
    gate:leave()
    gate:leave()
    assert_begun "a b c d"
  end)

  it("lets one with a strike begin alone, before all others, once the rest is over and written", function()
    enter "a"
    enter "b"
    enter "c"
    enter("struck", true)
    gate:leave()
    assert_begun "a b"
    is_written = false
    gate:leave()
    assert_begun "a b"
    is_written = true
    gate:resume()
    assert_begun "a b struck"
    enter "d"
    gate:resume()
    assert_begun "a b struck"
    gate:leave()
    assert_begun "a b struck c d"
  end)

  it("lets none begin while the lease is not sure, nor without room, nor after it was withdrawn", function()
    may_pass = false
    enter "lost" -- what says no has cut it
    may_pass, room = true, 0
    enter "a"
    gate:withdraw(enter "b")
    enter "c"
    assert_begun ""
    room = math.huge
    gate:resume()
    assert_begun "a c"
  end)
end)
