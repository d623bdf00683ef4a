---The machine that decides when events bring an attempt forward, over times that are numbers here.

local check = require("spec.support.check").is_true
local wakes = require "bide.wait.wakes"

local SECOND, MINUTE = 1000, 60000

---A wait with minDelay 2 s, whose first attempt has ended at 0 and whose next poll is at 4 s.
local function begun(of)
  of = of or {}
  local one = wakes.new(of.min_delay or 2 * SECOND, of.watch_delay or 2 * MINUTE, of.deadline or 3600 * SECOND)
  one:begin(0)
  one:conclude(0, of.delay or 4 * SECOND, of.not_before or 0, of.is_close or false)
  return one
end

describe("what wakes a wait", function()
  it("does nothing without a watch: it polls at its delays", function()
    assert.equal(4000, begun():due(0))
  end)

  it("polls as without a watch until that stands, and rarely while it is alive", function()
    local one = begun()
    assert.equal(4000, one:due(100, nil))
    assert.equal(30100, one:due(100, 100)) -- to look whether it has fallen silent
    assert.equal(120000, one:due(100000, 99000))
    assert.is_false(one:begin(120000, 99000))
  end)

  it("polls at once after a watch has failed or fallen silent, if a poll is overdue", function()
    local one = begun()
    assert.equal(4000, one:due(60000, nil))
    assert.equal(4000, one:due(60000, 30000))
    assert.is_false(one:begin(60000, 30000))
  end)

  it("comes at once after an event, and counts as woken", function()
    local one = begun()
    one:wake(1000)
    assert.is_true(one:due(1000, nil) <= 1000)
    assert.is_true(one:begin(1000))
  end)

  it("leaves the schedule of polling as it is", function()
    local one = begun()
    one:wake(1000)
    one:begin(1000)
    one:conclude(1000, 9000, 0, false)
    assert.equal(4000, one:due(1000))
    assert.is_false(one:begin(4000))
    one:conclude(4000, 9000, 0, false)
    assert.equal(13000, one:due(4000))
  end)

  it("does not count as woken where a poll is due as well", function()
    local one = begun()
    one:wake(3000)
    assert.is_false(one:begin(4000))
  end)

  it("is kept during an attempt, and makes one more after it", function()
    local one = begun()
    one:begin(4000)
    one:wake(4100)
    one:wake(4200)
    one:conclude(4500, 4000, 0, false)
    assert.equal(4500, one:due(4500))
    assert.is_true(one:begin(4500))
    one:conclude(4600, 4000, 0, false)
    assert.is_true(one:due(4600) > 4600)
  end)

  it("waits for a Retry-After", function()
    local one = begun { delay = 60000, not_before = 60000 }
    one:wake(1000)
    assert.equal(60000, one:due(1000))
  end)

  it("never makes polls rare beyond the last moment for an attempt, nor while attempts in a row count", function()
    assert.equal(28000, begun({ deadline = 30 * SECOND }):due(27000, 26000))
    assert.equal(4000, begun({ is_close = true }):due(100, 100))
  end)

  it("doubles the pause between attempts from 10 ms to minDelay, until there was no event for minDelay", function()
    local one, now, pauses = begun(), 1000, {}
    for round = 1, 12 do
      one:wake(now)
      local due = math.max(one:due(now), now)
      if round > 1 then pauses[#pauses + 1] = due - now end
      now = due
      assert.equal(due < one.poll_at, one:begin(now))
      one:conclude(now, 10 ^ 6 | 0, 0, false)
      one:wake(now)
    end
    assert.same({ 10, 20, 40, 80, 160, 320, 640 }, table.move(pauses, 1, 7, 1, {}))
    for position = 8, #pauses do assert.is_true(pauses[position] <= 2000) end
    one:begin(now)
    one:conclude(now, 10 ^ 6 | 0, 0, false)
    one:wake(now + 2000)
    assert.equal(now, one:due(now + 2000))
  end)
end)

---Runs a wait for an hour beside a watch that does what chance says. Calls `attempt(now, last)` at each attempt, with the
---last poll { ended, delay }, and the time up to which the watch was alive.
local function run(seed, attempt)
  math.randomseed(seed)
  local random = math.random
  local minimum = random(10, 4000)
  local maximum = random(minimum, 120000)
  local one = wakes.new(minimum, random(minimum, 300000), 10 ^ 9 | 0)
  local now, alive_at, failed_at, poll = 0, nil, nil, nil
  local quiet = random(4) == 1 and 10 ^ 9 | 0 or random(1, 60000)
  local event_at = random(quiet)
  one:begin(0)
  repeat
    local delay = random(minimum, maximum)
    local lasted, not_before = random(0, 50), random(20) == 1 and random(90000) or 0
    now = now + lasted
    if not one.was_woken or not poll then poll = { ended = now, delay = math.max(delay, not_before) } end
    if not_before > 0 then poll.ended, poll.delay = now, math.max(not_before, delay) end
    one:conclude(now, math.max(delay, not_before), not_before > 0 and now + not_before or 0, false)
    while math.max(one:due(now, alive_at), now) > now do
      local due = one:due(now, alive_at)
      if event_at > due then
        now = due
      else
        now, event_at = event_at, event_at + random(quiet)
        local what = random(3)
        if what == 1 then one:wake(now) end
        if what == 3 then
          alive_at, failed_at = nil, now
        elseif random(2) == 1 then
          alive_at = now
        end
      end
    end
    attempt(now, poll, math.max(failed_at or 0, (alive_at or -30000) + 30000), one, not_before > 0 and one.not_before or 0)
    one:begin(now, alive_at)
  until now > 3600000
end

describe("a watch, whatever it does,", function()
  it("lets no attempt come later than polling would, unless it was alive within 30 s", function()
    local tried, run_one = 0, run
    for seed = 1, 400 do
      run_one(seed, function(now, poll, until_then)
        tried = tried + 1
        local latest = math.max(poll.ended + poll.delay, until_then)
        if now > latest + 50 then
          error(("seed %d: an attempt at %d, polling had it at %d"):format(seed, now, latest))
        end
      end)
    end
    assert.is_true(tried > 10000)
  end)

  it("brings none before a Retry-After", function()
    for seed = 1, 200 do
      run(seed, function(now, _, _, _, not_before)
        check(now >= not_before, ("seed %d: an attempt at %d, before %d"):format(seed, now, not_before))
      end)
    end
  end)
end)
