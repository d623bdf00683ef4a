---`bide run --store --submit-token T` reported the outcome of a run that had ended before as if it were a new one, and ran
---COMMAND, without a word. A line says so, with --quiet too.

local Workspace = require "spec.support.workspace"

local workspace = Workspace.of_each()

it("is said to be an earlier one", function()
  workspace:write("there.lua", [[
    return { Look = {
      call = function() return { state = "there" } end,
      waitable = { Seen = { acceptors = {
        { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "there" } } },
      } } },
    } }]])
  local words = { "run", "there.lua", "--max-wait", "20s", "--store", "s.db", "--work", "--quiet", "--submit-token", "T" }
  local first, second = workspace:bide(words), workspace:bide(words)
  assert.same({ 0, "" }, { first.code, first.stderr })
  assert.equal(0, second.code)
  assert.equal("bide: run 1 was submitted with this token before: it is followed, and no other one begins\n", second.stderr)
end)
