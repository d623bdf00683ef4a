---An acceptor of botocore that expects a number, or with `pathAny` a boolean, was converted to one that compares strings, and
---never matched: a failure was no failure.

local Workspace = require "spec.support.workspace"

---A matcher, what it expects, an answer, and whether it matches, as in botocore.
local rows = {
  { "path", "1", "1", true }, { "path", "1", "1.0", true }, { "path", "1", "2", false }, { "path", "0", "0", true },
  { "path", "1", '"1"', false }, { "path", "1", "[1]", false }, { "path", "1", "null", false }, { "path", "-0.5", "-0.5", true },
  { "pathAll", "1", "[1, 1]", true }, { "pathAll", "1", "[1, 2]", false }, { "pathAll", "1", "[]", false },
  { "pathAll", "1", "1", false }, { "pathAll", "1", '"x"', false }, { "pathAll", "1", "null", false },
  { "pathAny", "1", "[2, 1]", true }, { "pathAny", "1", "[2]", false }, { "pathAny", "1", "1", false },
  { "pathAny", "1", "null", false }, { "pathAny", "true", "[false, true]", true }, { "pathAny", "true", '["true"]', false },
  { "pathAny", "true", "true", false }, { "pathAll", "true", "true", true }, { "path", "true", "true", true },
  { "path", "true", '"true"', false }, { "pathAny", '"1"', '["1"]', true }, { "pathAny", '"1"', "[1]", false },
}

describe("an acceptor of botocore", function()
  local workspace = Workspace.of_block()

  for _, row in ipairs(rows) do
    it(("%s %s %s %s"):format(row[1], row[2], row[4] and "matches" or "does not match", row[3]), function()
      workspace:write("waiters-2.json", ([[{"version": 2, "waiters": {"ThingFailed": {"operation": "GetThing", "delay": 2,
        "maxAttempts": 3, "acceptors": [
          {"matcher": "%s", "argument": "a || b", "expected": %s, "state": "failure"},
          {"matcher": "status", "expected": 200, "state": "success"}]}}}]]):format(row[1], row[2]))
      workspace:write("answers.jsonl", ('{"output": {"b": %s}, "status": 200}\n'):format(row[3]))
      local done = workspace:bide { "replay", "waiters-2.json", "ThingFailed", "answers.jsonl", "--max-wait", "1m", "--quiet" }
      assert.equal(row[4] and 1 or 0, done.code, done.stderr)
      done = workspace:bide { "check", "waiters-2.json" }
      assert.is_nil(done.stdout:find("ERROR", 1, true), done.stdout)
    end)
  end
end)
