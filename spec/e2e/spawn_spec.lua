---Tasks of scripts and their mailboxes.

local bide = require "bide"
local core = require "bide.core"
local timely = require "spec.support.timely"

local function names_this_file(text) return text:find("spawn_spec.lua:%d+") ~= nil end

describe("bide.spawn", function()
  after_each(function()
    while core.task.count() > 0 do core.loop.turn() end
    assert.equal(0, core.loop.timer_count())
  end)

  it("runs beside the caller; join gives what it returns", function()
    local order = {}
    local slow = bide.spawn(function(a, b) bide.sleep(0.02) order[#order + 1] = "slow" return a + b, nil, "third" end, 1, 2)
    local quick = bide.spawn(function() order[#order + 1] = "quick" end)
    assert.same({ 3, nil, "third" }, { slow:join() })
    quick:join()
    assert.same({ "quick", "slow" }, order)
    assert.same({ 3, nil, "third" }, { slow:join() })
  end)

  it("says which task an error comes from", function()
    local ok, raised = pcall(function() bide.spawn(function() error("broken") end):join() end)
    assert.is_false(ok)
    assert.truthy(tostring(raised):find("broken", 1, true))
    assert.truthy(tostring(raised):find("in the task of", 1, true) and names_this_file(tostring(raised)))
  end)

  it("lets an operation error through as it is", function()
    local ok, raised = pcall(function() bide.spawn(function() error { type = "NotFound" } end):join() end)
    assert.same({ false, "NotFound" }, { ok, raised.type })
  end)

  it("loses no error: one that nobody joined ends the parent", function()
    local parent = bide.spawn(function()
      bide.spawn(function() error("lost") end)
      bide.sleep(0.01)
      return "fine"
    end)
    local ok, raised = pcall(parent.join, parent)
    assert.is_false(ok)
    assert.truthy(tostring(raised):find("lost", 1, true))
  end)

  it("ends a task's children with it, grandchildren too", function()
    local ended, closed = {}, 0
    local function guard() return setmetatable({}, { __close = function() closed = closed + 1 end }) end
    bide.spawn(function()
      bide.spawn(function()
        local _guard <close> = guard()
        bide.spawn(function()
          local _inner <close> = guard()
          bide.sleep(60)
          ended[#ended + 1] = "grandchild"
        end)
        bide.sleep(60)
        ended[#ended + 1] = "child"
      end)
      bide.sleep(0.01)
    end):join()
    while core.task.count() > 0 do core.loop.turn() end
    assert.same({ {}, 2 }, { ended, closed })
  end)

  it("cancels at once, and join says so", function()
    local task = bide.spawn(bide.sleep, 60)
    local started = bide.now()
    task:cancel()
    local ok, raised = pcall(task.join, task)
    assert.same({ false, "TaskCancelled" }, { ok, raised.type })
    assert.is_true(bide.now() - started < 10)
    task:cancel()
  end)

  it("refuses what is no function", function()
    assert.error_matches(function() bide.spawn(5) end, "expected a function")
  end)
end)

describe("bide.timeout", function()
  it("gives what the function gives in time", function()
    assert.same({ 1, 2 }, { bide.timeout(1, function(...) return ... end, 1, 2) })
  end)

  it("cuts what takes longer, even where it never yields", function()
    for _, f in ipairs { function() bide.sleep(60) end, function() while true do end end } do
      timely.within(0.15, function()
        local started = bide.now()
        local ok, raised = pcall(bide.timeout, 0.03, f)
        assert.same({ false, "Timeout" }, { ok, raised.type })
        return bide.now() - started
      end)
    end
  end)

  it("lets errors through, and nests", function()
    assert.error_matches(function() bide.timeout(1, function() error("broken") end) end, "broken")
    local ok, raised = pcall(bide.timeout, 0.02, function() return bide.timeout(60, bide.sleep, 60) end)
    assert.same({ false, "Timeout" }, { ok, raised.type })
  end)
end)

describe("a mailbox", function()
  it("gives messages in their order", function()
    local me = bide.current()
    for _, message in ipairs { "hello", "hi", "yo" } do bide.send(me, message) end
    assert.same({ "hello", "hi" }, bide.receive_next(2))
    assert.equal("yo", bide.receive_next())
  end)

  it("waits for what is still to come", function()
    local me = bide.current()
    bide.spawn(function() bide.sleep(0.02) bide.send(me, "late") end)
    assert.equal("late", bide.receive_next(1, 1))
  end)

  it("gives what did come where not all did, as in the seed's example", function()
    local me = bide.current()
    bide.send(me, "hello")
    bide.send(me, "hi")
    local later = bide.spawn(function() bide.sleep(0.08) bide.send(me, "yo") end)
    local messages, received = bide.receive_next(3, 0.05)
    assert.is_nil(messages)
    assert.same({ "hello", "hi" }, { received[1], received[2] })
    assert.equal("received 2 of 3 messages in 0.05 s", tostring(received))
    later:join()
    assert.equal("yo", bide.receive_next())
  end)

  it("is a task's own", function()
    local echo = bide.spawn(function()
      local from, text = table.unpack(bide.receive_next(1, 1))
      bide.send(from, text:upper())
    end)
    bide.send(echo, { bide.current(), "shout" })
    assert.equal("SHOUT", bide.receive_next(1, 1))
    assert.is_nil((bide.receive_next(1, 0)))
  end)

  it("carries false, and refuses nil", function()
    bide.send(bide.current(), false)
    assert.is_false(bide.receive_next())
    assert.error_matches(function() bide.send(bide.current(), nil) end, "expected a message, found nothing")
    assert.error_matches(function() bide.send({}, 1) end, "expected a task")
  end)
end)
