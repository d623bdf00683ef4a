---UnitFinished with age= succeeded for a run that had ended long before, if its unit has RemainAfterExit: that is active, as
---exited, ever since. Once it was stopped, the time of that was taken for the end of the run.

local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"
local uv = require "luv"

---What the unit is, how many seconds ago its run has ended, and the exit code with age=20s.
local rows = {
  { "ActiveState=active\nSubState=exited", 30, 124 },
  { "ActiveState=active\nSubState=exited", 1, 0 },
  { "ActiveState=active\nSubState=exited", nil, 124 },
  { "ActiveState=inactive\nSubState=dead", 30, 124 },
  { "ActiveState=inactive\nSubState=dead", 1, 0 },
  { "ActiveState=active\nSubState=running", 1, 124 },
}

describe("the last run of a unit", function()
  local workspace = Workspace.of_block()

  local function instant(ago)
    return ago and math.max(uv.hrtime() // 1000 - ago * 1000000, 1) or 0
  end

  ---@param ago number|{ stopped: number, exited: number? }? when the unit was stopped, and when its program has exited
  local function run(state, ago, ...)
    local times = type(ago) == "table" and ago or { stopped = ago, exited = ago }
    local said = ("LoadState=loaded\n%s\nResult=success\nInvocationID=abc\nInactiveEnterTimestampMonotonic=%d\n"
      .. "ExecMainExitTimestampMonotonic=%d\n"):format(state, instant(times.stopped), instant(times.exited))
    workspace:write("said", said)
    local script = ("#!/bin/sh\ncat '%s/said'\n"):format(workspace.path)
    assert(uv.fs_chmod(workspace:write("systemctl", script), tonumber("755", 8)))
    return process.run({ process.bide, "systemd", "UnitFinished", "web.service", "--quiet", "--max-wait", "500ms", ... },
      { env = { PATH = workspace.path .. ":" .. os.getenv "PATH" } })
  end

  for _, row in ipairs(rows) do
    local state, ago, code = table.unpack(row)
    it(("is no older than age: %s, %s s ago: %d"):format(state:gsub("\n", " "), ago, code), function()
      local done = run(state, ago, "age=20s")
      assert.equal(code, done.code, done.stdout .. done.stderr)
      if not state:find "running" and code == 124 then
        assert.matches(ago and "no run of it has ended within age" or "has only a program for its stop", done.stderr, 1, true)
      end
    end)
  end

  it("has ended when its program did, and not when the unit was stopped", function()
    local stopped = "ActiveState=inactive\nSubState=dead\nRemainAfterExit=yes"
    assert.equal(124, run(stopped, { stopped = 1, exited = 30 }, "age=20s").code)
    assert.equal(0, run(stopped, { stopped = 1, exited = 1 }, "age=20s").code)
    assert.equal(0, run(stopped, { stopped = 1 }, "age=20s").code)
    assert.equal(0, run(stopped, { stopped = 1, exited = 30 }).code)
    assert.equal(0, run((stopped:gsub("yes", "no")), { stopped = 1, exited = 30 }, "age=20s").code)
  end)

  it("may be of any time without age, but there must have been one", function()
    assert.equal(124, run("ActiveState=active\nSubState=exited", nil).code)
    assert.equal(0, run("ActiveState=active\nSubState=exited", 30).code)
    assert.equal(0, run("ActiveState=inactive\nSubState=dead", 30).code)
  end)
end)
