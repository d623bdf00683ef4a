local Directory = require "spec.support.directory"
local Systemd = require "spec.support.systemd"
local process = require "spec.support.process"

describe("the recipe systemd, with a service manager", function()
  local directory = Directory.make()
  local systemd, missing = Systemd.start(directory)
  if not systemd then
    directory:remove()
    return pending(missing)
  end

  teardown(function()
    systemd:stop()
    directory:remove()
  end)

  local function start(...)
    return process.start({ process.bide, "run", "systemd", "scope=user", "--min-delay", "50ms", "--max-delay", "50ms", ... },
      { env = systemd.env })
  end

  local function run(...) return start(...):wait() end

  it("waits until a unit is active, and until it is not", function()
    local marker = directory.path .. "/marker"
    systemd:run("slow.service", ("[Service]\nType=oneshot\nExecStart=/bin/sh -c 'until test -e %s; do sleep 0.05; done'\n"
      .. "RemainAfterExit=yes\n"):format(marker))
    local started = start("unit=slow.service", "--max-wait", "20s", "--output", "json")
    started:wait_for_output "attempt 1"
    directory:write("marker", "")
    assert.equal(0, started:wait().code, started.stderr)
    assert.matches('"waiter": "UnitActive"', started.stdout)
    assert.matches('"ActiveState": "active"', started.stdout)
    started = start("UnitInactive", "unit=slow.service", "--max-wait", "20s")
    started:wait_for_output "attempt 1"
    systemd:control("stop", "slow.service")
    assert.equal(0, started:wait().code, started.stderr)
  end)

  it("fails with a unit that fails, and says how", function()
    systemd:run("bad.service", "[Service]\nExecStart=/bin/sh -c 'sleep 0.3; exit 3'\n")
    local done = run("UnitInactive", "unit=bad.service", "--max-wait", "20s")
    assert.equal(1, done.code, done.stderr)
    assert.matches("the unit has failed: exit%-code", done.stdout)
    assert.equal(1, run("unit=bad.service", "--max-wait", "20s").code)
  end)

  it("fails at once where there is no such unit, or no service manager", function()
    local done = run("unit=nonsense.service", "--max-wait", "20s")
    assert.equal(1, done.code)
    assert.matches("there is no such unit", done.stdout)
    done = process.run({ process.bide, "run", "systemd", "unit=x.service", "scope=user", "--max-wait", "5s" },
      { env = { XDG_RUNTIME_DIR = directory.path .. "/none", DBUS_SESSION_BUS_ADDRESS = false } })
    assert.equal(3, done.code)
    assert.matches("SystemdFailure: Failed to connect to bus", done.stdout)
  end)

  it("names an input that is mistyped or missing", function()
    assert.matches("unit: expected .*, found nothing", run("--max-wait", "1s").stderr)
    assert.matches('unknown input "unti", did you mean "unit"%?', run("unti=x", "--max-wait", "1s").stderr)
    assert.matches("scope: expected one of system, user", run("unit=x", "scope=global", "--max-wait", "1s").stderr)
  end)
end)
