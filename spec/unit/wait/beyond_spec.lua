---What the core decides beyond the specification, against models written down plainly here:
---holds, a backoff that starts anew, tolerated errors, a service's Retry-After, a first delay.

local core = require "bide.core"
local check = require "spec.support.check"

-- busted looks up a global at each use
local ipairs, math, pairs, table = ipairs, math, pairs, table

local json, wait = core.json, core.wait

local nothing = json.document({})
local blank = { input = nothing, output = nothing }
local documents = {}
for _, word in ipairs { "done", "other", "failed", "busy", "pending" } do
  documents[word] = json.document({ status = word })
end

local function equals(state, expected)
  return { state = state, matcher = { output = { path = "status", expected = expected, comparator = "stringEquals" } } }
end

---1: success, 2: another success, 3: failure, 4: a retry.
local acceptors = { equals("success", "done"), equals("success", "other"), equals("failure", "failed"), equals("retry", "busy") }

---hold and tolerance are written { attempts = n } or { time = t } here.
local function flat(members, name, prefix)
  local span = members[name] or {}
  members[prefix .. "_attempts"], members[prefix .. "_time"], members[name] = span.attempts, span.time, nil
end

local function copy(members)
  local all = {}
  for name, value in pairs(members or {}) do all[name] = value end
  return all
end

local function define(minimum, maximum, own_acceptors, given)
  local beyond = copy(given)
  flat(beyond, "hold", "hold")
  return wait.definition(minimum, maximum, own_acceptors, beyond)
end

local function start(limits, beyond)
  local all = copy(limits)
  for name, value in pairs { min_delay = 2000, max_delay = 120000, max_wait = 300000 } do all[name] = all[name] or value end
  flat(all, "tolerance", "tolerated")
  local definition = define(all.min_delay, all.max_delay, acceptors, beyond)
  return wait.kind(definition, all):start(all.seed or 1, all.now or 0), all
end

---A word is an output with that status, "transient" and "final" are errors.
local function observe(state, now, word, retry_after)
  if documents[word] then return state:observe(now, { input = nothing, output = documents[word], retry_after = retry_after }) end
  return state:observe(now, { input = nothing, error_type = "X", retry_after = retry_after, transient = word == "transient" })
end

---Runs a wait; `answer(attempt, now)` gives the word of an attempt, how long it takes and its retryAfter.
local function run(limits, beyond, answer)
  local state, all = start(limits, beyond)
  local now = state:first(all.initial_delay or 0)
  local attempts, began = {}, all.now or 0
  while true do
    local number = state:begin()
    local word, latency, retry_after = answer(number, now - began)
    local entry = { at = now - began, word = word, retry_after = retry_after or 0 }
    now = now + (latency or 0)
    entry.ended = now - began
    entry.verdict, entry.acceptor, entry.detail = observe(state, now, word, retry_after)
    attempts[number] = entry
    if entry.verdict ~= "retry" then return attempts, entry, all, state end
    now = now + entry.detail
  end
end

local words = { "done", "done", "done", "other", "busy", "pending", "transient" }

