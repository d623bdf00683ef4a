---`"until": []` of an entry in a list of waits, as a program writes that found no condition, asked for nothing: the wait
---succeeded by the acceptors that the condition was to replace. A name of blanks was one.

local Workspace = require "spec.support.workspace"

local EMPTY = "expected a string or a list of strings, found an empty list; leave it out"

---Each row: members of an entry, and what is said.
local rows = {
  { '"until": []', "until: " .. EMPTY }, { '"fail": []', "fail: " .. EMPTY }, { '"retryOn": []', "retryOn: " .. EMPTY },
  { '"with": []', "with: " .. EMPTY }, { '"env": []', "env: " .. EMPTY },
  { '"name": ""', "name: expected the name of the branch, found " },
  { '"name": " "', "name: expected the name of the branch, found " },
}

describe("an entry of a list of waits", function()
  local workspace = Workspace.of_block()

  for _, row in ipairs(rows) do
    it("is refused: " .. row[1], function()
      workspace:write("list.json", ('[{"recipe": "command", "input": {"run": "true"}, %s}]'):format(row[1]))
      workspace:write("list.jsonl", ('{"recipe": "command", "input": {"run": "true"}, %s}\n'):format(row[1]))
      for _, words in ipairs { { "run", "list.json" }, { "run", "--each", "list.jsonl" } } do
        table.move({ "--max-wait", "1s", "--quiet" }, 1, 3, #words + 1, words)
        local done = workspace:bide(words)
        assert.same({ 2, "" }, { done.code, done.stdout }, done.stderr)
        assert.matches(row[2], done.stderr, 1, true)
      end
    end)
  end
end)
