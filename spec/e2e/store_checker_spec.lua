---The checker of `make kills`, on stores whose fences were taken away: it must find what then goes wrong. Two workers call the
---verbs as they come where one of them was thought dead; what each of them asks of the service is noted.

local Cluster = require "spec.support.store_cluster"
local checker = require "spec.kills.checker"
local harness = require "spec.kills.harness"

local cluster = Cluster.installed()
if not cluster then return end

---Replaces texts in the functions of the schema, until `restore` is called.
---@param changes string[][] the name of a function, a text of it, and another one
---@return fun() restore
local function mutate(changes)
  local before = {}
  for _, change in ipairs(changes) do
    local name, text, other = table.unpack(change)
    local definition = cluster:admin("SELECT pg_get_functiondef('bide." .. name .. "'::regproc)")
    local first, last = definition:find(text, 1, true)
    assert(first, name .. " has no " .. text)
    before[#before + 1] = definition
    while first do
      definition = definition:sub(1, first - 1) .. other .. definition:sub(last + 1)
      first, last = definition:find(text, first + #other, true)
    end
    cluster:admin(definition .. ";")
  end
  return function()
    for position = #before, 1, -1 do cluster:admin(before[position] .. ";") end
  end
end

describe("the checker of histories", function()
  local requests, causes

  setup(function() cluster:admin(harness.log) end)
  before_each(function()
    cluster:empty()
    cluster:submit()
    cluster:admin("TRUNCATE owner_log")
    requests, causes = {}, {}
  end)

  local function sql(text) return cluster:sql("wim", text) end

  ---Notes that a worker asks the service.
  local function ask(me, attempt)
    local now = harness.clock()
    requests[#requests + 1] = { token = "t1", attempt = attempt, worker = math.tointeger(me), begin = now, stop = now }
  end

  local function claim(me)
    local ids = cluster:claim(me)
    return ids[1]
  end

  ---Writes an attempt after which another one follows at once; returns whether it was written.
  local function settle(me, id, attempt, keeps)
    local ok, text = pcall(sql, ([[SELECT id FROM bide.settle(%s, %s, '{%d}', '{%d}', ARRAY[bide.clock()], '{1}', '{s}', '{NULL}',
      '{NULL}', '{"{}"}')]]):format(me, keeps and "true" or "false", id, attempt))
    return ok and text ~= ""
  end

  local function finish(me, id, attempt)
    return sql(([[SELECT id FROM bide.finish(%s, '{%d}', '{%d}', '{"{\"state\":\"success\"}"}', '{true}', '{"{}"}')]])
      :format(me, id, attempt)) ~= ""
  end

  ---Lets the lease of a worker be over, and another one find that.
  local function reap(me)
    causes[#causes + 1] = { worker = math.tointeger(me), from = harness.clock(), to = harness.clock() }
    cluster:admin("UPDATE bide.worker SET lease = 1 WHERE id = " .. me)
    sql "SELECT bide.reap(true)"
  end

  local function beat(me, count, sum)
    return sql(("SELECT matches FROM bide.beat(%s, %d, %d)"):format(me, count, sum)) == "t"
  end

  ---Checks what the service and the store know now.
  ---@return table<string, integer>
  local function counts(attempts)
    local history = { waits = {}, recorded = {}, requests = requests, causes = causes,
      attempts_of = function() return attempts end }
    local row = cluster:rows("SELECT id, token, attempts, outcome::json ->> 'state' FROM bide.wait")[1]
    history.waits[1] = { id = row[1], token = row[2], attempts = row[3], state = row[4] ~= "" and row[4] or nil }
    for place, one in ipairs(cluster:rows "SELECT wait, attempt FROM bide.attempt") do
      history.recorded[place] = { wait = one[1], attempt = one[2] }
    end
    history.owned = harness.owned(cluster:rows "SELECT wait, worker, at FROM owner_log ORDER BY place",
      function(id) return id end)
    return checker.counts(checker.check(history))
  end

  ---A worker is thought dead while its attempt is under way; another one makes it, and the first one comes back.
  local function late_result()
    local a = cluster:enter()
    local id = claim(a)
    ask(a, 1)
    reap(a)
    local b = cluster:enter()
    claim(b)
    ask(b, 1)
    return a, b, id
  end

  it("finds nothing where the fences stand", function()
    local a, b, id = late_result()
    assert.is_true(settle(b, id, 1))
    assert.is_false(settle(a, id, 1))
    claim(b)
    ask(b, 2)
    assert.is_true(finish(b, id, 2))
    assert.same({}, counts(2))
  end)

  it("finds an attempt that is recorded twice, without the fence", function()
    local restore <close> = setmetatable({}, { __close = mutate {
      { "settle", "t.worker IS NOT DISTINCT FROM me AND t.attempts = l.n - 1", "true" },
      { "settle", "RAISE EXCEPTION 'expired' USING ERRCODE = 'BD001';", "NULL;" },
    } })
    assert(restore)
    local a, b, id = late_result()
    assert.is_true(settle(b, id, 1))
    assert.is_true(settle(a, id, 1))
    claim(b)
    ask(b, 2)
    finish(b, id, 2)
    assert.same({ ["recorded twice"] = 1 }, counts(2))
  end)

  it("finds two attempts at once, where a result is fenced by its number alone", function()
    local restore <close> = setmetatable({}, { __close = mutate {
      { "settle", "t.worker IS NOT DISTINCT FROM me AND ", "" },
      { "settle", "RAISE EXCEPTION 'expired' USING ERRCODE = 'BD001';", "NULL;" },
    } })
    assert(restore)
    local a, b, id = late_result()
    assert.is_true(settle(a, id, 1)) -- releases what b is working on
    local c = cluster:enter()
    assert.equal(id, claim(c))
    ask(c, 2)
    requests[2].stop = math.maxinteger -- what b had asked was not answered yet
    finish(c, id, 2)
    assert.is_false(settle(b, id, 1))
    assert.same({ ["two attempts at once"] = 1 }, counts(2))
  end)

  it("finds a wait that nobody continues, without sync", function()
    local a = cluster:enter()
    local id = claim(a) -- and the answer is lost
    ask(a, 1)
    assert.is_false(beat(a, 0, 0))
    assert.same({ stuck = 1 }, counts(1))
    sql(("SELECT bide.sync(%s, '{}')"):format(a))
    claim(a)
    finish(a, id, 1)
    assert.same({}, counts(1))
  end)

  it("finds a wait that nobody continues, where beats compare the count alone", function()
    local restore <close> = setmetatable({}, { __close = mutate {
      { "beat", "coalesce(mod(sum(t.id::numeric * 1048576 + t.attempts), 9223372036854775808), 0) = sum_", "true" },
    } })
    assert(restore)
    local a = cluster:enter()
    local id = claim(a)
    ask(a, 1)
    settle(a, id, 1, true)
    -- A failover loses the settle: the worker holds the turn with 1 attempt, the store has 0, and refuses the next result.
    cluster:admin("UPDATE bide.turn SET attempts = 0; TRUNCATE bide.attempt")
    ask(a, 2)
    assert.is_false(settle(a, id, 2))
    assert.is_true(beat(a, 1, (id << 20) + 1)) -- no sync follows
    assert.same({ stuck = 1 }, counts(2))
  end)

  it("finds two attempts at once, where a worker gets the number of one that is not dead", function()
    local restore <close> = setmetatable({}, { __close = mutate {
      { "enter", "('x' || left(random, 8) || right(random, 8))::bit(64)::bigint & 4611686018427387903", "42" },
    } })
    assert(restore)
    local a, b, id = late_result()
    assert.same({ "42", "42" }, { a, b })
    assert.is_true(settle(a, id, 1)) -- takes the turn from b
    assert.equal(id, claim(a))
    ask(a, 2)
    requests[2].stop = math.maxinteger -- what b had asked was not answered yet
    finish(a, id, 2)
    assert.same({ ["two attempts at once"] = 1 }, counts(2))
  end)

  it("finds holes, other tokens, and attempts after the end", function()
    local history = {
      waits = { { id = 1, token = "a", state = "success", attempts = 3, ended = 1000000 } },
      recorded = { { wait = 1, attempt = 1 }, { wait = 1, attempt = 3 }, { wait = 1, attempt = 4 } },
      owned = { { wait = 1, worker = 1, from = 0, to = 500000 }, { wait = 1, worker = 2, from = 500000, to = 1000000 } },
      requests = {
        { token = "a", attempt = 1, worker = 1, begin = 100000, stop = 100000 },
        { token = "a", attempt = 2, worker = 1, begin = 700000, stop = 700000 },
        { token = "a", attempt = 3, worker = 2, begin = 1200000, stop = 1200000 },
        { token = "b", attempt = 1, worker = 2, begin = 900000, stop = 900000 },
      },
      attempts_of = function() return 3 end,
    }
    assert.same({ hole = 1, ["recorded beyond the end"] = 1, ["two owners"] = 1, ["attempt after the end"] = 1,
      ["another token"] = 1 }, checker.counts(checker.check(history)))
    history.attempts_of = function() return 2 end
    assert.equal(1, checker.counts(checker.check(history))["another outcome"])
  end)

  ---A wait of two attempts, of which the first worker made one and the second one the other.
  local function of_two_workers()
    return {
      waits = { { id = 1, token = "a", state = "success", attempts = 2, ended = 9000000 } }, lease = 1000000,
      recorded = { { wait = 1, attempt = 1 }, { wait = 1, attempt = 2 } },
      owned = { { wait = 1, worker = 1, from = 0, to = 2000000 }, { wait = 1, worker = 2, from = 2500000, to = 9000000 } },
      requests = {
        { token = "a", attempt = 1, worker = 1, begin = 100000, stop = 100000 },
        { token = "a", attempt = 2, worker = 1, begin = 900000, stop = 900000 },
        { token = "a", attempt = 2, worker = 2, begin = 3500000, stop = 3500000 },
      },
      causes = { { worker = 1, from = 1000000, to = 3000000, is_stop = true } }, attempts_of = function() return 2 end,
    }
  end

  local function counts_of(history) return checker.counts(checker.check(history)) end

  it("excuses the one request that a worker was about to send when it was stopped, of a turn that it had then", function()
    local history = of_two_workers()
    assert.same({}, counts_of(history))
    local late = { token = "a", attempt = 2, worker = 1, begin = 3000400, stop = 3000400 }
    table.insert(history.requests, late)
    assert.same({}, counts_of(history))
    local of_other = history.requests[3]
    of_other.begin = 2600000 -- before the one that was stopped goes on
    assert.same({}, counts_of(history))
    of_other.begin = 3500000
    table.insert(history.requests, { token = "a", attempt = 2, worker = 1, begin = 3000500, stop = 3000500 })
    assert.same({ ["two owners"] = 1 }, counts_of(history))
    history.requests[#history.requests] = nil
    history.owned[1].to = 950000 -- it had no turn when it was stopped
    assert.same({ ["two owners"] = 1 }, counts_of(history))
    history.owned[1].to, late.begin = 2000000, 3400000 -- too late for what it was about to send
    assert.same({ ["two owners"] = 1 }, counts_of(history))
  end)

  it("finds a request that is made again though nothing disturbed the worker that had made it", function()
    local history = of_two_workers()
    history.causes = {}
    assert.same({ ["made twice without a cause"] = 1 }, counts_of(history))
    history.causes = { { worker = 2, from = 1000000, to = 3000000 } } -- somebody else was
    assert.same({ ["made twice without a cause"] = 1 }, counts_of(history))
    history.causes = { { from = 1000000, to = 1000000 } } -- the server was
    assert.same({}, counts_of(history))
    history.causes[1].from = 3600000 -- but later
    assert.same({ ["made twice without a cause"] = 1 }, counts_of(history))
  end)

  it("finds a request of nobody's turn, but what a server that was killed had not written", function()
    local history = of_two_workers()
    history.requests[3].begin, history.requests[3].worker = 2300000, 1
    assert.same({ ["no owner"] = 1 }, counts_of(history))
    history.causes = { { from = 2000000, to = 3000000, is_loss = true } }
    assert.same({}, counts_of(history))
    history.causes[1].from = 1600000 -- half a lease before, and more
    assert.same({ ["no owner"] = 1 }, counts_of(history))
  end)

  it("lets a request come late that was sent in time, unless its worker stood still before", function()
    local history = of_two_workers()
    local late = { token = "a", attempt = 2, worker = 1, sent = 1900000, begin = 2450000, stop = 2450000 }
    table.insert(history.requests, late)
    history.causes = { { worker = 1, from = 1000000, to = 2400000 } } -- its network
    assert.same({}, counts_of(history))
    late.sent = 2100000
    assert.same({ ["no owner"] = 1 }, counts_of(history))
    late.sent, late.begin = 1900000, 2490000
    history.causes = { { worker = 1, from = 1000000, to = 2200000, is_stop = true } }
    assert.same({ ["no owner"] = 1 }, counts_of(history))
  end)

  it("finds a request after an end that the store has confirmed", function()
    local history = of_two_workers()
    history.said = { { wait = 1, at = 3400000 } }
    assert.same({ ["an end undone"] = 1 }, counts_of(history))
    history.said[1].at = 3600000
    assert.same({}, counts_of(history))
  end)
end)