---Random words, so that streaks of some length are common.
local function random_answers(latency)
  local word
  return function()
    if not word or math.random() < 0.4 then word = words[math.random(#words)] end
    return word, math.random(0, latency or 0)
  end
end

local function random_limits(seed)
  math.randomseed(seed)
  local minimum = math.random(1, 3000)
  return {
    min_delay = minimum, max_delay = math.random(minimum, 50000), max_wait = math.random(1, 400000), seed = seed,
    now = math.random(-10 ^ 9 | 0, 10 ^ 9 | 0),
    max_attempts = math.random() < 0.3 and math.random(1, 20) or nil,
  }
end

---No attempt begins beyond the deadline, every delay is above 0 and, but for the last, at least minDelay.
local function check_delays(attempts, all)
  for number, entry in ipairs(attempts) do
    check.is_true(entry.at <= all.max_wait)
    if entry.verdict == "retry" then
      local remaining = all.max_wait - entry.ended
      check.is_true(entry.detail > 0)
      check.is_true(remaining - entry.detail >= all.min_delay)
      check.is_true(entry.detail >= all.min_delay or remaining - entry.detail == all.min_delay)
      check.equal(entry.ended + entry.detail, attempts[number + 1].at)
    end
  end
end

describe("what goes beyond the specification", function()
  it("changes nothing where it is not asked for", function()
    for seed = 1, 500 do
      local limits = random_limits(seed)
      local plain = run(limits, nil, function() return "pending" end)
      limits.retry_after_cap, limits.tolerance = 0, {}
      local other = run(limits, { hold = {} }, function() return "pending", 0, 10 ^ 9 | 0 end)
      check.equal(#plain, #other)
      for number, entry in ipairs(plain) do check.equal(entry.detail, other[number].detail) end
    end
  end)

  describe("a hold", function()
    ---The attempt at which a plain reading of the rule has it succeed.
    local function first_success(attempts, hold)
      local of, count, since = nil, 0, nil
      for number, entry in ipairs(attempts) do
        local position = entry.word == "done" and 1 or entry.word == "other" and 2 or nil
        if position ~= of then of, count, since = position, 0, entry.ended end
        count = count + 1
        if of and (hold.attempts and count >= hold.attempts or hold.time and entry.ended - since >= hold.time) then
          return number
        end
      end
    end

    it("succeeds neither early nor late", function()
      local successes = 0
      for seed = 1, 800 do
        local limits = random_limits(seed)
        limits.tolerance = { attempts = 1000 }
        local hold = seed % 2 == 0 and { attempts = math.random(1, 6) } or { time = math.random(1, 30000) }
        local attempts, last, all = run(limits, { hold = hold }, random_answers(500))
        local wanted = first_success(attempts, hold)
        if last.ended > all.max_wait then
          check.equal("maxWait", last.detail)
        elseif wanted then
          successes = successes + 1
          assert.same({ #attempts, "success" }, { wanted, last.verdict })
        else
          check.equal("failure", last.verdict)
          check.is_true(last.detail == "maxWait" or last.detail == "maxAttempts")
        end
      end
      check.is_true(successes > 200)
    end)

    it("is watched at minDelay, within the deadline", function()
      for seed = 1, 1000 do
        local limits = random_limits(seed)
        limits.tolerance = { attempts = 1000 }
        local attempts, _, all = run(limits, { hold = { attempts = 4 } }, random_answers())
        check_delays(attempts, all)
        for _, entry in ipairs(attempts) do
          if entry.verdict == "retry" and (entry.word == "done" or entry.word == "other") then
            check.equal(math.min(all.min_delay, all.max_wait - entry.ended - all.min_delay), entry.detail)
          end
        end
      end
    end)

    it("starts the search anew where it breaks", function()
      local script = { "pending", "pending", "pending", "pending", "done", "done", "pending", "pending", "pending" }
      local longest = 0
      for seed = 1, 200 do
        local attempts = run({ max_attempts = 9, seed = seed }, { hold = { attempts = 3 } },
          function(number) return script[number] end)
        check.equal(2000, attempts[7].detail) -- the first retry of the backoff
        longest = math.max(longest, attempts[8].detail)
      end
      check.is_true(longest > 3900 and longest <= 4000) -- the second
    end)

    it("of seconds is over exactly then", function()
      for at, verdict in pairs { [2999] = "retry", [3000] = "success" } do
        local state = start({}, { hold = { time = 3000 } })
        state:begin()
        check.equal("retry", (observe(state, 0, "done")))
        state:begin()
        check.equal(verdict, (observe(state, at, "done")))
      end
    end)

    it("does not delay a failure", function()
      local script = { "done", "done", "failed" }
      local attempts, last = run({}, { hold = { attempts = 3 } }, function(number) return script[number] end)
      assert.same({ 3, "failure", 3, "acceptor" }, { #attempts, last.verdict, last.acceptor, last.detail })
    end)

    it("is that of one acceptor", function()
      local script = { "done", "other", "done", "other", "other" }
      local attempts, last = run({}, { hold = { attempts = 2 } }, function(number) return script[number] end)
      assert.same({ 5, "success", 2 }, { #attempts, last.verdict, last.acceptor })
    end)

    it("of one attempt is none", function()
      check.equal(1, #run({}, { hold = { attempts = 1 } }, function() return "done" end))
    end)

    it("is that of the limits where they have one, of attempts or of time", function()
      local own, of_waiter = { { attempts = 3 }, { time = 9000 } }, { false, { attempts = 1 }, { time = 1 }, { attempts = 99 } }
      for _, hold in ipairs(own) do
        for _, other in ipairs(of_waiter) do
          local limits = { hold_attempts = hold.attempts, hold_time = hold.time }
          local attempts, last = run(limits, { hold = other or nil }, function() return "done" end)
          check.equal("success", last.verdict)
          check.is_true(#attempts == hold.attempts or hold.time ~= nil and last.ended >= hold.time)
        end
      end
    end)

    it("ends at the limits as ever, and tells how far it has come", function()
      local _, last, _, state = run({ max_attempts = 3 }, { hold = { attempts = 5 } }, function() return "done" end)
      assert.same({ "failure", 1, "maxAttempts" }, { last.verdict, last.acceptor, last.detail })
      assert.same({ "held", 3, 0, "attempts", 5 }, { state:streak() })
      _, last, _, state = run({ max_wait = 9000 }, { hold = { time = 60000 } }, function() return "done" end)
      assert.same({ "failure", 1, "maxWait", 7000 }, { last.verdict, last.acceptor, last.detail, last.ended })
      assert.same({ "held", 5, 0, "time", 60000 }, { state:streak() })
    end)

    it("counts what a custom matcher answered", function()
      local definition = define(10, 10, { { state = "success", matcher = { lua = "x" } } }, { hold = { attempts = 2 } })
      local state = wait.kind(definition, { min_delay = 10, max_delay = 10, max_wait = 1000 }):start(1, 0)
      state:begin()
      assert.same({ "ask", 1 }, { state:observe(0, blank) })
      assert.same({ "retry", 1, 10 }, { state:accept(0, {}, 1) })
      state:begin()
      assert.same({ "ask", 1 }, { state:observe(10, blank) })
      assert.same({ "retry", nil, 10 }, { state:observe(10, blank, 2) })
      assert.is_nil((state:streak()))
    end)
  end)

  describe("a watched value", function()
    ---The retry of the backoff that a delay was drawn for must allow for it.
    local function check_ceilings(attempts, all, is_change)
      local base = 0
      for number, entry in ipairs(attempts) do
        if is_change(number, attempts) then base = number - 1 end
        if entry.verdict == "retry" then
          check.is_true(entry.detail <= wait.ceiling(all.min_delay, all.max_delay, number - base))
          if number - base == 1 and attempts[number + 1] and all.max_wait - entry.ended - entry.detail > all.min_delay then
            check.equal(all.min_delay, entry.detail)
          end
        end
      end
    end

    it("starts the backoff anew with each change, and with nothing else", function()
      for seed = 1, 1000 do
        local limits = random_limits(seed)
        limits.tolerance = { attempts = 1000 }
        local attempts, _, all = run(limits, { watched = "status", hold = { attempts = 10 ^ 6 | 0 } }, random_answers())
        check_delays(attempts, all)
        local held
        check_ceilings(attempts, all, function(number)
          local before, entry = attempts[number - 1], attempts[number]
          local changed = false
          if documents[entry.word] then -- an error shows no value
            for earlier = number - 1, 1, -1 do
              if documents[attempts[earlier].word] then changed = attempts[earlier].word ~= entry.word break end
              if earlier == 1 then changed = true end -- the first value after errors
            end
          end
          held = before and (before.word == "done" or before.word == "other") and before.word ~= entry.word
          return changed or held
        end)
      end
    end)

    it("changes nothing where it stays the same", function()
      for seed = 1, 200 do
        local plain = run({ seed = seed }, nil, function() return "pending" end)
        local watched = run({ seed = seed }, { watched = "status" }, function() return "pending" end)
        for number, entry in ipairs(plain) do check.equal(entry.detail, watched[number].detail) end
      end
    end)

    it("is compared as a value: neither the order of members nor the kind of number matters", function()
      local texts = { '{"v": {"a": 1, "b": [true, null]}}', '{"v": {"b": [true, null], "a": 1.0}}', '{"v": {"a": 2, "b": []}}' }
      local definition = wait.definition(10, 10 ^ 6 | 0, acceptors, { watched = "v" })
      for seed = 1, 50 do
        local state = wait.kind(definition, { min_delay = 10, max_delay = 10 ^ 6 | 0, max_wait = 10 ^ 9 | 0 }):start(seed, 0)
        local delays = {}
        for number, place in ipairs { 1, 2, 1, 2, 1, 2, 1, 2, 1, 3 } do
          state:begin()
          delays[number] = select(3, state:observe(0, { input = nothing, output = assert(json.read(texts[place])) }))
        end
        check.equal(10, delays[10])
        check.is_true(delays[6] > 10 or delays[7] > 10 or delays[8] > 10 or delays[9] > 10)
      end
    end)

    it("notes a path that cannot be evaluated, which shows no value", function()
      local state = start({}, { watched = "length(missing)" })
      state:begin()
      local _, _, _, note = observe(state, 0, "pending")
      assert.truthy(note:find("invalid-type", 1, true))
    end)
  end)

  describe("tolerance", function()
    it("takes so many transient errors in a row, and not one more", function()
      for seed = 1, 1000 do
        local limits = random_limits(seed)
        local bound = math.random(1, 5)
        limits.tolerance = { attempts = bound }
        local attempts, last, all = run(limits, { hold = { attempts = 10 ^ 6 | 0 } }, random_answers(300))
        local row = 0
        for number, entry in ipairs(attempts) do
          row = entry.word == "transient" and row + 1 or 0
          check.is_true(row <= bound or number == #attempts)
        end
        if row > bound and last.ended <= all.max_wait then check.equal("unmatchedError", last.detail) end
        if last.detail == "unmatchedError" then check.equal(bound + 1, row) end
      end
    end)

    it("takes them for so long, counted from the first of a row", function()
      for seed = 1, 1000 do
        local limits = random_limits(seed)
        local span = math.random(1, 30000)
        limits.tolerance = { time = span }
        local attempts, last = run(limits, { hold = { attempts = 10 ^ 6 | 0 } }, random_answers(300))
        local since
        for number, entry in ipairs(attempts) do
          since = entry.word == "transient" and (since or entry.ended) or nil
          if number < #attempts and since then check.is_true(entry.ended - since <= span) end
        end
        if last.detail == "unmatchedError" then check.is_true(last.ended - since > span) end
      end
    end)

    it("ends after the time, and not at it", function()
      for at, verdict in pairs { [3000] = "retry", [3001] = "failure" } do
        local state = start { tolerance = { time = 3000 } }
        state:begin()
        check.equal("retry", (observe(state, 0, "transient")))
        state:begin()
        check.equal(verdict, (observe(state, at, "transient")))
      end
    end)

    it("is over with the row, whatever ends it", function()
      for word, verdict in pairs { done = "success", failed = "failure", busy = "retry", pending = "retry" } do
        local state = start { tolerance = { attempts = 3 } }
        state:begin()
        observe(state, 0, "transient")
        state:begin()
        check.equal(verdict, (observe(state, 2000, word)))
        assert.is_nil((state:streak()))
      end
    end)

    it("is not what an error that stays has used up", function()
      local state = start { tolerance = { attempts = 3 } }
      state:begin()
      observe(state, 0, "transient")
      state:begin()
      assert.same({ "failure", nil, "unmatchedError" }, { observe(state, 2000, "final") })
      assert.is_nil((state:streak()))
    end)

    it("is for errors that pass, and for those that no acceptor matched", function()
      local _, last = run({ tolerance = { attempts = 9 } }, nil, function() return "final" end)
      assert.same({ "failure", "unmatchedError", 0 }, { last.verdict, last.detail, last.ended })
      local definition = wait.definition(10, 10, { { state = "failure", matcher = { success = false } } })
      local state = wait.kind(definition, { min_delay = 10, max_delay = 10, max_wait = 99, tolerated_attempts = 9 }):start(1, 0)
      state:begin()
      assert.same({ "failure", 1, "acceptor" }, { observe(state, 0, "transient") })
    end)

    it("is none unless it is asked for", function()
      local _, last = run({}, nil, function() return "transient" end)
      assert.same({ "failure", "unmatchedError" }, { last.verdict, last.detail })
    end)

    it("tells how far it has come", function()
      local state = start { tolerance = { attempts = 3 } }
      state:begin()
      observe(state, 50, "transient")
      assert.same({ "tolerated", 1, 50, "attempts", 3 }, { state:streak() })
      state:begin()
      observe(state, 2050, "pending")
      assert.is_nil((state:streak()))
    end)
  end)

  describe("a service's Retry-After", function()
    it("lengthens a delay up to the cap, and never beyond the last retry", function()
      for seed = 1, 800 do
        local limits = random_limits(seed)
        limits.tolerance = { attempts = 10 ^ 6 | 0 }
        limits.retry_after_cap = ({ 0, 1000, 10 ^ 6 | 0, limits.max_delay })[seed % 4 + 1]
        local attempts, _, all = run(limits, nil, function()
          return math.random() < 0.5 and "transient" or "pending", math.random(0, 200),
            math.random() < 0.5 and math.random(0, 200000) or nil
        end)
        check_delays(attempts, all)
        for number, entry in ipairs(attempts) do
          if entry.verdict == "retry" then
            local asked = math.min(entry.retry_after, limits.retry_after_cap)
            local last = all.max_wait - entry.ended - entry.detail <= all.min_delay
            check.is_true(entry.detail >= asked or last)
            check.is_true(entry.detail <= math.max(asked, wait.ceiling(all.min_delay, all.max_delay, number)))
          end
        end
      end
    end)

    it("is listened to up to maxDelay where nothing else is said, so that delays keep to their bounds", function()
      for seed = 1, 300 do
        local attempts = run({ seed = seed, max_wait = 10 ^ 6 | 0 }, nil, function() return "pending", 0, 10 ^ 7 | 0 end)
        for number = 1, #attempts - 2 do check.equal(120000, attempts[number].detail) end
      end
    end)

    it("of an error is honoured for minutes by default, and of an output up to maxDelay", function()
      for seed = 1, 100 do
        local limits = random_limits(seed)
        limits.max_wait = 10 ^ 9 | 0
        limits.tolerance, limits.max_attempts = { attempts = 100 }, 25
        local attempts = run(limits, nil, function(number)
          return number % 2 == 0 and "transient" or "pending", 0, number < 20 and 10 ^ 8 | 0 or 0
        end)
        for number = 1, 19 do
          check.equal(number % 2 == 0 and math.max(limits.max_delay, 300000) or limits.max_delay, attempts[number].detail)
        end
      end
    end)

    describe("that puts off the last attempts of a fleet", function()
      local function begin(seed, more)
        local limits = random_limits(seed)
        limits.max_wait = limits.min_delay + math.random(2, 400000)
        limits.max_attempts, limits.retry_after_cap, limits.tolerance = nil, 10 ^ 9 | 0, { attempts = 10 ^ 6 | 0 }
        limits.last_spread = limits.max_wait // 20
        for name, value in pairs(more or {}) do limits[name] = value end
        return start(limits), limits
      end

      it("spreads them over the end, and makes no further one", function()
        local parts = {}
        for seed = 1, 2000 do
          local state, limits = begin(seed)
          state:begin()
          local verdict, _, delay = observe(state, limits.now, "transient", 10 ^ 9 | 0)
          local last = limits.max_wait - limits.min_delay
          check.equal("retry", verdict)
          check.is_true(delay <= last and delay > 0)
          check.is_true(delay >= last - limits.last_spread)
          if limits.last_spread > 1000 and last - limits.last_spread > limits.min_delay then
            local part = (last - delay) * 10 // (limits.last_spread + 1)
            parts[part] = (parts[part] or 0) + 1
          end
          state:begin()
          assert.same({ "failure", nil, "maxWait" }, { observe(state, limits.now + delay, "transient", 10 ^ 9 | 0) })
        end
        for part = 0, 9 do check.is_true(parts[part] > 80) end
      end)

      it("goes on with usual delays where the service asks for nothing more", function()
        local again = 0
        for seed = 1, 300 do
          local state, limits = begin(seed, { min_delay = 1, max_delay = 1 })
          state:begin()
          local _, _, delay = observe(state, limits.now, "transient", 10 ^ 9 | 0)
          state = assert(wait.restore(define(1, 1, acceptors), state:save(), limits.now))
          state:begin()
          local verdict, _, next_delay = observe(state, limits.now + delay, "transient")
          if verdict == "retry" then
            again = again + 1
            check.equal(1, next_delay)
            state:begin()
            assert.same({ "failure", nil, "maxWait" }, { observe(state, limits.now + delay + 1, "transient", 10 ^ 9 | 0) })
          end
        end
        check.is_true(again > 200)
      end)

      it("spreads nothing that comes before the end", function()
        for seed = 1, 300 do
          local state, limits = begin(seed)
          local last = limits.max_wait - limits.min_delay
          state:begin()
          local _, _, delay = observe(state, limits.now, "transient", last)
          check.equal(last, delay)
        end
      end)
    end)

    it("does not disturb the draws: the other delays of a seed stay the same", function()
      local plain = run({ seed = 3 }, nil, function() return "pending" end)
      local once = run({ seed = 3 }, nil, function(number) return "pending", 0, number == 1 and 2500 or nil end)
      assert.same({ 2000, 2500 }, { plain[1].detail, once[1].detail })
      check.equal(plain[2].detail, once[2].detail)
    end)

    it("holds for what a custom matcher decides as well", function()
      local definition = wait.definition(10, 5000, { { state = "retry", matcher = { lua = "x" } } })
      local state = wait.kind(definition, { min_delay = 10, max_delay = 5000, max_wait = 60000 }):start(1, 0)
      state:begin()
      assert.same({ "ask", 1 }, { state:observe(0, { input = nothing, output = nothing, retry_after = 3000 }) })
      assert.same({ "retry", 1, 3000 }, { state:accept(0, { retry_after = 3000 }, 1) })
    end)
  end)

  it("is written down with the rest of the state, whenever that is", function()
    for seed = 1, 500 do
      local limits = random_limits(seed)
      limits.tolerance = seed % 2 == 0 and { attempts = math.random(1, 3) } or { time = math.random(1, 20000) }
      limits.retry_after_cap = 5000
      local hold = math.random() < 0.5 and { attempts = math.random(2, 4) } or { time = math.random(1, 20000) }
      local beyond = { hold = hold, watched = "status" }
      local answers, next_answer = {}, random_answers(300)
      local attempts = run(limits, beyond, function(number)
        answers[number] = table.pack(next_answer())
        return table.unpack(answers[number])
      end)
      local definition = define(1, 1, acceptors, beyond)
      local state, shift = start(limits, beyond), limits.now
      for _, entry in ipairs(attempts) do
        state:begin()
        assert.same({ entry.verdict, entry.acceptor, entry.detail }, { observe(state, entry.ended + shift, entry.word) })
        shift = math.random(-10 ^ 9 | 0, 10 ^ 9 | 0)
        state = assert(wait.restore(definition, state:save(), shift))
      end
    end
  end)

  it("does not take time in which nobody looked for time in which it held or was tolerated", function()
    for _, word in ipairs { "done", "transient" } do
      for _, span in ipairs { { time = 3000 }, { attempts = 2 } } do
        local state = start({ tolerance = span }, { hold = span })
        state:begin()
        check.equal("retry", (observe(state, 0, word)))
        local before = table.pack(state:streak())
        state:oversleep()
        assert.same(span.attempts and before or { n = 0 }, table.pack(state:streak()))
      end
    end
  end)

  describe("a first delay", function()
    it("is kept where it lies before the deadline; the first attempt always runs", function()
      for seed = 1, 800 do
        local limits = random_limits(seed)
        limits.initial_delay = math.random(0, 500000)
        local attempts, _, all = run(limits, nil, function() return "pending" end)
        check_delays(attempts, all)
        local wanted = all.initial_delay
        if wanted >= all.max_wait then wanted = math.max(0, all.max_wait - all.min_delay) end
        check.equal(wanted, attempts[1].at)
      end
    end)

    it("that is as long as the wait leaves minDelay for the attempt", function()
      check.equal(8000, start({ max_wait = 10000 }):first(10000))
      check.equal(9999, start({ max_wait = 10000 }):first(9999))
    end)

    it("takes the largest there are", function()
      local state = start { max_wait = math.maxinteger, now = math.maxinteger - 10 }
      check.equal(math.maxinteger - 1, state:first(math.maxinteger - 1))
      assert.has_error(function() state:first(-1) end)
    end)
  end)
end)
