---Beside --start, a signal that came just after COMMAND had begun was handled by the wait, which had ended: it reached
---neither COMMAND nor bide, and both went on. A key of the terminal that came then was sent to COMMAND twice.

local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"

describe("a signal that comes as COMMAND begins", function()
  local workspace = Workspace.of_block()
  local library

  setup(function()
    library = workspace.path .. "/signal.so"
    local compiled = process.run({ os.getenv "CC" or "cc", "-shared", "-fPIC", "-o", library, "spec/support/signal_at_spawn.c" },
      { tool = true })
    assert.equal("", compiled.stderr)
    workspace:write("beside", "#!/bin/sh\nexec sleep 5")
    assert.equal(0, process.run({ "chmod", "+x", workspace.path .. "/beside" }, { tool = true }).code)
  end)

  for name, number in pairs { SIGTERM = 15, SIGHUP = 1 } do
    it("reaches COMMAND: " .. name, function()
      if process.is_static then return pending(process.NO_PRELOAD) end
      local preload = (os.getenv "LD_PRELOAD" or "") .. " " .. library
      local done = workspace:bide(
        { "command", "true", "--max-wait", "50s", "--quiet", "--start", "exec sleep 40", "--", "./beside" },
        { env = { LD_PRELOAD = preload, SIGNAL_AT_SPAWN = tostring(number) } })
      assert.equal(128 + number, done.code, done.stderr)
    end)
  end

  it("reaches COMMAND once, if it is a key of the terminal", function()
    if process.is_static then return pending(process.NO_PRELOAD) end
    workspace:write("command.sh", "trap 'echo signalled' INT\ntouch got\nuntil [ -e seen ]; do sleep 0.05; done\nexit 4")
    workspace:write("line.sh", [[LD_PRELOAD="$LD_PRELOAD ./signal.so" SLOW_FORK=500 exec \
      "$BIDE" file FileGone ./seen --max-wait 30s -q --start 'sleep 50' -- sh command.sh]])
    local done = workspace:shell [[{ until [ -e got ] || [ -e ended ]; do sleep 0.01; done; printf '\003'; sleep 1; touch seen
      until [ -e ended ]; do sleep 0.01; done; } | script -qec 'trap : INT; sh line.sh; echo code $?; touch ended' /dev/null]]
    local _, times = done.stdout:gsub("signalled", "")
    assert.equal(1, times, done.stdout)
    assert.matches("code 4", done.stdout)
  end)
end)
