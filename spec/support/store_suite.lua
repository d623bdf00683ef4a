---The cases that hold for every kind of store.
---
---    suite("a store on a file", function() return { open = …, kill = …, age = …, close = … } end, _ENV)

local assert = require "luassert"
local core = require "bide.core"
local digest = require "bide.digest"
local tables = require "bide.text.tables"

local fairness = require "spec.support.fairness"

local json, held = core.json, require("bide.record.store.verbs").held

---A kind of store, under test, with a place of its own.
---@class spec.StoreUnderTest
---@field open fun(): bide.Store a further connection to the same store
---@field kill fun(store: bide.Store) ends the workers of a connection as kill -9 would, until others may notice
---@field age fun(microseconds: integer) moves all that was written into the past
---@field close fun()
---@field seeds? integer over how many the shares are looked at

local SECOND = 1000000

---The weights of queues that are tried.
local SEEDS = tonumber(os.getenv "BIDE_SEEDS") or 6

local function definition(name)
  local manifest = ("bide-recipe 1 main=/%s.lua\n%s 5 /%s.lua\n"):format(name, ("0"):rep(64), name)
  return { bundle = { digest = digest.sha256(manifest), manifest = manifest, files = "" }, waiter = "ThingDone", body = "{}" }
end

local things = definition "things"

---Adds waits that differ in their inputs.
---@param count integer
---@param changes? table
local function waits(count, changes)
  return function(add)
    for position = 1, count do
      local wait = {
        definition = things, input = json.encode { n = position }, token = "t" .. position, label = "line " .. position,
        delay = 0, max_wait = 60 * SECOND,
      }
      for name, value in pairs(changes or {}) do wait[name] = value end
      add(wait)
    end
  end
end

local function new_run(changes)
  local run = {
    queue = "default", lane = 2, need = 1, keeps_going = false, seed = 7, about = "{}", submit_digest = ("d"):rep(32),
    history = "some", each = waits(1),
  }
  for name, value in pairs(changes or {}) do run[name] = value end
  return run
end

local function about(changes)
  local members = {
    name = "w", kind = "trusted", version = "0", host = "here", pid = 1, queues = { { name = "default", weight = 1 } },
    slots = 10, formats = { 0, 1 },
  }
  for name, value in pairs(changes or {}) do members[name] = value end
  return members
end

local function wanted(changes)
  local want = { queue = "default", lanes = { 2 }, want = 500, ahead = SECOND, back = math.maxinteger }
  for name, value in pairs(changes or {}) do want[name] = value end
  return want
end

local function ids_of(turns)
  return tables.mapped(turns, function(turn) return turn.id end)
end

---A result after which the turn is due at once.
local function result(turn, changes)
  local made = {
    id = turn.id, attempts = turn.attempts + 1, due = turn.due, format = 1, state = "\1\0s\255", output = '{"n":1}',
    entry = json.encode { attempt = turn.attempts + 1, at = 0, duration = 0 },
  }
  for name, value in pairs(changes or {}) do made[name] = value end
  return made
end

local function ended(turn, state)
  return { id = turn.id, attempts = turn.attempts + 1, outcome = json.encode { state = state }, state = state,
    entry = json.encode { attempt = turn.attempts + 1, at = 0, duration = 0 } }
end

