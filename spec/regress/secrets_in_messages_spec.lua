---Members with secret names were taken out of documents, but an expression could
---bring what they hold to light: an acceptor's message, to_string, values.

local Workspace = require "spec.support.workspace"

describe("a secret in an output", function()
  local workspace = Workspace.of_block()

  local answer = '{"output": {"state": "ok", "password": "hunter2", "keys": {"clientSecret": "hunter2"}}}'

  local function acceptor(path, message)
    return ([[{"state": "failure", "matcher": {"output": {"path": "%s", "comparator": "stringEquals",
      "expected": "ok"}} %s}]]):format(path, message and (', "message": "%s"'):format(message) or "")
  end

  local success = '{"state": "success", "matcher": {"success": false}}'

  local cases = {
    { "a message that is its member", acceptor("state", "password") },
    { "a message of all the output", acceptor("state", "to_string(@)") },
    { "a message of lists", acceptor("state", "values(keys)") },
    { "the path of its member", acceptor("password") },
    { "the path of all the output", acceptor("to_string(@)") },
    { "the path of values", acceptor("values(@)[0]") },
    { "the note that a path could not be evaluated", acceptor("abs(password)") },
    { "the note on a list", acceptor("abs(values(@)[0])") },
    { "a renamed member", acceptor("{p: password, k: keys.*}.k") },
    { "input and output", '{"state": "failure", "matcher": {"inputOutput": {"path": "values(output)",'
      .. '"comparator": "anyStringEquals", "expected": "x"}}}' },
  }

  for _, case in ipairs(cases) do
    it("does not come out through " .. case[1], function()
      local words = workspace:replay_of("[" .. case[2] .. "," .. success .. "]", { answer },
        "--max-wait", "5s", "--verbose", "--input", '{"password": "hunter2"}')
      for _, format in ipairs { "text", "json" } do
        local all = table.move({ "--output", format, "--events", "events.jsonl" }, 1, 4, #words + 1,
          table.move(words, 1, #words, 1, {}))
        local done = workspace:bide(all)
        assert.is_true(done.code == 1 or done.code == 124, done.stderr)
        assert.not_matches("hunter2", done.stdout .. done.stderr .. workspace:read "events.jsonl")
      end
    end)
  end
end)
