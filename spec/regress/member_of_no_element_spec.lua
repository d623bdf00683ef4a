---`jobs[0].state != 'pending'` was a yes for a list without jobs: nothing was asked of an element that is not there, so the
---member did not count as one that no answer had.

local Workspace = require "spec.support.workspace"

---Each row: the answer, the condition, and the exit code.
local rows = {
  { '{"jobs":[]}', "jobs[0].state != 'pending'", 4 }, { '{"jobs":[]}', "jobs[-1].state != 'pending'", 4 },
  { '{"jobs":[]}', "!(jobs[0].state)", 4 }, { '{"jobs":[]}', "jobs[0].a.b != 'x'", 4 },
  { '{"jobs":[]}', "jobs[?id=='a'] | [0].state != 'pending'", 4 },
  { '{"jobs":[{"state":"done"}]}', "jobs[1].state != 'pending'", 4 },
  { '{"jobs":[[]]}', "jobs[0][0].state != 'pending'", 4 },
  { '{"jobs":[{"state":"done"}]}', "jobs[0].state != 'pending'", 0 },
  { '{"jobs":[{"state":"done"}]}', "jobs[0].state != 'x' && jobs[1].state != 'x'", 4 },
  { '{"jobs":[]}', "length(jobs) == `0` || jobs[0].state != 'pending'", 0 },
  { '{"jobs":[]}', "jobs[0].state == `null`", 0 },
}

describe("a condition on a member of an element that is not there", function()
  local workspace = Workspace.of_block()

  for _, row in ipairs(rows) do
    local printed, condition, code = table.unpack(row)
    it(("%s on %s: %d"):format(condition, printed, code), function()
      workspace:write("printed", printed)
      local words = { "command", "cat printed", "--max-wait", "30s", "--max-attempts", "1", "--quiet", "--until", condition }
      workspace:bide(words):ends(code)
    end)
  end
end)
