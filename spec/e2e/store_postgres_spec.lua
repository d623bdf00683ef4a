---The store in PostgreSQL: what every store does, and what only a server does.

local Cluster = require "spec.support.store_cluster"
local directories = require "spec.support.directory"
local leftovers = require "spec.support.leftovers"
local pgbouncer = require "spec.support.pgbouncer"
local service = require "spec.support.service"
local stores = require "bide.record.store.open"
local suite = require "spec.support.store_suite"
local uv = require "luv"

local cluster = Cluster.installed()
if not cluster then return end

setup(function()
  cluster:admin([[
CREATE ROLE eve LOGIN; GRANT bide_submit, bide_worker, bide_watch TO eve;
INSERT INTO bide.queue (name) VALUES ('other');
INSERT INTO bide.queue_grant (role, queue, may_submit, may_work) VALUES ('eve', 1, true, true), ('eve', 2, true, true);]])
end)

local function url_of(role, parameters, port)
  return ("postgres://%s@127.0.0.1:%d/postgres%s"):format(role, port or cluster.port, parameters or "")
end

---@param parameters? string of the URL
---@param port? integer of a pooler
local function new(parameters, port)
  cluster:empty()
  local ids = {}
  return {
    seeds = parameters and 2, -- the shares are the server's, however its verbs are sent
    open = function()
      local store = assert(stores.open(url_of("eve", parameters, port)))
      local enter, mine = store.enter, {}
      store.pause, ids[store] = 0, mine
      function store.enter(self, about)
        local me, failure = enter(self, about)
        mine[#mine + 1] = me and me.id
        return me, failure
      end
      return store
    end,
    kill = function(store)
      cluster:admin(("UPDATE bide.worker SET lease = 1 WHERE id = ANY ('{%s}')"):format(table.concat(ids[store], ",")))
    end,
    age = function(microseconds)
      cluster:admin(([[
UPDATE bide.turn SET due = due - %d, deadline = deadline - %d, next = next - %d;
UPDATE bide.wait SET deadline = deadline - %d, ended = ended - %d;
UPDATE bide.run SET began = began - %d, deadline = deadline - %d, ended = ended - %d;
UPDATE bide.pace SET free = free - %d, used = used - %d, closed_until = closed_until - %d;
UPDATE bide.meta SET maintained = maintained - %d;]]):gsub("%%d", ("%d"):format(microseconds)))
    end,
    close = function()
      for store in pairs(ids) do store:close() end
      uv.run "nowait"
      assert.is_nil(leftovers.find())
    end,
  }
end

suite("a store in PostgreSQL", new, _ENV)
suite("a store in PostgreSQL without prepared statements", function() return new "?prepare=off" end, _ENV)

local program, lacking = pgbouncer.find()

if program then
  local folder = directories.make()
  service.give(folder)
  local pooler = pgbouncer.start(program, folder, cluster.server, { eve = "open sesame" }, 3)
  describe("a pooler", function()
    setup(function() uv.os_setenv("PGPASSWORD", "open sesame") end)
    teardown(function()
      uv.os_unsetenv "PGPASSWORD"
      pooler:stop()
      folder:remove()
    end)
    suite("lets a store be used, in transaction mode", function() return new("?prepare=off", pooler.port) end,
      { describe = describe, it = it, before_each = before_each, after_each = after_each })
  end)
else
  describe("a pooler", function() pending(lacking) end)
end

describe("the server of a store", function()
  local place

  before_each(function() place = new() end)
  after_each(function() place.close() end)

  local function mistake_of(url)
    local store, mistake = stores.open(url)
    assert.is_nil(store)
    return mistake
  end

  local function enter(store)
    return assert(store:enter { name = "w", kind = "trusted", version = "0", host = "h", pid = 1, slots = 9,
      queues = { { name = "default", weight = 1 } }, formats = { 0, 1 } })
  end

  local claim = { queue = "default", lanes = { 2 }, want = 500, ahead = 1000000, back = math.maxinteger }

  ---Ends all connections, as a server that restarts does.
  local function cut()
    cluster:admin("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'eve'")
  end

  it("is refused at the start where it can never serve, with what to do", function()
    assert.matches("bide store init", mistake_of(url_of("eve"):gsub("/postgres$", "/template1")), 1, true)
    assert.matches("make the database first", mistake_of(url_of("eve"):gsub("/postgres$", "/nothing")), 1, true)
    assert.matches("bide store grant", mistake_of(url_of "nobody"), 1, true)
    assert.matches('role "who" does not exist', mistake_of(url_of "who"), 1, true)
    assert.matches("unknown parameter", mistake_of(url_of("eve", "?prepared=off")), 1, true)
    assert.matches("put it into BIDE_STORE", mistake_of "postgres://eve:secret@127.0.0.1/postgres", 1, true)
    assert.not_matches("secret", mistake_of "postgres://eve:secret@127.0.0.1/postgres", 1, true)
    cluster:admin("UPDATE bide.meta SET reads_from = 2, version = 3")
    assert.matches("for a newer bide: it has version 3", mistake_of(url_of "eve"), 1, true)
    cluster:admin("UPDATE bide.meta SET reads_from = 1, version = 2")
    assert(stores.open(url_of "eve")):close()
    cluster:admin("UPDATE bide.meta SET version = 1")
  end)

  it("may be away: every verb says so until it is back, and the worker then compares what it holds", function()
    cluster:submit { waits = 3 }
    local store = place.open()
    local me = enter(store)
    assert.equal(3, #select(2, store:claim(me, claim)))
    cluster.server:stop()
    for _, verb in ipairs { { "claim", claim }, { "beat", { count = 3, sum = 0 } }, { "sync", {} } } do
      local nothing, failure = store[verb[1]](store, me, verb[2])
      assert.same({ nil, "away" }, { nothing, failure.kind }, verb[1])
    end
    local opened = assert(stores.open(url_of "eve"))
    assert.equal("away", select(2, opened:list { what = "queues" }).kind)
    opened:close()
    cluster:begin()
    local cancelled, differs = store:beat(me, { count = 3, sum = 0 })
    assert.same({ {}, true }, { cancelled, differs })
    assert.same({}, assert(store:sync(me, {})))
    assert.equal(3, #select(2, store:claim(me, claim)))
  end)

  it("says by a beat when the store knows other turns than the worker", function()
    cluster:submit { waits = 2 }
    local store = place.open()
    local me = enter(store)
    local _, turns = store:claim(me, claim)
    local hand = {}
    for _, turn in ipairs(turns) do hand[turn.id] = turn end
    local held = require("bide.record.store.verbs").held
    assert.is_false(select(2, store:beat(me, held(hand))))
    hand[turns[1].id] = nil
    assert.is_true(select(2, store:beat(me, held(hand))))
    store:sync(me, { turns[2].id })
    assert.is_false(select(2, store:beat(me, held(hand))))
    cut()
    store:beat(me, held(hand))
    assert.is_true(select(2, store:beat(me, held(hand))))
  end)

  it("refuses what a role may not, and keeps nothing of it", function()
    local store = place.open()
    cluster:admin("INSERT INTO bide.queue (name) VALUES ('closed') ON CONFLICT DO NOTHING")
    local nothing, failure = store:enter { name = "w", kind = "trusted", version = "0", host = "h", pid = 1, slots = 9,
      queues = { { name = "closed", weight = 1 } }, formats = { 0 } }
    local advice = " (run, as an administrator: bide store grant eve --queue closed --submit --work --store URL)"
    assert.same({ nil, "refused", "the role eve may not work in the queue closed" .. advice },
      { nothing, failure.kind, failure.message })
    nothing, failure = store:submit { queue = "closed", lane = 2, need = 1, keeps_going = false, seed = 7, about = "{}",
      submit_digest = "", history = "some", each = function() end }
    assert.same({ nil, "refused", "the role eve may not submit to the queue closed" .. advice },
      { nothing, failure.kind, failure.message })
  end)

  it("sets aside what a worker refuses in its sweeps, and takes it back", function()
    cluster:submit { waits = 3 }
    cluster:admin("UPDATE bide.turn SET due = due - 6000000")
    local store, other = place.open(), place.open()
    local me, taker = enter(store), enter(other)
    assert.is_true(store:refuse(me, math.tointeger(cluster:admin("SELECT DISTINCT bundle FROM bide.turn"))))
    assert.same({}, (select(2, store:claim(me, claim))))
    assert.equal("3", cluster:admin("SELECT count(*) FROM bide.turn WHERE lane = 6"))
    other:claim(taker, claim)
    assert.equal(3, #select(2, other:claim(taker, claim)))
  end)

  it("submits many waits in little memory", function()
    local store = place.open()
    local definition = { bundle = { manifest = "bide-recipe 1 main=/a.lua\n", files = "" }, waiter = "W", body = "{}" }
    local count = tonumber(os.getenv "BIDE_WAITS") or 20000
    local input = '{"n":"' .. ("x"):rep(170) .. '"}'
    collectgarbage()
    local before, most = collectgarbage "count", 0
    local made = assert(store:submit { queue = "default", lane = 2, need = count, keeps_going = true, seed = 7, about = "{}",
      submit_digest = ("d"):rep(32), history = "some", each = function(add)
        for position = 1, count do
          add { definition = definition, input = input, token = "t" .. position, delay = 0,
            max_wait = 600000000 }
          if position % 1000 == 0 then most = math.max(most, collectgarbage "count") end
        end
      end })
    assert.equal(count, made.waits)
    assert.is_true(most - before < 24 * 1024, tostring(most - before))
    assert.equal(tostring(count), cluster:admin("SELECT count(*) FROM bide.turn"))
  end)
end)
