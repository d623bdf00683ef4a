---A worker set aside 500 of the waits that it refuses every 5 seconds: 500,000 of them would have slowed its claims for more
---than an hour, and the worker that takes them would have got 100 a second back.

local Cluster = require "spec.support.store_cluster"
local stores = require "bide.record.store.open"

local cluster = Cluster.installed()
if not cluster then return end

describe("a store with many waits that a worker refuses", function()
  local open = {}

  teardown(function() for _, store in ipairs(open) do store:close() end end)

  local function enter()
    local store = assert(stores.open(cluster:url "wim"))
    open[#open + 1] = store
    return store, assert(store:enter { name = "w", kind = "trusted", version = "0", host = "h", pid = 1, slots = 10,
      queues = { { name = "default", weight = 1 } }, formats = { 0, 1 } })
  end

  ---Has a worker sweep once.
  local function sweep(store, me)
    assert(store:claim(me, { queue = "default", lanes = { 2 }, want = 1, ahead = 0, back = math.maxinteger }))
  end

  local function aside() return cluster:admin("SELECT count(*) FROM bide.turn WHERE lane = 6") end

  it("sets all of them aside after one sweep, some thousands a second, and gives them back", function()
    cluster:submit { waits = 12000 }
    cluster:admin("UPDATE bide.turn SET due = due - 6000000")
    local store, me = enter()
    assert(store:refuse(me, math.tointeger(cluster:admin("SELECT DISTINCT bundle FROM bide.turn"))))
    sweep(store, me)
    assert.equal("500", aside())
    assert(store:reap())
    assert.equal("10500", aside())
    assert(store:reap())
    assert.equal("12000", aside())
    assert.same({}, store.moves)
    local taker, of_taker = enter()
    sweep(taker, of_taker)
    for _ = 1, 2 do assert(taker:reap()) end
    assert.equal("0", aside())
    assert.same({}, taker.moves)
  end)

  it("forgets what it had to move once the worker is gone", function()
    local store, me = enter()
    cluster:admin("UPDATE bide.turn SET due = due - 6000000")
    assert(store:refuse(me, math.tointeger(cluster:admin("SELECT DISTINCT bundle FROM bide.turn"))))
    sweep(store, me)
    assert.is_not_nil(next(store.moves))
    assert(store:leave(me))
    assert(store:reap())
    assert.same({}, store.moves)
  end)
end)
