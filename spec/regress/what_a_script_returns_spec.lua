---`bide exec` ended with 0 where a script returned nil and why it failed, as `return waiter:wait(…)` does.

local Workspace = require "spec.support.workspace"

local before = [[
local bide = require "bide"
local function waiter(is_success)
  return bide.waiter { name = "Done", call = function() return { ok = is_success } end, acceptors = {
    { state = "success", matcher = { output = { path = "ok", comparator = "booleanEquals", expected = "true" } } },
  } }
end
]]

---What the script ends with, the exit code, and a part of what is said.
local rows = {
  { "return waiter(false):wait({}, { maxWait = 0.1 })", 124, "Done gave up after" },
  { "return waiter(true):wait({}, { maxWait = 9 })", 0, "" },
  { "return bide.all { waiter(false):prepare({}, { maxWait = 0.1 }) }", 124, "0 of 1" },
  { 'return nil, "no such file"', 5, 'the script returned nil and "no such file": raise an error instead' },
  { 'return false, { type = "Gone" }', 5, "the script returned false and a table" },
  { 'return io.open("nosuchfile")', 5, "nosuchfile: No such file or directory" },
  { "return nil, setmetatable({}, { __tostring = error })", 5, "the script returned nil and a table" },
  { "return nil", 0, "" }, { "return false", 0, "" }, { "return nil, nil", 0, "" }, { 'return true, "why"', 0, "" },
}

describe("a script of bide exec", function()
  local workspace = Workspace.of_block()

  for _, row in ipairs(rows) do
    it(("ends with %d by %s"):format(row[2], row[1]), function()
      workspace:write("script.lua", before .. row[1])
      local done = workspace:bide { "exec", "--quiet", "script.lua" }
      assert.equal(row[2], done.code, done.stdout .. done.stderr)
      assert.matches(row[3], done.stderr, 1, true)
    end)
  end
end)
