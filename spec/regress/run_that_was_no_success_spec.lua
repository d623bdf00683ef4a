---UnitFinished succeeded for a run that systemd had skipped (ExecCondition=) or ended, whose unit is inactive and not failed.

local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"
local uv = require "luv"

describe("a unit that is inactive", function()
  local workspace = Workspace.of_block()

  local function run(result)
    local script = ("#!/bin/sh\nprintf 'LoadState=loaded\\nActiveState=inactive\\nSubState=dead\\nInvocationID=abc\\n"
      .. "InactiveEnterTimestampMonotonic=100\\n%s'\n"):format(result and ("Result=%s\\n"):format(result) or "")
    assert(uv.fs_chmod(workspace:write("systemctl", script), tonumber("755", 8)))
    return process.run({ process.bide, "systemd", "UnitFinished", "web.service", "--max-wait", "500ms", "--quiet" },
      { env = { PATH = workspace.path .. ":" .. os.getenv "PATH" } })
  end

  it("has not finished if its last run was none", function()
    for _, result in ipairs { "exec-condition", "exit-code", "timeout", "signal" } do
      run(result):says(124, "the unit is inactive, and its last run: " .. result)
    end
  end)

  it("has finished after a success, and where its kind has no result", function()
    assert.equal(0, run "success".code)
    assert.equal(0, run(nil).code)
  end)
end)
