local core = require "bide.core"

local json, wait = core.json, core.wait

local nothing = json.document({})
local blank = { input = nothing, output = nothing }
local retries = { { state = "success", matcher = { success = false } } }

local definition = wait.definition(2000, 120000, retries)

---One attempt at `now`; returns what came of it, and when the next one is.
local function attempt(state, now)
  state:begin()
  local verdict, _, detail = state:observe(now, blank)
  return verdict, detail
end

---What is left of a wait: its delays, and why it ended.
local function run(state, now, from)
  local seen = {}
  while true do
    local verdict, detail = attempt(state, now)
    seen[#seen + 1] = detail
    if verdict ~= "retry" then return seen, state:deadline() - (from or 0) end
    now = now + detail
  end
end

describe("the record of a wait", function()
  it("is in the state of a turn, with the delay and the members that were seen", function()
    local state = wait.kind(definition, { min_delay = 1, max_delay = 2, max_wait = 9 }):start(7, 0)
    state:recall_members(6, 2)
    state:begin()
    assert.has_error(function() state:settle(0, 0, nil, nil, nil, wait.NEWEST + 1, false, 0, 0) end)
    local packed, attempts = state:settle(0, 1 << 50, nil, nil, nil, wait.FORMAT, false, -1, math.mininteger)
    assert.same({ state:pack(), 1 << 50, 6, 2, -1, math.mininteger, #packed + 1 }, { ("<s1i8i8i8i8i8"):unpack(packed) })
    assert.equal(1, attempts)
  end)

  it("that has ended here gives its state to another wait, and to one only", function()
    local function new_kind() return wait.kind(definition, { min_delay = 1, max_delay = 2, max_wait = 9 }) end
    local kind = new_kind()
    local states = { kind:start(7, 0), kind:start(8, 0) }
    for _, state in ipairs(states) do
      state:recall_members(6, 2)
      state:begin()
      state:settle(3, 1, nil, nil, "a note", wait.FORMAT, true, 0, 0) -- the next attempt is made here
      state:begin()
    end
    local other = kind:start(9, 5)
    for _, state in ipairs(states) do
      assert.is_false(rawequal(state, other))
      state:settle(4, 1, nil, nil, nil, wait.FORMAT, false, 0, 0)
      assert.has_error(function() state:settle(4, 1, nil, nil, nil, wait.FORMAT, true, 0, 0) end)
    end
    for position = #states, 1, -1 do
      local state, fresh = kind:start(9, 5), new_kind():start(9, 5)
      assert.is_true(rawequal(states[position], state))
      assert.same({ fresh:save(), fresh:members() }, { state:save(), state:members() })
      assert.same(fresh:history(), state:history())
    end
    assert.is_false(rawequal(states[1], kind:start(9, 5)))
  end)

  it("goes on as the wait itself, on any clock, whenever it is taken", function()
    for seed = 1, 500 do
      math.randomseed(seed)
      local minimum = math.random(1, 3000)
      local maximum = math.random(minimum, 100000)
      local limit = math.random(3) > 1 and math.random(1, 40) or nil
      local function begin(now)
        return wait.kind(definition, {
          min_delay = minimum, max_delay = maximum, max_wait = math.random(1, 900000), max_attempts = limit,
          lateness = seed % 2 == 0 and math.random(1, 10 ^ 9 | 0) or nil, last_spread = math.random(0, 9000),
        }):start(seed, now)
      end
      local started = math.random(-10 ^ 12 | 0, 10 ^ 12 | 0)
      local state, now = begin(started), started
      for _ = 1, math.random(0, 12) do
        local verdict, detail = attempt(state, now)
        if verdict ~= "retry" then break end
        now = now + detail
      end
      local elsewhere = math.random(-10 ^ 12 | 0, 10 ^ 12 | 0)
      local restored = assert(wait.restore(definition, state:save(), elsewhere))
      assert.equal(state:save(), restored:save())
      local unpacked = assert(wait.restore(definition, state:pack(), elsewhere))
      assert.same({ state:save(), state:pack() }, { unpacked:save(), unpacked:pack() })
      local expected, deadline = run(state, now, started)
      local found, other = run(restored, now - started + elsewhere, elsewhere)
      assert.same(expected, found)
      assert.equal(deadline, other)
    end
  end)

  it("is refused where it is none, or tells what cannot be", function()
    local record = wait.kind(definition, { min_delay = 1, max_delay = 2, max_wait = 3 }):start(4, 5):save()
    local function with_streak(attempts, count, since)
      return (record:gsub(" attempts=0", " attempts=" .. attempts)
        :gsub("streak_of=0 streak_count=0 streak_since=%-?%d+",
          ("streak_of=1 streak_count=%d streak_since=%d"):format(count, since)))
    end
    assert.is_userdata(wait.restore(definition, with_streak(2, 2, 0), 0))
    local bad = {
      "", "bide-wait", "bide-wait 4", with_streak(2, 3, 0), with_streak(2, 2, -1),
      record .. " ", record .. "\0", "x" .. record, record:sub(1, -2) .. "x",
      record:gsub("bide%-wait 4", "bide-wait 1"), record:gsub("bide%-wait 4", "bide-wait 3"),
      record:gsub("bide%-wait 4", "bide-wait 5"), record:gsub("woken=0", "woken=1"),
      record:gsub("lateness=0", "lateness=1000000001"),
      record:gsub("min_delay=1", "min_delay=0"),
      record:gsub("max_delay=2", "max_delay=0"), record:gsub("max_wait=3", "max_wait=-3"),
      record:gsub("max_wait=3", "max_wait= 3"), record:gsub("max_wait=3", "max_wait=99999999999999999999"),
      record:gsub("max_attempts=%d+", "max_attempts=0"), record:gsub("max_attempts=%d+", "max_attempts=-1"),
      record:gsub("random_(%d)=%d+", "random_%1=0"), record:gsub(" attempts=0", ""), ("x"):rep(10000),
    }
    for _, text in ipairs(bad) do
      local state, failure = wait.restore(definition, text, 0)
      assert.is_nil(state, text)
      assert.equal("this is no record of a wait, or one of another version", failure.message)
    end
  end)

  describe("in its packed form", function()
    local refusal = "this is no record of a wait, or one of another version"

    ---A state with large and negative numbers.
    local function packed_state(seed)
      math.randomseed(seed)
      local started = math.random(0)
      local state = wait.kind(definition, {
        min_delay = 1, max_delay = 1 << math.random(1, 40), max_wait = 1 << math.random(1, 50),
        last_spread = math.random(0, 9000),
        tolerated_time = math.random(2) == 1 and 1 << math.random(1, 30) or nil,
      }):start(seed, started)
      for _ = 1, math.random(0, 3) do attempt(state, started + math.random(0, 1 << 20)) end
      return state:pack()
    end

    ---Returns the bytes of the state that bytes hold; nil if they are refused.
    local function again(bytes, started)
      local state, failure = wait.restore(definition, bytes, started or math.random(0))
      if state then return state:pack() end
      assert.equal(refusal, failure.message)
    end

    it("is the same on any clock, and short", function()
      for seed = 1, 300 do
        local bytes = packed_state(seed)
        assert.is_true(#bytes < 110, #bytes)
        assert.equal(bytes, again(bytes))
        assert.equal(bytes, again(bytes, math.mininteger))
        assert.equal(bytes, again(bytes, math.maxinteger))
      end
    end)

    it("is refused wherever a byte is missing, too much or another", function()
      for seed = 1, 20 do
        local bytes, refused = packed_state(seed), 0
        for length = 0, #bytes - 1 do assert.is_nil(again(bytes:sub(1, length))) end
        assert.is_nil(again(bytes .. "\0"))
        for place = 1, #bytes do
          for bit = 0, 7 do
            local changed = bytes:sub(1, place - 1) .. string.char(bytes:byte(place) ~ 1 << bit) .. bytes:sub(place + 1)
            local found = again(changed)
            assert.is_true(found == nil or found == changed) -- another state, in its one form
            refused = refused + (found and 0 or 1)
          end
        end
        assert.is_true(refused > 40, refused)
      end
    end)

    it("is refused where a number has a needless byte, is too long or cannot be", function()
      local zeros = ("\0"):rep(40)
      for _, bytes in ipairs {
        "\1", "\1" .. zeros, "\2" .. packed_state(1):sub(2), "\1\128\0" .. zeros,
        "\1" .. ("\255"):rep(9) .. "\2" .. zeros, "\1" .. ("\255"):rep(300), "\1" .. ("\255"):rep(9) .. "\1" .. zeros,
        ("\1"):rep(5000),
      } do
        assert.is_nil(again(bytes))
      end
      for seed = 1, 20000 do
        math.randomseed(seed)
        local list = { "\1" }
        for place = 2, math.random(1, 60) do
          list[place] = string.char(math.random(2) == 1 and math.random(0, 3) or math.random(0, 255))
        end
        local bytes = table.concat(list)
        local found = again(bytes)
        assert.is_true(found == nil or found == bytes)
      end
    end)
  end)

  it("of version 2, of the last release, keeps the delays that it was begun with", function()
    local record = "bide-wait 2 min_delay=50 max_delay=250 max_wait=3600000 max_attempts=18446744073709551615 "
      .. "tolerated_attempts=0 tolerated_time=0 retry_after_cap=250 attempts=3 backoff_base=0 watched=16294208416658607535 "
      .. "streak_of=0 streak_count=0 streak_since=0 random_0=7958955049054603978 random_1=16462000697783136304 "
      .. "random_2=15847914186252977247 random_3=9071633986856679582"
    local state = assert(wait.restore(definition, record, 0))
    for _, retry_after in ipairs { 0, 60000 } do
      state:begin()
      local verdict, _, delay = state:observe(1800000, { input = nothing, output = nothing, retry_after = retry_after })
      assert.equal("retry", verdict)
      assert.is_true(delay >= 50 and delay <= 250)
    end
    local newer = state:save()
    assert.truthy(newer:find("^bide%-wait 4 min_delay=50 max_delay=250 lateness=0 .*retry_after_cap=250 "
      .. "hold_attempts=0 hold_time=0 hold_delay=0 last_spread=0 attempts=5 woken=0 "))
    assert.equal(newer, assert(wait.restore(definition, newer, 5)):save())
  end)

  it("stays sound whatever bytes of it are lost", function()
    local record = wait.kind(definition, {
      min_delay = 1000, max_delay = 2000, max_wait = 60000, max_attempts = 9,
    }):start(4, 5):save()
    for seed = 1, 3000 do
      math.randomseed(seed)
      local from = math.random(#record)
      local text = record:sub(1, from - 1) .. string.char(math.random(0, 255)) .. record:sub(from + math.random(0, 2))
      local state = wait.restore(definition, text, math.random(-1000, 1000))
      if state then assert.is_true(#run(state, 0) >= 1) end
    end
  end)
end)
