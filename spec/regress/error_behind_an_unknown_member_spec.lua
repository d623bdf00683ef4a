---A mistake in a line of answers was not seen behind an unknown member of its error, or of what a recording is of, which is a
---warning: the replay then failed within bide, or believed the line.

local Workspace = require "spec.support.workspace"

describe("a line of answers with a mistake behind an unknown member", function()
  local workspace = Workspace.of_block()

  local rows = {
    { '{"output": {"state": "done"}, "wait": {"recipe": "x.lua", "odd": 1}}', "wait.format: expected a number, found nothing" },
    { '{"output": {"state": "done"}, "wait": [[]]}', "wait.format: expected a number, found nothing" },
    { '{"error": {"odd": 1, "type": 5}}', "error.type: expected a text that is not empty, found 5" },
    { '{"error": {"odd": 1, "type": "Busy", "retryAfter": -1}}', "error.retryAfter: expected a number of seconds" },
    { '{"error": {"odd": 1}}', "error.type: expected a string, found nothing" },
  }

  for _, row in ipairs(rows) do
    it("is refused: " .. row[1], function()
      workspace:write("odd.lua", [[return { Op = { call = function() end, waitable = { Done = { acceptors = {
        { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } },
        { state = "success", matcher = { success = false } } } } } } }]])
      workspace:write("lines.jsonl", row[1] .. "\n")
      local done = workspace:bide { "replay", "odd.lua", "Done", "lines.jsonl", "--max-wait", "1s", "--quiet" }
      assert.same({ 2, "" }, { done.code, done.stdout }, done.stderr)
      assert.matches("^bide: lines.jsonl:1: " .. row[2]:gsub("%p", "%%%0"), done.stderr)
    end)
  end
end)
