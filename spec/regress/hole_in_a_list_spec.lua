---A hole in the list of acceptors, as `cond and acceptor or nil` makes one, ended bide with 70 and a traceback of its own; one
---in the types of `acceptor.transient` hid those after it.

local Workspace = require "spec.support.workspace"

---Each row: acceptors, other members of the waiter, and what is said.
local rows = {
  { 'success, nil, acceptor.error("retry", "X")', "",
    "acceptors[2]: expected an element, since others follow it, found nothing" },
  { "nil, success", "", "acceptors[1]: expected an element, since others follow it, found nothing" },
  { "false, success", "", "acceptors[1]: expected an acceptor, with state and matcher, found false" },
  { "success", 'tags = { "a", nil, "b" },', "tags[2]: expected an element, since others follow it, found nothing" },
  { 'acceptor.transient("A", nil, "B"), success', "", "name 2: expected a string that is not empty, found nothing" },
  { "acceptor.transient {}, success", "", "name 1: expected a string that is not empty, found a table" },
  { 'acceptor.refused("failure", ""), success', "", 'name 1: expected a string that is not empty, found ""' },
  { 'acceptor.status_of("failure"), success', "", "name 1: expected a string that is not empty, found nothing" },
}

describe("a hole in a list of a recipe", function()
  local workspace = Workspace.of_block()

  for _, row in ipairs(rows) do
    local acceptors, members, says = table.unpack(row)
    it("is a mistake: " .. members .. acceptors, function()
      workspace:write("hole.lua", ([[
local acceptor = require "bide.acceptor"
local success = acceptor.output("success", "s", "x")
return { Get = { call = function() return { s = "x" } end, waitable = { Done = { %s acceptors = { %s } } } } }
]]):format(members, acceptors))
      local done = workspace:bide { "run", "hole.lua", "--max-wait", "1s", "--quiet" }
      assert.same({ 2, "" }, { done.code, done.stdout }, done.stderr)
      assert.matches("hole.lua:3: ", done.stderr, 1, true)
      assert.matches(says, done.stderr, 1, true)
    end)
  end
end)
