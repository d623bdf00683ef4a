---replay made Lua tables of the outputs it read, which forget the order of members:
---keys(@)[0] gave another member than it gives live.

local Workspace = require "spec.support.workspace"

local workspace = Workspace.of_each()

it("replay keeps the order of an output's members", function()
  workspace:write("answers.jsonl", '{"output": {"z": 1, "a": 2}}\n')
  workspace:write("keys.json", [[{ "KeysSeen": { "acceptors": [{ "state": "success", "matcher":
    { "output": { "path": "keys(@)[0]", "comparator": "stringEquals", "expected": "z" } } }] } }]])
  workspace:bide({ "replay", "keys.json", "KeysSeen", "answers.jsonl", "--max-wait", "5", "--quiet" }):ends(0)
end)