---Declares the cases.
---@param name string
---@param new fun(): spec.StoreUnderTest
---@param busted table the environment of the spec
return function(name, new, busted)
  local it, before_each, after_each, describe = busted.it, busted.before_each, busted.after_each, busted.describe
  busted.describe(name, function()
    local place, store, me

    before_each(function()
      place = new()
      store = place.open()
      me = assert(store:enter(about()))
    end)
    after_each(function() place.close() end)

    ---Claims, and returns the turns.
    local function claim(changes, of, worker)
      local clock, turns = (of or store):claim(worker or me, wanted(changes))
      assert(clock, turns and turns.message)
      return turns, clock
    end

    local function submit(changes)
      return assert(store:submit(new_run(changes))).run
    end

    it("writes a run whole, and gives its waits to whoever claims them", function()
      local made = assert(store:submit(new_run { each = waits(3), need = 3 }))
      assert.same({ waits = 3, queue = "default", created = true, run = made.run }, made)
      local turns, clock = claim()
      assert.equal(3, #turns)
      for position, turn in ipairs(turns) do
        assert.same({ n = position }, json.decode(turn.input))
        assert.same({ "t" .. position, 0, 0, "", 7 ~ position, nil }, { turn.token, turn.attempts, turn.format,
          turn.state, turn.seed, turn.strikes })
        assert.is_true(turn.due <= clock and turn.deadline > clock + 50 * SECOND and turn.deadline <= clock + 60 * SECOND)
        local found = assert(store:definition(turn.definition))
        assert.same({ "ThingDone", "{}", things.bundle.digest, things.bundle.manifest },
          { found.waiter, found.body, found.bundle.digest, found.bundle.manifest })
      end
      assert.same({}, claim())
    end)

    it("writes nothing of a run that is not read to its end", function()
      local ok, raised = pcall(store.submit, store, new_run { each = function(add)
        waits(5)(add)
        error("line 6", 0)
      end })
      assert.same({ false, "line 6" }, { ok, raised })
      local _, failure = store:submit(new_run { each = function() end })
      assert.equal("refused", failure.kind)
      for _, changes in ipairs {
        { input = json.encode { ("x"):rep(300000) } }, { max_wait = 400 * 86400 * SECOND }, { max_wait = 99 },
      } do
        _, failure = store:submit(new_run { each = waits(1, changes) })
        assert.equal("refused", failure.kind)
      end
      assert.same({}, store:list({ what = "runs" }).runs)
      assert.same({}, claim())
    end)

    it("makes a run with a submit token once, and refuses the token for another request", function()
      local first = assert(store:submit(new_run { submit_token = "T", each = waits(2), need = 2 }))
      local again = assert(store:submit(new_run { submit_token = "T", each = waits(2), need = 2 }))
      assert.equal(first.run, store:list({ what = "runs", submit_token = "T" }).runs[1].run)
      assert.same({}, store:list({ what = "runs", submit_token = "other" }).runs)
      assert.same({ first.run, 2, false }, { again.run, again.waits, again.created })
      local other = definition "others"
      other.body = '{"limits":{"max_wait":7}}'
      for path, changes in pairs {
        ["the number of waits (2 before, 1 now)"] = {}, ["waits[1].input.n"] = { each = waits(2, { input = '{"n":"1"}' }) },
        ["waits[2].input.n"] = { each = waits(2, { input = '{"n":1}' }) }, ["need"] = { each = waits(2), need = 1 },
        ["waits[1].options.limits"] = { each = waits(2, { definition = other }) },
        ["the history or the token of a wait"] = { each = waits(2), need = 2 },
        ["keepsGoing"] = { each = waits(2), need = 2, keeps_going = true }, ["jobs"] = { each = waits(2), need = 2, jobs = 1 },
        ["priority"] = { each = waits(2), need = 2, lane = 1 },
      } do
        changes.submit_token, changes.submit_digest = "T", ("e"):rep(32)
        local nothing, failure = store:submit(new_run(changes))
        assert.is_nil(nothing)
        assert.same({ "refused", ("IdempotentParameterMismatch: run %d was submitted with this token, and is another request: "
          .. "%s differs"):format(first.run, path) }, { failure.kind, failure.message })
      end
      assert.equal(2, #claim())
    end)

    it("names where two long requests with one submit token differ", function()
      local first = assert(store:submit(new_run { submit_token = "T", each = waits(2500), need = 2500 }))
      local function each(add)
        local count = 0
        waits(2500)(function(wait)
          count = count + 1
          if count == 2345 then wait.input = '{"n":2345,"m":0}' end
          return add(wait)
        end)
      end
      local _, failure = store:submit(new_run { submit_token = "T", submit_digest = ("e"):rep(32), each = each, need = 2500 })
      assert.equal(("IdempotentParameterMismatch: run %d was submitted with this token, and is another request: "
        .. "waits[2345].input.m differs"):format(first.run), failure.message)
    end)

    it("spreads the first attempts of a run in which more than 1,000 waits are open", function()
      local function dues(count, changes)
        changes = changes or {}
        changes.each, changes.spread = waits(count), 4 * SECOND
        local run = submit(changes)
        local turns = {}
        local some, clock
        repeat
          some, clock = claim { ahead = 20 * SECOND }
          for _, turn in ipairs(some) do turns[#turns + 1] = turn.due end
        until #some == 0
        store:cancel(run)
        table.sort(turns)
        return turns, turns[#turns] - turns[1], turns[1] - clock
      end
      assert.same({ 1000, 0 }, { #dues(1000), (select(2, dues(1000))) })
      assert.equal(0, (select(2, dues(1200, { jobs = 900 }))))
      local list, over, first = dues(2000)
      assert.is_true(first <= 0)
      assert.is_true(over == 3998000, over)
      for position = 2, #list do assert.equal(2000, list[position] - list[position - 1]) end
      list, over = dues(2000, { jobs = 1001 })
      assert.equal(1001, #list)
      assert.is_true(over > 3.9 * SECOND and over < 4 * SECOND, over)
    end)

    it("gives turns by the time when they are due, of one queue and one lane", function()
      submit { each = waits(1, { delay = 9 * SECOND }) }
      submit { each = waits(1, { delay = 8 * SECOND }) }
      submit { each = waits(1, { delay = 30 * SECOND }) }
      submit { queue = "other" }
      submit { lane = 1 }
      assert.same({}, claim { ahead = 0, want = 5 })
      local turns = claim { want = 1, ahead = 12 * SECOND }
      assert.equal(1, #turns)
      local later = claim { ahead = 12 * SECOND }
      assert.equal(1, #later)
      assert.is_true(later[1].due > turns[1].due)
      assert.equal(1, #claim { lanes = { 1 } })
      assert.equal(1, #claim { queue = "other" })
      assert.same({}, claim { queue = "nobody's" })
      place.age(60 * SECOND)
      assert.same({}, claim { back = SECOND, want = 5 })
      assert.equal(1, #claim())
    end)

    it("gives those that are due first, while there is room for their documents, and then one more", function()
      local input = json.encode { text = ("x"):rep(1000) }
      for number = 8, 1, -1 do submit { each = waits(1, { delay = number * SECOND, input = input }) } end
      submit { lane = 1, each = waits(1, { input = input }) }
      local counts, latest = {}, 0
      for position, bytes in ipairs { 3000, 1, 2500, 0 } do
        local turns = claim { bytes = bytes, ahead = 20 * SECOND }
        for _, turn in ipairs(turns) do
          assert.is_true(turn.due > latest)
          latest = turn.due
        end
        counts[position] = #turns
      end
      assert.same({ 3, 1, 3, 1 }, counts)
      submit { each = waits(2, { input = input }), need = 2 }
      assert.equal(1, #claim { lanes = { 2, 1 }, bytes = 900 })
      assert.equal(2, #claim { lanes = { 2, 1 } })
    end)

    it("gives of each lane what is then left of what is wanted", function()
      for lane = 1, 3 do submit { lane = lane, each = waits(2, { input = json.encode { lane = lane } }) } end
      local function lanes_of(turns)
        local lanes = {}
        for position, turn in ipairs(turns) do lanes[position] = json.decode(turn.input).lane end
        return lanes
      end
      local both = { lanes = { 2, 1, 3 }, want = 3 }
      assert.same({ 2, 2, 1 }, lanes_of(claim(both)))
      assert.same({ 1, 3, 3 }, lanes_of(claim(both)))
      assert.same({}, claim(both))
    end)

    it("is shared by queues and lanes as their weights say, 8:4:1, over many seeds", function()
      local both = { { name = "default", weight = 1 }, { name = "other", weight = 1 } }
      me = assert(store:enter(about { queues = both }))
      for _, queue in ipairs(both) do
        for lane = 1, 3 do
          submit { queue = queue.name, lane = lane, each = waits(600, { input = json.encode { lane = lane } }) }
        end
      end
      for seed = 1, place.seeds or SEEDS do
        math.randomseed(seed)
        both[1].weight, both[2].weight = seed == 1 and 12 or math.random(4), seed == 1 and 1 or math.random(4)
        local total, jobs = both[1].weight + both[2].weight, math.random(5)
        local shares = fairness.of(store, me, both, 13 * total, jobs)
        for _, queue in ipairs(both) do
          for lane, share in ipairs(fairness.lanes) do
            assert.equal(share * queue.weight * jobs, shares[queue.name][lane], ("seed %d, lane %d"):format(seed, lane))
          end
        end
        assert(store:sync(me, {})) -- gives all of them back
      end
    end)

    it("says how late the first turn of a queue is that nobody has", function()
      submit { each = waits(1, { delay = 30 * SECOND }) }
      assert.equal(0, store:lag "default")
      submit { lane = 3 }
      place.age(20 * SECOND)
      local lag = store:lag "default"
      assert.is_true(lag >= 20 and lag < 29, tostring(lag))
      assert.equal(1, #claim { lanes = { 3 } })
      assert.equal(0, store:lag "default")
    end)

    it("gives each turn to one worker, whose format it has", function()
      submit { each = waits(4), need = 4 }
      local other = place.open()
      local of_other = assert(other:enter(about { formats = { 0 } }))
      local mine, others = claim { want = 3 }, claim({}, other, of_other)
      assert.same({ 3, 1 }, { #mine, #others })
      assert.same(ids_of(mine), assert(store:settle(me, { result(mine[1]), result(mine[2]), result(mine[3]) })))
      assert.same({}, claim({}, other, of_other))
      assert.equal(3, #claim())
    end)

    it("takes a result once, and only from the worker that has the turn", function()
      submit()
      local other = place.open()
      local of_other = assert(other:enter(about()))
      local turn = claim()[1]
      assert.same({}, assert(other:settle(of_other, { result(turn) })))
      assert.same({}, assert(store:settle(me, { result(turn, { attempts = 2 }) })))
      assert.same({ turn.id }, assert(store:settle(me, { result(turn) })))
      assert.same({}, assert(store:settle(me, { result(turn) })))
      local again = claim({}, other, of_other)[1]
      assert.same({ turn.id, 1, 1, "\1\0s\255", "t1", '{"n":1}' },
        { again.id, again.attempts, again.format, again.state, again.token, again.output })
      assert.same({}, assert(store:finish(me, { ended(turn, "success") })))
      assert.same({}, assert(store:finish(me, { ended(again, "success") })))
      assert.same({ again.id }, assert(other:settle(of_other, { result(again, { output = "", error = '{"type":"E"}' }) })))
      local third = claim()[1]
      assert.same({ 2, nil, '{"type":"E"}' }, { third.attempts, third.output, third.error })
    end)

    it("leaves a kept turn with its worker", function()
      submit()
      local turn = claim()[1]
      assert.same({ turn.id }, assert(store:settle(me, { result(turn, { keep = true }) })))
      assert.same({}, claim())
      turn.attempts = 1
      assert.same({ turn.id }, assert(store:settle(me, { result(turn) })))
      assert.equal(2, claim()[1].attempts)
    end)

    it("ends waits, and the run with the last of them", function()
      local run = submit { each = waits(3), need = 2, keeps_going = true }
      local turns = claim()
      assert.same({ turns[2].id }, assert(store:finish(me, { ended(turns[2], "failure") })))
      local counters, ends = store:follow(run, 0)
      assert.same({ 3, 2, 0, 1, 0 }, { counters.waits, counters.open, counters.succeeded, counters.failed, counters.cancelled })
      assert.same({ nil, nil, 1 }, { counters.ended, counters.state, #ends })
      assert.same({ 2, 1, "line 2", "ThingDone" }, { ends[1].position, ends[1].rank, ends[1].label, ends[1].waiter })
      assert.equal("failure", json.decode(ends[1].outcome).state)
      assert.same({}, assert(store:finish(me, { ended(turns[2], "success") })))
      assert.equal(2, #assert(store:finish(me, { ended(turns[1], "success"), ended(turns[3], "success") })))
      counters, ends = store:follow(run, 1)
      assert.same({ 0, 2, 1, "success" }, { counters.open, counters.succeeded, counters.failed, counters.state })
      assert.is_true(counters.ended >= counters.began)
      assert.same({ 1, 2, 3, 3 }, { ends[1].position, ends[1].rank, ends[2].position, ends[2].rank })
      assert.same({}, claim())
    end)

    it("takes the end of a wait without a further attempt", function()
      local run = submit()
      local turn = claim()[1]
      assert(store:settle(me, { result(turn) }))
      turn = claim()[1]
      local over = ended(turn, "failure")
      over.attempts, over.entry = 1, nil
      assert.same({ turn.id }, assert(store:finish(me, { over })))
      local _, ends = store:follow(run, 0)
      assert.equal(1, ends[1].attempts)
    end)

    it("cancels the rest once a run is decided, and tells who holds it", function()
      local run = submit { each = waits(4), need = 1 }
      local other = place.open()
      local of_other = assert(other:enter(about()))
      local mine, others = claim { want = 2 }, claim({ want = 1 }, other, of_other)
      assert(other:settle(of_other, { result(others[1], { keep = true }) }))
      assert(store:finish(me, { ended(mine[1], "success") }))
      local counters, ends = store:follow(run, 0)
      assert.same({ 0, 1, 0, 3, "success" },
        { counters.open, counters.succeeded, counters.failed, counters.cancelled, counters.state })
      assert.equal(4, #ends)
      local by_position = {}
      for rank, one in ipairs(ends) do
        assert.equal(rank, one.rank)
        by_position[one.position] = one
      end
      local third = by_position[3]
      assert.same({ '"cancelled"', 1, '{"n":1}', 1 }, { third.outcome, third.attempts, third.output, #third.history })
      assert.same({ others[1].id }, assert(other:beat(of_other, { count = 1, sum = 0 })))
      assert.same({}, assert(other:beat(of_other, { count = 0, sum = 0 })))
      others[1].attempts = 1
      assert.same({}, assert(other:settle(of_other, { result(others[1]) })))
      assert.same({}, assert(other:finish(of_other, { ended(others[1], "success") })))
    end)

    it("fails a run as soon as too few are left, unless it goes on", function()
      local run = submit { each = waits(3), need = 3 }
      assert(store:finish(me, { ended(claim { want = 1 }[1], "failure") }))
      local counters = store:follow(run, 0)
      assert.same({ "failure", 0, 2 }, { counters.state, counters.open, counters.cancelled })
      run = submit { each = waits(3), need = 3, keeps_going = true }
      assert(store:finish(me, { ended(claim { want = 1 }[1], "failure") }))
      counters = store:follow(run, 0)
      assert.same({ 2, 0 }, { counters.open, counters.cancelled })
      assert.is_nil(counters.state)
    end)

    it("opens as many waits of a run as it has jobs", function()
      local run = submit { each = waits(5), need = 5, jobs = 2 }
      local turns = claim()
      assert.same({ 2, 5 }, { #turns, store:follow(run, 0).open })
      for _ = 1, 3 do
        local _, has_opened = assert(store:finish(me, { ended(table.remove(turns, 1), "success") }))
        assert.is_true(has_opened)
        local more = claim()
        assert.equal(1, #more)
        turns[#turns + 1] = more[1]
      end
      local _, has_opened = assert(store:finish(me, { ended(turns[1], "success"), ended(turns[2], "success") }))
      assert.is_false(has_opened)
      assert.equal("success", store:follow(run, 0).state)
    end)

    it("releases what a worker has lost, and answers what is still its own", function()
      submit { each = waits(3), need = 3 }
      local turns = claim()
      assert(store:settle(me, { result(turns[2], { keep = true }) }))
      assert.same({ [turns[2].id] = 1 }, assert(store:sync(me, { turns[2].id, turns[3].id + 1000 })))
      assert.same({ turns[1].id, turns[3].id }, ids_of(claim()))
    end)

    it("gives the wait whose code ended a worker a strike, and releases the turns of that worker", function()
      local run = submit { each = waits(2), need = 2 }
      for strike = 1, 3 do
        local other = place.open()
        local of_other = assert(other:enter(about()))
        local turn = claim({}, other, of_other)[1]
        assert.equal(strike > 1 and strike - 1 or nil, turn.strikes)
        assert.same({ strikes = strike, run = run, position = 1 },
          assert(store:strike(me, { worker = of_other.id, wait = turn.id, reason = "signal " .. strike })))
        local _, failure = other:settle(of_other, { result(turn) })
        assert.equal("expired", failure.kind)
        assert.is_false(store:strike(me, { worker = of_other.id, wait = turn.id, reason = "again" }))
      end
      local turns = claim()
      assert.same({ 3, nil }, { turns[1].strikes, turns[2].strikes })
      assert.same({ "signal 1", "signal 2", "signal 3" }, json.decode(turns[1].error))
      assert(store:settle(me, { result(turns[1], { error = "" }) }))
      turns = claim()
      assert.same({}, { turns[1].strikes, turns[1].error })
    end)

    it("releases the turns of a worker that ended while no code ran, and strikes no wait of another", function()
      submit { each = waits(2), need = 2 }
      local other = place.open()
      local of_other = assert(other:enter(about()))
      local mine, others = claim { want = 1 }, claim({}, other, of_other)
      assert.is_false(store:strike(me, { worker = of_other.id, wait = mine[1].id, reason = "x" }))
      assert.same(ids_of(others), ids_of(claim()))
      assert.is_false(store:strike(me, { worker = 12345, reason = "x" }))
      local _, failure = other:strike(of_other, { worker = me.id, reason = "x" })
      assert.equal("expired", failure.kind)
    end)

    describe("a request that is made once", function()
      local turns

      local function request(turn, changes)
        local made = { wait = turn.id, attempt = 1, identity = "i", token = "T", parameters = '{"a":1}', anew = false }
        for member, value in pairs(changes or {}) do made[member] = value end
        return made
      end

      before_each(function()
        submit { each = waits(2), need = 2 }
        turns = claim()
      end)

      it("is one attempt's, whose result others get", function()
        assert.equal("mine", store:once(me, request(turns[1])))
        assert.is_true(store:once_end(me, request(turns[1]), { result = '{"id":4}', is_done = true }))
        assert.same({ "made", '{"id":4}' }, { store:once(me, request(turns[2], { parameters = '{ "a": 1.0 }' })) })
        assert.same({ "mismatch", "a" }, { store:once(me, request(turns[2], { parameters = '{"a":2}' })) })
        assert.equal("mine", store:once(me, request(turns[2], { token = "U" })))
        assert.equal("mine", store:once(me, request(turns[2], { identity = "j" })))
      end)

      it("is another worker's while that lives, and is taken over then", function()
        local other = place.open()
        local of_other = assert(other:enter(about()))
        assert(store:sync(me, { turns[1].id }))
        local theirs = claim({}, other, of_other)[1]
        assert.equal("mine", store:once(me, request(turns[1])))
        assert.equal("theirs", (other:once(of_other, request(theirs))))
        assert.same({ "mismatch", "b" }, { other:once(of_other, request(theirs, { parameters = '{"a":1,"b":2}' })) })
        place.kill(store)
        assert.equal("mine", other:once(of_other, request(theirs, { parameters = '{"a":1.0}' })))
        assert.is_true(other:once_end(of_other, request(theirs), { result = "7", is_done = true }))
        assert.same({ "made", "7" }, { other:once(of_other, request(theirs)) })
      end)

      it("is free again where nothing was done, and late once its result is not retained", function()
        assert.equal("mine", store:once(me, request(turns[1])))
        assert(store:once_end(me, request(turns[1]), { is_done = true }))
        assert.equal("mine", store:once(me, request(turns[1], { parameters = "[]" })))
        assert(store:once_end(me, request(turns[1]), { result = "{}", is_done = true, retain = 0, late = 60 * SECOND }))
        local function is_late() return store:once(me, request(turns[1])) == "late" end
        for _ = 1, 1000 do
          if is_late() then break end
        end
        assert.is_true(is_late())
        assert.equal("mine", store:once(me, request(turns[1], { anew = true })))
      end)
    end)

    describe("the pace of a host", function()
      local host = "https://h:443"

      local function reserve(changes)
        local what = { queue = "default", host = host, gap = 100000, burst = 1, count = 1 }
        for member, value in pairs(changes or {}) do what[member] = value end
        return assert(store:reserve(me, what)), what
      end

      it("grants requests one after another, a gap apart, and at most a second ahead", function()
        local first = reserve { count = 4 }
        assert.same({ 4, 100000, first.first + 400000 }, { first.granted, first.gap, first.free })
        local more = reserve { count = 100 }
        assert.equal(first.free, more.first)
        assert.is_true(more.granted >= 6 and more.granted <= 8, more.granted)
        local none = reserve()
        assert.is_true(none.granted == 0 and none.first > none.clock + SECOND or none.granted == 1)
        assert.equal(4, reserve({ host = "https://other:443", count = 4 }).granted)
      end)

      it("lets a burst come at once", function()
        local slots = reserve { burst = 5, count = 5 }
        assert.is_true(slots.first + 4 * slots.gap <= slots.clock)
        assert.is_true(reserve({ burst = 5 }).first >= slots.free)
      end)

      it("grants nothing before the answer comes but what was saved up", function()
        local slots = reserve { lead = 300000 }
        assert.equal(slots.clock + 300000, slots.first)
        slots = reserve { host = "https://other:443", burst = 3, count = 3, lead = 300000 }
        assert.equal(slots.clock + 300000, slots.first + 2 * slots.gap)
      end)

      it("is that of the slowest, for a minute", function()
        reserve()
        assert.equal(100000, reserve({ gap = 10 }).gap)
        place.age(61 * SECOND)
        assert.equal(10, reserve({ gap = 10 }).gap)
      end)

      it("is not kept by a slow worker for longer", function()
        reserve { gap = 3600 * SECOND }
        assert.equal(0, reserve().granted)
        place.age(61 * SECOND)
        local slots = reserve()
        assert.is_true(slots.granted == 1 and slots.first <= slots.clock + SECOND)
      end)

      it("takes nothing back after another worker has named a greater gap", function()
        local slots, what = reserve { gap = SECOND // 2, count = 9 }
        assert.equal(0, reserve({ gap = SECOND }).granted)
        what.count = 2
        assert.is_false(store:give_back(me, what, slots.free))
      end)

      it("takes back what no one has passed", function()
        local slots, what = reserve { count = 5 }
        what.count = 2
        assert.is_true(store:give_back(me, what, slots.free))
        assert.is_false(store:give_back(me, what, slots.free))
        assert.equal(slots.first + 300000, reserve().first)
      end)

      it("is closed for all workers of the queue, and for ten minutes at most", function()
        local slots = reserve()
        assert(store:close_host(me, { queue = "default", host = host, closed_until = slots.clock + 86400 * SECOND }))
        assert(store:close_host(me, { queue = "default", host = host, closed_until = slots.clock + SECOND }))
        slots = reserve()
        assert.equal(0, slots.granted)
        local other = place.open()
        local of_other = assert(other:enter(about()))
        local closed = assert(other:closed_hosts(of_other))
        assert.same({ 1, "default", host }, { #closed, closed[1].queue, closed[1].host })
        local left = closed[1].closed_until - slots.clock
        assert.is_true(left > 590 * SECOND and left <= 601 * SECOND, left)
        place.age(700 * SECOND)
        me = assert(store:enter(about()))
        assert.same({}, assert(store:closed_hosts(me)))
        assert.equal(1, reserve().granted)
      end)

      it("refuses a worker that the store does not know", function()
        place.kill(store)
        local other = place.open()
        assert(other:reap())
        for _, verb in ipairs { "reserve", "give_back", "close_host" } do
          local _, failure = other[verb](other, me, { queue = "default", host = host, gap = 1, burst = 1, count = 1,
            closed_until = 1 }, 1)
          assert.equal("expired", failure.kind)
        end
      end)
    end)

    it("says by a beat when it knows other turns than the worker, or other attempts", function()
      submit { each = waits(2), need = 2 }
      local turns = claim()
      local hand = { [turns[1].id] = turns[1], [turns[2].id] = turns[2] }
      local function differs() return (select(2, store:beat(me, held(hand)))) end
      assert.is_false(differs())
      assert(store:settle(me, { result(turns[1], { keep = true }) }))
      assert.is_true(differs()) -- as many turns, another sum
      turns[1].attempts = 1
      assert.is_false(differs())
      hand[turns[2].id] = nil
      assert.is_true(differs())
      assert(store:sync(me, { turns[1].id }))
      assert.is_false(differs())
    end)

    it("says by a beat what its clock is", function()
      local _, before = claim()
      local _, _, clock = store:beat(me, { count = 0, sum = 0 })
      local _, after = claim()
      assert.is_true(before <= clock and clock <= after)
    end)

    it("releases the turns of a worker that leaves", function()
      submit()
      local turn = claim()[1]
      assert(store:settle(me, { result(turn, { keep = true }) }))
      assert.is_true(store:leave(me))
      assert.equal("expired", select(2, store:beat(me, { count = 0, sum = 0 })).kind)
      assert.equal("expired", select(2, store:claim(me, wanted())).kind)
      me = assert(store:enter(about()))
      assert.same({ turn.id, 1 }, { claim()[1].id, turn.attempts + 1 })
    end)

    it("releases the turns of a worker that is dead, which then writes nothing any more", function()
      submit { each = waits(2), need = 2 }
      local other = place.open()
      local of_other = assert(other:enter(about()))
      local turns = claim({}, other, of_other)
      assert(other:settle(of_other, { result(turns[1], { keep = true }) }))
      assert.same({ workers = 0, turns = 0, ended = 0 }, assert(store:reap()))
      place.kill(other)
      assert.same({ workers = 1, turns = 2, ended = 0 }, assert(store:reap()))
      local mine = claim()
      assert.same({ turns[1].id, turns[2].id }, { math.min(mine[1].id, mine[2].id), math.max(mine[1].id, mine[2].id) })
      assert.same({ workers = 0, turns = 0, ended = 0 }, assert(store:reap()))
    end)

    it("takes nothing from a worker that was found dead and goes on", function()
      submit()
      local turn = claim()[1]
      assert(store:leave(me)) -- as if another had reaped it
      for _, verb in ipairs {
        { "settle", { result(turn) } }, { "finish", { ended(turn, "success") } }, { "sync", { turn.id } }, { "refuse", 1 },
      } do
        local nothing, failure = store[verb[1]](store, me, verb[2])
        assert.same({ nil, "expired" }, { nothing, failure.kind }, verb[1])
      end
    end)

    it("gives a worker no turns of a bundle that it refuses", function()
      submit()
      local turn = claim()[1]
      assert.is_true(store:refuse(me, assert(store:definition(turn.definition)).bundle_id))
      assert.same({}, assert(store:sync(me, {})))
      assert.same({}, claim())
      local other = place.open()
      assert.equal(1, #claim({}, other, assert(other:enter(about()))))
    end)

    it("cancels a run", function()
      local run = submit { each = waits(3), need = 3 }
      local turns = claim { want = 1 }
      assert.equal("cancelled", assert(store:cancel(run)))
      assert.same({ turns[1].id }, assert(store:beat(me, { count = 1, sum = 0 })))
      local counters, ends = store:follow(run, 0)
      assert.same({ "failure", 3, 0, 3 }, { counters.state, counters.cancelled, counters.open, #ends })
      assert.equal("ended", assert(store:cancel(run)))
      assert.equal("unknown", assert(store:cancel(run + 1000)))
      assert.equal("refused", select(2, store:follow(run + 1000, 0)).kind)
    end)

    it("ends waits that are over, which no worker has ended", function()
      local run = submit { each = waits(2), need = 2, keeps_going = true, jobs = 1 }
      local turn = claim()[1]
      place.age(65 * SECOND)
      assert.equal(0, assert(store:reap()).ended)
      place.age(10 * SECOND)
      assert.equal(2, assert(store:reap()).ended)
      local counters, ends = store:follow(run, 0)
      assert.same({ "failure", 2, '"maxWait"', '"maxWait"' },
        { counters.state, counters.failed, ends[1].outcome, ends[2].outcome })
      assert.same({}, assert(store:settle(me, { result(turn) })))
    end)

    it("shows what it holds", function()
      local run = submit { each = waits(2), need = 2 }
      submit { queue = "other" }
      local turn = claim { want = 1 }[1]
      assert(store:settle(me, { result(turn, { due = turn.due + 90 * SECOND }) }))
      claim()
      local runs = store:list({ what = "runs" }).runs
      assert.same({ 2, run, "ThingDone", "/things.lua", 2, 2, 1 },
        { #runs, runs[1].run, runs[1].waiter, runs[1].recipe, runs[1].waits, runs[1].open, runs[1].attempts })
      assert.equal(1, #store:list({ what = "runs", queue = "other" }).runs)
      assert.equal(1, #store:list({ what = "runs", after = run }).runs)
      assert.equal(1, #store:list({ what = "runs", limit = 1 }).runs)
      assert.equal(0, #store:list({ what = "runs", state = "ended" }).runs)
      local found = store:list { what = "run", run = run }
      assert.same({ 2, 1, "t1", nil, 0, me.id },
        { #found.waits, found.waits[1].attempts, found.waits[1].token, found.waits[1].worker, found.waits[2].attempts,
          found.waits[2].worker })
      assert.equal(1, #found.waits[1].history)
      assert.is_nil(store:list({ what = "run", run = run + 1000 }).run)
      local workers = store:list({ what = "workers" }).workers
      assert.same({ 1, me.id, "w", "trusted", 1, "default" },
        { #workers, workers[1].id, workers[1].name, workers[1].kind, workers[1].held, workers[1].queues[1].name })
      assert.is_true(workers[1].lease > 0)
      local queues = store:list({ what = "queues" }).queues
      assert.same({ "default", 2, 1, "other", 1, 0 },
        { queues[1].name, queues[1].open, queues[1].workers, queues[2].name, queues[2].open, queues[2].workers })
    end)

    it("keeps the first and the last attempts of a history", function()
      local run = submit()
      local turn = claim()[1]
      for attempt = 1, 120 do
        assert(store:settle(me, { result(turn, { keep = true }) }))
        turn.attempts = attempt
      end
      local history = store:list({ what = "run", run = run }).waits[1].history
      assert.same({ 100, 1, 50, 71, 120 }, { #history, json.decode(history[1]).attempt, json.decode(history[50]).attempt,
        json.decode(history[51]).attempt, json.decode(history[100]).attempt })
      submit { history = "none" }
      assert.equal(0, claim()[1].keeps)
    end)

    it("gives the attempts that it keeps of waits, after those that are known", function()
      local run, other = submit { each = waits(3), need = 3 }, submit()
      local turns = claim()
      for attempt = 1, 3 do
        for _, turn in ipairs(turns) do
          assert(store:settle(me, { result(turn, { keep = true }) }))
          turn.attempts = attempt
        end
      end
      local function numbers(seen, of)
        local list = {}
        for position, one in ipairs(assert(store:attempts(of or run, seen))) do
          assert.equal(one.attempt, json.decode(one.entry).attempt)
          list[position] = one.position .. "." .. one.attempt
        end
        return table.concat(list, " ")
      end
      assert.equal("1.1 1.2 1.3 2.3", numbers { [2] = 2, [1] = 0, [3] = 3 })
      assert.equal("", numbers { [4] = 0 })
      assert.equal("", numbers {})
      assert.equal("1.1 1.2 1.3", numbers({ [1] = 0 }, other))
      assert.equal("", numbers({ [1] = 0 }, other + 1000))
    end)

    it("forgets runs that have ended", function()
      local run, other = submit(), submit()
      assert.equal("open", assert(store:prune(run)))
      assert(store:cancel(run))
      assert.equal("pruned", assert(store:prune(run)))
      assert.equal("unknown", assert(store:prune(run)))
      assert(store:cancel(other))
      assert.is_true(store:maintain())
      assert.equal(1, #store:list({ what = "runs" }).runs)
      place.age(31 * 86400 * SECOND)
      assert.is_true(store:maintain())
      assert.same({}, store:list({ what = "runs" }).runs)
    end)
  end)
end
