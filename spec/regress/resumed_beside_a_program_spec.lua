---`--resume` reported an old success beside `--start` and `--while`: COMMAND ran against a program that had just been
---started, or beside a wait that no longer held. And bide failed with exit code 70 when time had passed before a wait that
---had ended was taken up.

local Workspace = require "spec.support.workspace"

local waiting = "file there --max-wait 3s -q --journal j"

---What lasts beside the wait when it is recorded, and when it is resumed.
local rows = {
  { name = "the same program is started again", "--start 'sleep 9'", "--start 'sleep 9'" },
  { name = "a program is started", "", "--start 'sleep 9'" },
  { name = "another wait has to hold, and does not", "", "--while tcp 127.0.0.1:1", code = 1 },
  { name = "the same wait has to hold again", "--while command true", "--while command true" },
  { name = "a process has to last", "", "--while-pid $$" },
}

describe("an old success", function()
  local workspace = Workspace.of_each { there = "" }

  for _, row in ipairs(rows) do
    it("is not reported where " .. row.name, function()
      local line = ('"$BIDE" %s %%s %%s -- echo COMMAND %%s'):format(waiting)
      workspace:shell(line:format(row[1], "", ">/dev/full 2>/dev/full"))
      os.remove(workspace.path .. "/there")
      local done = workspace:shell(line:format(row[2], "--resume", ""))
      assert.equal(row.code or 124, done.code, done.stdout .. done.stderr)
      assert.not_matches("COMMAND\n", done.stdout)
      assert.matches("differs in what has to last beside the wait", done.stderr, 1, true)
    end)
  end

  it("is reported after time that bide spent before the waits", function()
    local line = 'AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b "$BIDE" aws dynamodb table-exists TableName=abc '
      .. "--region eu-west-1 --endpoint http://127.0.0.1:1 --max-wait 1s -q --journal j"
    assert.not_equal(70, workspace:shell(line .. " >/dev/full 2>/dev/full").code)
    local done = workspace:shell(line .. " --resume")
    assert.is_true(done.code == 124 or done.code == 3, done.stderr) -- the tries may end before the deadline
    assert.matches("reporting it now", done.stderr, 1, true)
  end)
end)
