---`--resume` reported a recorded failure as a success, and ran COMMAND, where the state of its outcome alone said so; and it
---slept beyond the deadline where the recorded delay was longer than the wait. A zero byte in the name of a waiter ended
---`bide journal list` with a stack trace.

local Workspace = require "spec.support.workspace"
local journal = require "spec.support.journal"

local line = '"$BIDE" command false -q --max-wait 100ms --journal j%s -- echo COMMAND%s'

describe("a recorded wait", function()
  local workspace = Workspace.of_each()

  before_each(function() workspace:shell(line:format("", " >/dev/full 2>/dev/full")) end)

  local function resume_after(statement)
    journal.query(workspace.path .. "/j", statement)
    return workspace:shell(line:format(" --resume", ""), 10)
  end

  for _, members in ipairs {
    "'$.state', 'success'", "'$.state', 'success', '$.reason', 'acceptor'",
    "'$.state', 'success', '$.reason', 'acceptor', '$.acceptor', 1", "'$.reason', 'acceptor'",
  } do
    it("is refused if its outcome contradicts itself: " .. members, function()
      local done = resume_after(("UPDATE wait SET outcome = json_set(outcome, %s)"):format(members))
      done:says(2, "it is broken: wait.outcome")
      assert.equal("", done.stdout)
    end)
  end

  it("is refused if the name of its waiter has a zero byte", function()
    resume_after("UPDATE run SET waiter = x'00ff'"):says(2, "it is broken: run.waiter: expected a text")
    workspace:shell('"$BIDE" journal list --journal j'):says(2, "it is broken: run.waiter: expected a text")
  end)

  it("does not sleep beyond its deadline", function()
    journal.query(workspace.path .. "/j", "UPDATE run SET ended = NULL")
    resume_after("UPDATE wait SET outcome = NULL, attempts = attempts - 1, elapsed = 0, delay = 10000000"):ends(124)
  end)
end)
