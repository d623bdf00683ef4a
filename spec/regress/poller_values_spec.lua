---What a poller and a mailbox can say: values that are false or nil, attempts that are left, messages that
---come later.

local bide = require "bide"
local process = require "spec.support.process"

describe("a poller", function()
  it("meets its condition with false", function()
    local poller = bide.poller(function() return true, false end)
    local value, same = poller:poll()
    assert.same({ false, true, false, false }, { value, poller.fulfilled, poller.value, poller.attempts[1].value })
    assert.equal(poller, same)
  end)

  it("meets it with nil, for which assert gets true", function()
    local poller = bide.poller(function() return true, nil end)
    local value, same = poller:poll()
    assert.same({ true, true, nil }, { value, poller.fulfilled, poller.value })
    assert.equal(poller, same)
    assert.equal("seen", (bide.poller(function() return "seen" end):poll()))
  end)

  it("keeps the value of an attempt that did not meet it, false included", function()
    local poller = bide.poller(function() return nil, false end, { maxAttempts = 1 })
    assert.same({ nil, poller }, { poller:poll() })
    assert.same({ false, false }, { poller.fulfilled, poller.value })
  end)

  it("counts the attempts that are left", function()
    local poller, left = bide.poller(function() return false end, { maxAttempts = 3, delay = 0 }), {}
    repeat left[#left + 1] = poller.attemptsLeft until poller:once() == "retries_exhausted"
    assert.same({ 3, 2, 1, 0 }, { left[1], left[2], left[3], poller.attemptsLeft })
    assert.equal(math.huge, bide.poller(function() return false end, { maxAttempts = math.huge }).attemptsLeft)
    assert.is_nil(bide.poller(function() return false end, { maxAttempts = function() return true end }).attemptsLeft)
  end)
end)

describe("a mailbox", function()
  local script = [[
    local bide = require "bide"
    local me = bide.current()
    bide.send(me, false)
    print(bide.receive_next())
    bide.send(me, false) bide.send(me, 1)
    local list = assert(bide.receive_next(2))
    print(#list, list[1], list[2])
    local from = bide.now()
    bide.send_after(me, "later", 0.05)
    bide.send_after(me, "at once", 0)
    local cancelled = bide.send_after(me, "never", 0.02)
    cancelled:cancel()
    print(bide.receive_next(1, 5), bide.receive_next(1, 5), -- a difference of fractions may lack the last bit
      math.floor((bide.now() - from) * 1000 + 0.5) >= 50, bide.receive_next(1, 0) == nil)
    for _, call in ipairs {
      function() bide.receive_next(1, -1) end, function() bide.receive_next(1, 0/0) end,
      function() bide.send_after(me, 1, -0.5) end, function() bide.send_after(me, nil, 1) end,
      function() bide.send_after(7, 1, 1) end, function() bide.timeout(-1, print) end,
    } do print(select(2, pcall(call))) end
  ]]

  it("takes false for a message, messages for later, and no negative timeouts", function()
    local file = os.tmpname()
    local handle = assert(io.open(file, "w"))
    handle:write(script)
    handle:close()
    local done = process.run { process.bide, "exec", file }
    os.remove(file)
    assert.equal("", done.stderr)
    local lines = {}
    for line in done.stdout:gmatch "[^\n]+" do lines[#lines + 1] = line:gsub("^%S+:%d+: ", "") end
    assert.same({
      "false", "2\tfalse\t1", "at once\tlater\ttrue\ttrue",
      "bide.receive_next: timeout: expected a number of seconds, 0 or more, found -1",
      "bide.receive_next: timeout: expected a number of seconds, 0 or more, found nan",
      "bide.send_after: seconds: expected a number of seconds, 0 or more, found -0.5",
      "bide.send_after: expected a message, found nothing", "bide.send_after: expected a task, found 7",
      "bide.timeout: expected a number of seconds above 0, found -1",
    }, lines)
  end)
end)
