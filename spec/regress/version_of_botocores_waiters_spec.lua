---A waiters-2.json of another version, or without one, was read as a trait value: "version: expected a name in
---UpperCamelCase".

local Workspace = require "spec.support.workspace"

describe("a waiters-2.json that is not of version 2", function()
  local workspace
  before_each(function() workspace = Workspace.make() end)
  after_each(function() workspace:remove() end)

  local up = [["Up": {"operation": "Get", "delay": 1, "maxAttempts": 3,
    "acceptors": [{"state": "success", "matcher": "path", "argument": "s", "expected": "ok"}]}]]
  local rows = {
    { '{"version": 1, "waiters": {' .. up .. "}}", "1:2: version: expected 2, as in a waiters-2.json, found 1" },
    { '{\n "waiters": {' .. up .. '}, "version": "2"}', '3:98: version: expected 2, as in a waiters-2.json, found "2"' },
    { '{"waiters": {' .. up .. "}}", "1:1: version: expected 2, as in a waiters-2.json, found nothing" },
    { '{"version": 2}', "1:1: waiters: expected an object of waiters by name, found nothing" },
    { '{"version": 2, "waiters": null}', "1:16: waiters: expected an object of waiters by name, found null" },
    { '{"version": 2, "waiters": []}', "1:16: waiters: expected an object of waiters by name, found a list" },
    { '{"version": 3}', "1:2: version: expected 2, as in a waiters-2.json, found 3" },
  }

  for _, row in ipairs(rows) do
    it("is refused by what is wrong with it: " .. row[1]:sub(1, 30), function()
      workspace:write("waiters-2.json", row[1])
      for _, command in ipairs { { "list" }, { "convert", "--to", "lua" }, { "run", "--max-wait", "50s" } } do
        table.insert(command, 2, "waiters-2.json")
        local done = workspace:bide(command)
        assert.same({ 2, "" }, { done.code, done.stdout }, done.stderr)
        assert.equal("bide: waiters-2.json:" .. row[2] .. "\n", done.stderr)
      end
      local done = workspace:bide { "check", "waiters-2.json" }
      local place, mistake = row[2]:match "^(%d+:%d+): (.*)$"
      done:prints(1, "waiters-2.json:" .. place .. ": ERROR Model\n  " .. mistake .. "\n")
    end)
  end
end)
