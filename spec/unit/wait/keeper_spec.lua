---A wait that has to succeed again and again: when its last success is too old.

local keepers = require "bide.wait.keeper"

describe("the keeper of a wait", function()
  local patience = keepers.PATIENCE

  after_each(function() keepers.PATIENCE = patience end)

  it("says that its last success is too old, before the loop does", function()
    local one = { waiter = { min_delay = 1000 } }
    function one.start(_, done)
      done { state = "success" }
      return {}
    end
    local successes = 0
    local keeper = keepers.start(one, one, function() successes = successes + 1 end, function() error "it has not failed" end)
    assert.equal(1, successes)
    assert.is_false(keeper:is_stale())
    keepers.PATIENCE = -1
    assert.is_true(keeper:is_stale())
    keeper.wait = nil
    keeper:stop()
  end)
end)
