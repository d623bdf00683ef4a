---What becomes of the waits of a store in PostgreSQL when a worker or the server is killed, or stands still.

local Cluster = require "spec.support.store_cluster"
local luv = require "luv"
local process = require "spec.support.process"

local cluster, missing = Cluster.start_on_disk(nil, "fsync=on")

---The lease of workers, in seconds; the waits of a run, and the attempts of each.
local LEASE, WAITS, ATTEMPTS = 1, 400, 12

describe("the waits of a store in PostgreSQL", function()
  if not cluster then return pending(missing) end

  local started

  setup(function()
    cluster:install()
    cluster:admin(([[
CREATE ROLE eve LOGIN; GRANT bide_worker TO eve;
INSERT INTO bide.queue_grant (role, queue, may_work) VALUES ('eve', 1, true);
UPDATE bide.setting SET value = %d WHERE name = 'lease';]]):format(LEASE * 1000000))
  end)
  teardown(function() cluster:stop() end)

  before_each(function()
    cluster:empty()
    started = {}
  end)
  after_each(function()
    for _, one in ipairs(started) do
      one:kill "sigkill"
      one:wait()
    end
  end)

  local function worker()
    local one = process.start({ process.lua, "spec/support/store_loop.lua",
      cluster:url "eve", tostring(ATTEMPTS) },
      { env = { LUA_PATH = "./lua/?.lua;./lua/?/init.lua;;", LUA_CPATH = package.cpath } })
    started[#started + 1] = one
    return one
  end

  local function recorded() return tonumber(cluster:admin("SELECT count(*) FROM bide.attempt")) end

  ---Waits until as many attempts are recorded.
  local function await_attempts(count)
    local deadline = luv.hrtime() + 60e9
    while recorded() < count do
      for _, one in ipairs(started) do assert(not one.code or one.signal == 9, one.stderr) end
      assert(luv.hrtime() < deadline, "the workers do not go on")
      luv.run "nowait"
      luv.sleep(50)
    end
  end

  ---Nothing is lost, and each attempt of each wait is recorded once.
  local function check(run)
    await_attempts(WAITS * ATTEMPTS)
    assert.equal(("0|%d|success"):format(WAITS), cluster:admin(
      "SELECT open, succeeded, outcome FROM bide.run WHERE id = " .. run))
    assert.equal("0", cluster:admin(([[SELECT count(*) FROM (SELECT w.id FROM bide.wait w
      LEFT JOIN bide.attempt a ON a.wait = w.id GROUP BY w.id
      HAVING count(*) <> %d OR count(DISTINCT a.attempt) <> %d OR w.attempts <> %d) x]]):gsub("%%d", ATTEMPTS)))
    assert.equal("0", cluster:admin("SELECT count(*) FROM bide.turn"))
  end

  it("go on at another worker when one is killed", function()
    local killed, run = worker(), cluster:submit { waits = WAITS }
    await_attempts(WAITS)
    worker()
    for _ = 1, 3 do
      await_attempts(math.min(recorded() + WAITS, WAITS * (ATTEMPTS - 1)))
      killed:kill "sigkill"
      killed:wait()
      killed = worker()
    end
    check(run)
  end)

  it("are written once when one stands still for twice its lease, and goes on", function()
    local stopped, run = worker(), cluster:submit { waits = WAITS }
    worker()
    await_attempts(WAITS)
    luv.kill(stopped.pid, "sigstop")
    luv.sleep(2 * LEASE * 1000)
    luv.kill(stopped.pid, "sigcont")
    check(run)
    assert.is_nil(stopped.code)
  end)

  it("are all there when the server is killed and comes back", function()
    local run = cluster:submit { waits = WAITS }
    worker()
    worker()
    await_attempts(WAITS)
    cluster.server:stop "sigkill"
    luv.sleep(500)
    cluster:begin "fsync=on"
    check(run)
  end)
end)
