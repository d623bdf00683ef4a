---`bide check` gave all mistakes of a recipe of the current folder as one event in line 1, and those of a bare trait value
---by none of Smithy's ids.

local Workspace = require "spec.support.workspace"

---the file; its text; the output of `bide check`
local rows = {
  { "recipe.lua", [[
return { Get = { call = print, waitable = {
  Done = { acceptors = { { state = "succes", matcher = { success = true } } } },
  Gone = {} } } }]], [[
recipe.lua:2:1: ERROR Model
  Done: acceptors[1].state: expected "success", "failure" or "retry", found "succes", did you mean "success"?
recipe.lua:3:1: ERROR Model
  Gone: acceptors: expected a list of acceptors, found nothing
]] },
  { "trait.json", [[
{"done": {"acceptors": []},
 "Done": {"minDelay": 0.5, "acceptors": [{"state": "success", "matcher": {"success": true}}]}}]], [[
trait.json:1:2: ERROR TraitValue
  done: the name of a waiter must be UpperCamelCase, of letters and digits
trait.json:1:11: ERROR TraitValue
  done: expected at least an acceptor, found an empty list
trait.json:2:11: ERROR TraitValue
  Done: minDelay: expected a whole number of seconds, found 0.5
]] },
  { "trait.json", [[
{"Done": {"acceptors": [
  {"state": "success", "matcher": {"output": {"path": "a[", "comparator": "stringEquals", "expected": "x"}}},
  {"state": "retry", "matcher": {"expect": {"path": "b["}}}, {"state": "retry", "matcher": {"status": 404}}]}}]], [[
trait.json:2:47: ERROR WaitableTrait
  Done, acceptor 0: syntax: found the end where a number, ':' or '*' should be
    a[
      ^
trait.json:3:45: ERROR WaitableTrait
  Done, acceptor 1: syntax: found the end where a number, ':' or '*' should be
    b[
      ^
]] },
  { "trait.json", [[
{"Done": {"acceptors": [{"state": "success", "matcher": {"success": true}}]},
 "DONE": {"acceptors": [{"state": "success", "matcher": {"success": true}}]}}]], [[
trait.json:2:1: ERROR Model
  DONE: the name is taken: waiters are unique whatever their case
]] },
  { "trait.json", '{"Done": {"minDealy": 1, "acceptors": [{"state": "success", "matcher": {"lua": "unknown"}}]}}', [[
trait.json:1:1: ERROR Model
  Done: acceptors[1].matcher.lua: no matcher is registered as "unknown"; bide.matcher(name, f) registers one
trait.json:1:11: WARNING TraitValue.UnknownMember.smithy.waiters#Waiter.minDealy
  Done: unknown member minDealy, did you mean minDelay?
]] },
}

describe("bide check", function()
  local workspace = Workspace.of_each()

  for number, row in ipairs(rows) do
    it(("places the mistakes of %s, number %d"):format(row[1], number), function()
      workspace:write(row[1], row[2])
      local done = workspace:bide { "check", row[1] }
      assert.same({ 1, row[3] }, { done.code, done.stdout }, done.stderr)
    end)
  end
end)
