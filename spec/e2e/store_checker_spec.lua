---The checker of `make kills`, on stores whose fences were taken away: it must find what then goes wrong. Two workers call the
---verbs as they come where one of them was thought dead; what each of them asks of the service is noted.

local Cluster = require "spec.support.store_cluster"
local checker = require "spec.kills.checker"

local cluster, missing = Cluster.start()

---Replaces texts in the functions of the schema, until `restore` is called.
---@param changes string[][] the name of a function, a text of it, and another one
---@return fun() restore
local function mutate(changes)
  local before = {}
  for _, change in ipairs(changes) do
    local name, text, other = table.unpack(change)
    local definition = cluster:sql("postgres", "SELECT pg_get_functiondef('bide." .. name .. "'::regproc)")
    local first, last = definition:find(text, 1, true)
    assert(first, name .. " has no " .. text)
    before[#before + 1] = definition
    while first do
      definition = definition:sub(1, first - 1) .. other .. definition:sub(last + 1)
      first, last = definition:find(text, first + #other, true)
    end
    cluster:sql("postgres", definition .. ";")
  end
  return function()
    for position = #before, 1, -1 do cluster:sql("postgres", before[position] .. ";") end
  end
end

describe("the checker of histories", function()
  if not cluster then return pending(missing) end

  local requests, now

  setup(function() cluster:install() end)
  teardown(function() cluster:stop() end)
  before_each(function()
    cluster:empty()
    cluster:submit()
    requests, now = {}, 0
  end)

  local function sql(text) return cluster:sql("wim", text) end

  ---Notes that a worker asks the service.
  local function ask(me, attempt)
    now = now + 1000000
    requests[#requests + 1] = { token = "t1", attempt = attempt, worker = me, begin = now, stop = now }
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
    cluster:sql("postgres", "UPDATE bide.worker SET lease = 1 WHERE id = " .. me)
    sql "SELECT bide.reap(true)"
  end

  local function beat(me, count, sum)
    return sql(("SELECT matches FROM bide.beat(%s, %d, %d)"):format(me, count, sum)) == "t"
  end

  ---Checks what the service and the store know now.
  ---@return table<string, integer>
  local function counts(attempts)
    local history = { waits = {}, recorded = {}, owned = {}, requests = requests, attempts_of = function() return attempts end }
    local rows = cluster:sql("postgres", "SELECT id, token, attempts, outcome::json ->> 'state' FROM bide.wait")
    local id, token, made, state = rows:match "^(%d+)|([^|]*)|(%d*)|(%a*)$"
    history.waits[1] = { id = math.tointeger(id), token = token, attempts = math.tointeger(made),
      state = state ~= "" and state or nil }
    for wait, attempt in cluster:sql("postgres", "SELECT wait, attempt FROM bide.attempt"):gmatch "(%d+)|(%d+)" do
      table.insert(history.recorded, { wait = math.tointeger(wait), attempt = math.tointeger(attempt) })
    end
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
      { "settle", "t.worker IS NOT DISTINCT FROM me AND t.attempts = u.n - 1", "true" },
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
    cluster:sql("postgres", "UPDATE bide.turn SET attempts = 0; TRUNCATE bide.attempt")
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

  it("excuses the one request that a worker was about to send when it was stopped", function()
    local history = {
      waits = { { id = 1, token = "a", state = "success", attempts = 2, ended = 1000000 } },
      recorded = { { wait = 1, attempt = 1 }, { wait = 1, attempt = 2 } }, owned = {}, resumed = { 3000000 },
      requests = {
        { token = "a", attempt = 1, worker = 1, begin = 100000, stop = 100000 },
        { token = "a", attempt = 2, worker = 2, begin = 900000, stop = 900000 },
        { token = "a", attempt = 2, worker = 1, begin = 3000400, stop = 3000400 },
      },
      attempts_of = function() return 2 end,
    }
    assert.same({}, checker.check(history))
    table.insert(history.requests, { token = "a", attempt = 2, worker = 1, begin = 3000500, stop = 3000500 })
    assert.same({ ["attempt after the end"] = 1 }, checker.counts(checker.check(history)))
    history.resumed = { 2900000 }
    assert.same({ ["attempt after the end"] = 2 }, checker.counts(checker.check(history)))
  end)
end)
