---A program named systemctl that exits with 0 and does not say what state the unit has, as substitutes in containers may do,
---was asked again until the deadline, and the outcome said nothing of it.

local uv = require "luv"
local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"

describe("a systemctl that says nothing of the unit", function()
  local workspace = Workspace.of_block()

  local function run(script, waiter)
    assert(uv.fs_chmod(workspace:write("systemctl", "#!/bin/sh\n" .. script .. "\n"), tonumber("755", 8)))
    return process.run({ process.bide, "run", "systemd", waiter, "web.service", "--max-wait", "5s", "--quiet" },
      { env = { PATH = workspace.path .. ":" .. os.getenv "PATH" } })
  end

  for _, waiter in ipairs { "UnitActive", "UnitInactive", "UnitFinished" } do
    it("is an error for " .. waiter, function()
      for _, script in ipairs { "exit 0", "echo '<html>'", "echo ActiveState=", "echo LoadState=loaded",
        "echo ActiveState=inactive; echo Result=success; echo SubState=exited", "echo ActiveState=active; echo LoadState=" } do
        local done = run(script, waiter)
        assert.equal(3, done.code, script .. ": " .. done.stdout)
        assert.matches("error InvalidAnswer: systemctl has not said in what state the unit is", done.stderr, 1, true)
      end
    end)

    it("is named by its exit code for " .. waiter, function()
      run("exit 4", waiter):says(3, "error SystemdFailure: systemctl has ended with the exit code 4")
    end)
  end
end)
