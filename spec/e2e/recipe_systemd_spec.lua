local Directory = require "spec.support.directory"
local Systemd = require "spec.support.systemd"
local process = require "spec.support.process"
local uv = require "luv"

require "spec.support.proven"

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
    started:wait():prints(0, '"waiter": "UnitActive"', '"ActiveState": "active"')
    started = start("UnitInactive", "unit=slow.service", "--max-wait", "20s")
    started:wait_for_output "attempt 1"
    systemd:control("stop", "slow.service")
    assert.equal(0, started:wait().code, started.stderr)
  end)

  it("fails with a unit that fails, and says how", function()
    systemd:run("bad.service", "[Service]\nExecStart=/bin/sh -c 'sleep 0.3; exit 3'\n")
    run("UnitInactive", "unit=bad.service", "--max-wait", "20s"):says(1, "the unit has failed: exit-code")
    assert.equal(1, run("unit=bad.service", "--max-wait", "20s").code)
  end)

  it("fails at once where there is no such unit, or no service manager", function()
    local done = run("unit=nonsense.service", "--max-wait", "20s")
    done:says(1, "there is no such unit")
    done = process.run({ process.bide, "run", "systemd", "unit=x.service", "scope=user", "--max-wait", "50s" },
      { env = { XDG_RUNTIME_DIR = directory.path .. "/none", DBUS_SESSION_BUS_ADDRESS = false } })
    done:says(3, "SystemdFailure: Failed to connect to bus")
  end)

  ---Writes a job that runs until there is a file, and ends with an exit code.
  local function job(name, marker, code, more)
    local script = "until test -e %s; do sleep 0.05; done; exit %d"
    return name .. ".service", ("[Service]\nType=oneshot\n%sExecStart=/bin/sh -c '" .. script .. "'\n")
      :format(more or "", marker, code)
  end

  local function finish(...) return start("UnitFinished", "--max-wait", "20s", "--output", "json", ...) end

  it("waits until a job has run, though systemd forgets it then", function()
    local marker = directory.path .. "/go"
    directory:write("systemd/user/job.service", select(2, job("job", marker, 0)))
    systemd:control "daemon-reload"
    local started = finish("unit=job.service")
    uv.sleep(400)
    systemd:control("start", "--no-block", "job.service")
    uv.sleep(600) -- it looks at least once while the job runs
    uv.run "nowait"
    assert.is_nil(started.code)
    directory:write("go", "")
    started:wait():prints(0, '"finished": true')
    assert.equal(124, run("UnitFinished", "unit=job.service", "--max-wait", "0.5s").code)
  end)

  it("takes a job that stays active after its end for finished", function()
    systemd:run(job("kept", directory.path, 0, "RemainAfterExit=yes\n"))
    assert.equal(0, finish("unit=kept.service"):wait().code)
  end)

  it("takes a script of SysV's init that has ended for finished, of which systemd knows no main program", function()
    systemd:run("script.service", "[Service]\nType=forking\nRemainAfterExit=yes\nGuessMainPID=no\nExecStart=/bin/true\n")
    assert.equal(0, finish("unit=script.service"):wait().code)
    assert.equal(0, finish("unit=script.service", "age=1m"):wait().code)
    uv.sleep(100)
    run("UnitFinished", "unit=script.service", "age=0.1s", "--max-wait", "3s"):says(124, "no run of it has ended within age")
  end)

  it("waits for the program of a unit that has only one for its stop", function()
    local marker = directory.path .. "/stop"
    systemd:run("only-stop.service", ("[Service]\nType=oneshot\nRemainAfterExit=yes\n"
      .. "ExecStop=/bin/sh -c 'until test -e %s; do sleep 0.05; done'\n"):format(marker))
    assert.equal(0, run("unit=only-stop.service", "--max-wait", "20s").code)
    for _, age in ipairs { "1m", "1d" } do
      local done = run("UnitFinished", "unit=only-stop.service", "age=" .. age, "--max-wait", "0.5s")
      done:says(124, "the unit is active, and has only a program for its stop")
    end
    local started = finish "unit=only-stop.service"
    uv.sleep(400)
    systemd:control("stop", "--no-block", "only-stop.service")
    uv.sleep(600)
    uv.run "nowait"
    assert.is_nil(started.code)
    directory:write("stop", "")
    assert.equal(0, started:wait().code, started.stdout .. started.stderr)
  end)

  it("fails with a job that fails, and says how", function()
    systemd:run(job("broken", directory.path, 3))
    finish("unit=broken.service"):wait():prints(1, "the unit has failed: exit-code")
    assert.equal(1, finish("unit=nonsense.service"):wait().code)
  end)

  it("knows the last run of what a timer starts, and how long ago it was", function()
    directory:write("systemd/user/timed.service", select(2, job("timed", directory.path, 0)))
    systemd:run("timed.timer", "[Timer]\nOnActiveSec=1\nAccuracySec=1ms\n")
    assert.equal(0, finish("unit=timed.service"):wait().code)
    assert.equal(0, finish("unit=timed.service", "age=1m"):wait().code)
    uv.sleep(100)
    assert.equal(124, run("UnitFinished", "unit=timed.service", "age=0.1s", "--max-wait", "0.5s").code)
  end)

  it("names an input that is mistyped or missing", function()
    assert.matches("unit: expected .*, found nothing", run("--max-wait", "50s").stderr)
    assert.matches('unknown input "unti", did you mean "unit"%?', run("unti=x", "--max-wait", "50s").stderr)
    local done = process.run { process.bide, "run", "systemd", "unit=x", "scope=global", "--max-wait", "50s" }
    assert.matches("scope: expected one of system, user", done.stderr)
  end)
end)
