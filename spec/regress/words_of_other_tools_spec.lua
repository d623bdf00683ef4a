---What people write out of habit was answered by a list of all that is allowed, or by a wrong guess: durations of other tools,
---`contains=` and `sql=`, `command ls -la` as if `-l` were --verbose, `kubernetes_rollout deployment/web`.

local Workspace = require "spec.support.workspace"

local duration = "expected a duration such as 300, 300s, 5m, 1h30m or 250ms, found "

local rows = {
  { "tcp x:1 --max-wait 1min", duration .. '"1min", did you mean "1m"?' },
  { "tcp x:1 --max-wait '5 s'", duration .. '"5 s", did you mean "5s"?' },
  { "tcp x:1 --max-wait 00:05:00", duration .. '"00:05:00", did you mean "5m"?' },
  { "tcp x:1 --max-wait PT1H30M", duration .. '"PT1H30M", did you mean "1h30m"?' },
  { "tcp x:1 --max-wait 1m30", duration .. '"1m30", did you mean "1m30s"?' },
  { "tcp x:1 --max-wait 1,5m", duration .. '"1,5m", did you mean "1.5m"?' },
  { "tcp x:1 --max-wait '1 hour, 5 minutes'", duration .. '"1 hour, 5 minutes", did you mean "1h5m"?' },
  { "tcp x:1 --max-wait 1w", duration .. '"1w" (see' },
  { "tcp x:1 timeout=1min --max-wait 1s", 'or a number of seconds, found "1min"; write 1m\n' },
  { "file x contains=y --max-wait 1s", 'unknown input "contains", did you mean "expect"?\n' },
  { "file x --contains y --max-wait 1s", "unknown option '--contains': inputs are KEY=VALUE, here expect=y" },
  { "http x code=200 --max-wait 1s", 'unknown input "code", did you mean "status"?\n' },
  { "tcp x:1 code=5 --max-wait 1s", 'unknown input "code", expected one of host, port, ' },
  { "postgres db sql=x --max-wait 1s",
    'unknown input "sql", did you mean "query"? Name a waiter that takes it: RowFound, RowGone\n' },
  { "command ls -la --max-wait 1s", "unknown option '-l': inputs are KEY=VALUE, here 'ls -la'" },
  { "command --max-wait 1s -- ls -la", "expected either run, a command in one word such as 'ls -l', or argv; found neither\n" },
  { "kubernetes_rollout deployment/web server=http://x --max-wait 1s",
    'name: expected the name alone, web, found "deployment/web"\n' },
}

describe("a habit from another tool", function()
  local workspace = Workspace.of_each()

  for _, row in ipairs(rows) do
    it("is answered with what to write: " .. row[1], function()
      workspace:shell('"$BIDE" ' .. row[1]):says(2, row[2])
    end)
  end
end)
