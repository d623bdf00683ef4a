---A waiter of another structure than the trait's ended `bide convert` with an error of Lua, or became something else.

local Workspace = require "spec.support.workspace"

---the trait's value; a part of the mistake
local rows = {
  { "[1]", "m.json:1:74: a.b#Get: expected waiters by name, found a list" },
  { "5", "a.b#Get: expected waiters by name, found 5" },
  { '{"Done": []}', "m.json:1:102: a.b#Get: Done: expected an object, the Waiter, found a list" },
  { '{"Done": {}}', "a.b#Get: the member acceptors is missing" },
  { '{"Done": {"acceptors": {}}}', "acceptors: expected a list, found a table" },
  { '{"Done": {"acceptors": [7]}}', "expected an object, the Acceptor, found 7" },
  { '{"Done": {"acceptors": [{"state": "success", "matcher": {"output": {"path": 5}}}]}}', "path: expected a string, found 5" },
}

describe("bide convert", function()
  local workspace = Workspace.of_each()

  for _, row in ipairs(rows) do
    it("refuses " .. row[1], function()
      workspace:write("m.json", ('{"smithy": "2.0", "shapes": {"a.b#Get": {"type": "operation", "traits": '
        .. '{"smithy.waiters#waitable": %s}}}}'):format(row[1]))
      for _, form in ipairs { "ast", "idl", "lua", "json" } do
        local done = workspace:bide { "convert", "m.json", "--to", form }
        assert.equal(2, done.code, form)
        assert.equal("", done.stdout)
        assert.matches(row[2], done.stderr, 1, true)
      end
    end)
  end
end)
