---Recipes and their operations: `--with`, registered matchers, errors of wire names.

local Workspace = require "spec.support.workspace"

local path = [[{"output": {"path": "status", "comparator": "stringEquals", "expected": "ok"}}]]

describe("--with", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("trait.json", ([[{"Done": {"acceptors": [{"state": "success", "matcher": %s}]}}]]):format(path))
    workspace:write("function.lua", [[return { GetThing = function(input) return { status = input.status } end }]])
    workspace:write("table.lua", [[return { GetThing = { call = function(input) return { status = input.status } end } }]])
    workspace:write("things.lua", [[return { GetThing = { waitable = { Done = { acceptors = {
      { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "ok" } } },
    } } } } }]])
  end)

  for _, recipe in ipairs { "trait.json", "things.lua" } do
    for _, with in ipairs { "function.lua", "table.lua" } do
      it(("gives the waiters of %s the operation of %s"):format(recipe, with), function()
        local outcome, done = workspace:outcome { "run", recipe, "status=ok", "--with", with, "--max-wait", "50s" }
        assert.equal(0, done.code)
        assert.equal("GetThing", outcome.operation)
      end)
    end
  end

  it("may register the matchers that a JSON recipe names", function()
    workspace:write("named.json", '{"Done": {"acceptors": [{"state": "success", "matcher": {"lua": "isThree"}}]}}')
    workspace:write("with.lua", [[
      require("bide").matcher("isThree", function(context) return context.output.size == 3 end)
      return { GetThing = function(input) return { size = input.size } end }]])
    local outcome, done = workspace:outcome { "run", "named.json", "size:=3", "--with", "with.lua", "--max-wait", "50s" }
    assert.equal(0, done.code)
    assert.matches('the matcher "isThree" matched$', outcome.message)
    assert.equal(2, workspace:bide({ "run", "named.json", "--with", "function.lua", "--max-wait", "50s" }).code)
    workspace:write("typo.json", '{"Done": {"acceptors": [{"state": "success", "matcher": {"lua": "isThre"}}]}}')
    local typo = workspace:bide { "run", "typo.json", "--with", "with.lua", "--max-wait", "50s" }
    assert.matches('did you mean "isThree"?', typo.stderr, 1, true)
  end)

  it("says what is wrong with its file", function()
    for text, mistake in pairs {
      ["return 5"] = "with.lua: expected a table of operations by name, found 5",
      ["return { GetThing = 5 }"] = "with.lua:1: GetThing: expected an operation, with call and waitable, found 5",
      ["return ="] = "with.lua:1: unexpected symbol",
      ["return {}"] = "--with gives 0",
    } do
      workspace:write("with.lua", text)
      workspace:bide({ "run", "trait.json", "--with", "with.lua", "--max-wait", "50s" }):says(2, mistake)
    end
  end)
end)
