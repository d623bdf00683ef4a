---The lease of a worker of a store in PostgreSQL: when it begins nothing, what it drops, what it compares, and what it gives
---back. The worker is a process of its own, beyond a proxy.

local harness = require "spec.kills.harness"
local luv = require "luv"

---The lease, in milliseconds.
local LEASE = 2500

local probe, missing = harness.start(LEASE)

describe("a worker of a store in PostgreSQL", function()
  if not probe then return pending(missing) end

  local cluster = probe.cluster

  local function count(from) return math.tointeger(tonumber(cluster:admin("SELECT count(*) FROM " .. from))) end
  local function await(holds) assert.is_true(harness.turn(20, holds), "it did not happen within 20 s") end
  local function asked() return #probe.requests end

  before_each(function()
    cluster:empty()
    cluster:admin "TRUNCATE owner_log"
    probe.answer = function() return { silent = true } end
    probe.requests = {}
  end)
  after_each(function()
    probe.proxy:resume()
    probe:forget()
  end)
  teardown(function() probe:stop() end)

  it("begins nothing once half of its lease is over, and cuts what is in flight", function()
    probe:submit(5)
    local worker = probe:work { by_proxy = true }
    await(function() return asked() == 5 end)
    probe.proxy:stop "both"
    await(function() return probe.service:open_connections() == 0 end) -- cut, before anybody may take the turns
    assert.equal(5, count "bide.turn WHERE worker IS NOT NULL")
    assert.is_nil(worker.code)
    harness.turn(LEASE / 1000)
    assert.equal(5, asked())
  end)

  it("drops everything that another one has taken meanwhile, and enters anew", function()
    local run = probe:submit(5)
    probe:work { by_proxy = true }
    await(function() return asked() == 5 end)
    local first = cluster:admin "SELECT id FROM bide.worker"
    probe.proxy:stop "both"
    probe.answer = nil
    probe:work()
    await(function() return probe:has_ended(run) end)
    assert.equal(0, count("bide.worker WHERE id = " .. first))
    probe.proxy:resume()
    await(function() return count "bide.worker" == 2 end)
    assert.equal(0, count "bide.turn")
  end)

  it("keeps what it has decided while the store is away, and writes it after", function()
    probe.answer = function() return { delay = 0.3, body = "{}", headers = { ["Content-Type"] = "application/json" } } end
    probe:submit(3)
    probe:work { by_proxy = true }
    await(function() return asked() == 3 end)
    probe.proxy:stop "to_server"
    harness.turn(0.5)
    probe.proxy:resume()
    await(function() return count "bide.turn WHERE attempts >= 1" == 3 end)
    local first = 0
    for _, request in ipairs(probe.requests) do first = first + (request.attempt == 1 and 1 or 0) end
    assert.equal(3, first)
  end)

  it("releases what it does not hold, and drops what the store has otherwise, within some beats", function()
    probe:submit(4)
    probe:work()
    await(function() return asked() == 4 end)
    -- As after a failover that has lost the answer of a claim, and a settle.
    cluster:admin [[UPDATE bide.turn SET attempts = 1, state = 'x', format = 1 WHERE id = (SELECT min(id) FROM bide.turn);
      INSERT INTO bide.wait (id, run, position, definition, deadline, input)
        SELECT 77, run, 77, definition, deadline, '{"token":"lost"}' FROM bide.wait LIMIT 1;
      INSERT INTO bide.turn (id, due, deadline, worker, queue, bundle, definition, format, state)
        SELECT 77, deadline - 1000000, deadline, worker, queue, bundle, definition, 0, '' FROM bide.turn LIMIT 1]]
    await(function() return count "bide.turn WHERE id = 77 AND worker IS NULL" == 1 end)
    await(function() return count "owner_log WHERE worker IS NULL AND wait < 77" >= 1 end)
  end)

  it("beats while a claim waits for a lock", function()
    probe:submit(2)
    probe:work()
    await(function() return asked() == 2 end)
    local release = cluster:hold "LOCK TABLE bide.queue_grant IN ACCESS EXCLUSIVE MODE" -- which a claim reads
    local first = cluster:admin "SELECT id FROM bide.worker"
    harness.turn(2 * LEASE / 1000)
    assert.equal(first, cluster:admin "SELECT id FROM bide.worker WHERE lease > bide.clock()")
    assert.equal(2, probe.service:open_connections())
    release()
  end)

  it("gives back what it holds at a signal, whatever the store does", function()
    probe:submit(5)
    local worker = probe:work { by_proxy = true }
    await(function() return asked() == 5 end)
    worker:kill "sigterm"
    worker:wait()
    assert.same({ 0, 0, 5 }, { worker.code, count "bide.worker", count "bide.turn WHERE worker IS NULL AND due <= bide.clock()" })
    worker = probe:work { by_proxy = true }
    await(function() return asked() == 10 end)
    probe.proxy:stop "both"
    local signalled = luv.hrtime()
    worker:kill "sigterm"
    worker:wait()
    assert.equal(0, worker.code)
    assert.is_true(luv.hrtime() - signalled < 6e9) -- less than a second, but for a busy machine; a verb has 30 s for its answer
  end)

  it("has its waits begun again soon after it was killed, and sooner after a signal", function()
    probe:submit(5)
    local worker = probe:work()
    await(function() return asked() == 5 end)
    probe:work()
    await(function() return count "bide.worker" == 2 end)
    harness.turn(1)
    local began = luv.hrtime()
    worker:kill "sigkill"
    await(function() return asked() == 10 end)
    local killed = (luv.hrtime() - began) / 1e9
    probe:work()
    await(function() return count "bide.worker" == 2 end)
    began = luv.hrtime()
    probe.workers[2]:kill "sigterm"
    await(function() return asked() == 15 end)
    local signalled = (luv.hrtime() - began) / 1e9
    assert.is_true(signalled < killed)
  end)
end)
