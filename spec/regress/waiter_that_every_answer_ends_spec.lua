---A waiter of a file whose success no answer can change, since its path is a literal in quotes or a comparison of a thing with
---itself, opened its gate in silence. On the command line the same condition is a mistake.

local json = require("bide.core").json
local Workspace = require "spec.support.workspace"

local rows = {
  { "'READY'", "stringEquals", "READY", true }, { "['READY']", "allStringEquals", "READY", true },
  { "`true`", "booleanEquals", "true", true }, { "status == status", "booleanEquals", "true", true },
  { "length('a') > `0`", "booleanEquals", "true", true }, { "status", "stringEquals", "READY" },
  { "status != 'BUSY'", "booleanEquals", "true" }, { "status || 'READY'", "stringEquals", "READY" },
}

describe("a waiter of a file", function()
  local workspace = Workspace.of_each()

  local function warning_of(state, row)
    local acceptors = { { state = state, matcher = { output = { path = row[1], comparator = row[2], expected = row[3] } } },
      { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "READY" } } } }
    workspace:write("waiter.json", json.encode { Ready = { acceptors = acceptors } })
    workspace:write("answers.jsonl", '{"output":{"status":"READY"}}\n')
    local done = workspace:bide { "replay", "waiter.json", "Ready", "answers.jsonl", "--max-wait", "1s", "--quiet" }
    return done.stderr:match "acceptor 1 succeeds by every answer: [^\n]*"
  end

  it("is warned of if every answer is its success", function()
    for _, row in ipairs(rows) do
      local warning = warning_of("success", row)
      assert.equal(row[4] or false, warning ~= nil, row[1])
      if row[4] then assert.matches("whatever the answer: it can never be a no", warning, 1, true) end
    end
  end)

  it("may retry, or fail, by every answer that no earlier acceptor has matched", function()
    for _, state in ipairs { "retry", "failure" } do assert.is_nil(warning_of(state, rows[3])) end
  end)
end)
