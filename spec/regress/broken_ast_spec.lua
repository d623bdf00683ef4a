---A JSON AST whose references, traits or acceptors have other types ended `bide check` with an error of Lua.

local Workspace = require "spec.support.workspace"

local GET = '{"type": "operation", "traits": {"smithy.waiters#waitable": {"Done": {"acceptors": [%s]}}}, %s}'
local SUCCESS = '{"state": "success", "matcher": {"output": {"path": "a", "comparator": "stringEquals", "expected": "b"}}}'

---What is wrong, the shapes, the other members of the model, the exit code of `bide check`.
local rows = {
  { "a member of the root that only bide's own form has", '"a.b#T": {"type": "string"}', ', "applied": {"a.b#T": 7}', 0 },
  { "an error that is not a reference", '"a.b#G": ' .. GET:format(SUCCESS, '"errors": [true]'), "", 1 },
  { "an error that is null", '"a.b#G": ' .. GET:format(SUCCESS, '"errors": [null]'), "", 1 },
  { "an output that is null", '"a.b#G": ' .. GET:format(SUCCESS, '"output": null'), "", 1 },
  { "traits that are a string", '"a.b#T": {"type": "string", "traits": ""}', "", 1 },
  { "a member that is null", '"a.b#T": {"type": "structure", "members": {"a": null}}', "", 1 },
  { "an acceptor that is a number", '"a.b#G": ' .. GET:format("7, " .. SUCCESS, '"documentation": ""'), "", 1 },
}

describe("bide check", function()
  local workspace = Workspace.of_each()

  for _, row in ipairs(rows) do
    it("reports " .. row[1], function()
      workspace:write("model.json", ('{"smithy": "2.0", "shapes": {%s}%s}'):format(row[2], row[3]))
      local done = workspace:bide { "check", "model.json" }
      assert.equal(row[4], done.code, done.stdout .. done.stderr)
      assert.is_nil((done.stdout .. done.stderr):find("traceback", 1, true))
      assert.is_nil(done.stderr:find("lua:%d"))
    end)
  end
end)
