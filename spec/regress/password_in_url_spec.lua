---The password in a URL of the input, or of an answer, came out in outcomes, events and messages.

local Workspace = require "spec.support.workspace"

describe("the password in a URL", function()
  local workspace = Workspace.of_block()

  for _, format in ipairs { "text", "json" } do
    it("does not come out as " .. format, function()
      local words = workspace:replay_of([[[{"state": "success", "matcher": {"output": {"path": "url",
        "comparator": "stringEquals", "expected": "http://me:hunter2@h/"}}}]
      ]], { '{"output": {"url": "http://me:hunter2@h/"}}' }, "--max-wait", "50s", "--verbose", "--output", format,
        "--events", "events.jsonl", "--input", '{"url": "http://me:hunter2@h/"}')
      local done = workspace:bide(words)
      done:prints(0, "http://[redacted]@h/")
      for _, text in ipairs { done.stdout, done.stderr, workspace:read("events.jsonl") } do
        assert.not_matches("hunter2", text, 1, true)
      end
    end)
  end
end)
