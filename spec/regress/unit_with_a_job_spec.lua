---UnitInactive succeeded for a unit that was about to start: between the halves of a restart, or until what it needs had
---started. UnitActive succeeded for one that was about to stop.

local Directory = require "spec.support.directory"
local Systemd = require "spec.support.systemd"
local process = require "spec.support.process"

local directory = Directory.make()
local systemd, missing = Systemd.start(directory)
if not systemd then directory:remove() end

describe("a unit with a job", function()
  if not systemd then return it("waits", function() pending(missing) end) end

  teardown(function()
    systemd:stop()
    directory:remove()
  end)

  it("is not inactive while it is to start", function()
    local marker = directory.path .. "/marker"
    systemd:run("needed-first.service", ("[Service]\nType=oneshot\nExecStart=/bin/sh -c 'until test -e %s; do sleep 0.05; done'\n"
      .. "RemainAfterExit=yes\n"):format(marker))
    systemd:run("to-start.service", "[Unit]\nRequires=needed-first.service\nAfter=needed-first.service\n[Service]\nType=oneshot\n"
      .. "ExecStart=/bin/true\n")
    local function run(max_wait)
      return process.run({ process.bide, "systemd", "UnitInactive", "to-start.service", "scope=user", "--interval", "50ms",
        "--max-wait", max_wait }, { env = systemd.env })
    end
    local done = run "500ms"
    done:says(124, "JobQueued: the unit is inactive")
    directory:write("marker", "")
    done = run "20s"
    assert.equal(0, done.code, done.stderr)
  end)
end)
