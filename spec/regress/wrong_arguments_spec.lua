---A public function that gets an argument of a wrong type named neither itself nor the argument: `attempt to index a nil
---value`. A recipe with a table whose metamethod raises ended with 70, as a fault of bide.

local Workspace = require "spec.support.workspace"

describe("a mistake of a script", function()
  local workspace = Workspace.of_block()

  for call, says in pairs {
    ['require("bide.base64").encode(nil)'] = "bide.base64.encode(nil): wrong arguments (attempt to get length of a nil",
    ['require("bide.expect").text(nil, nil)'] = "bide.expect.text(nil, nil, nil, nil): wrong arguments (attempt to index",
    ['require("bide.docker").get {}'] = "bide.docker.get(table, nil, nil, nil): wrong arguments (attempt to",
    ['require("bide.address").ask_each(nil, print)'] = "bide.address.ask_each(nil, function, nil): wrong arguments",
    ['require("bide").jmespath(nil)'] = "bide.jmespath(table, nil): wrong arguments (bad argument #1 to 'compile'",
    ['("x"):rep(1, 2, 3, {}).y.z = 1'] = "attempt to index a nil value (field 'y')",
    ['require("bide.base64").encode(setmetatable({}, { __len = function() error "own" end }))'] = "own",
  } do
    it("names the function, and shows no argument: " .. call, function()
      workspace:write("script.lua", "local function act()\n  " .. call .. "\nend\nact()\n")
      local done = workspace:bide { "exec", "script.lua" }
      assert.matches("bide: script.lua:2: " .. says, done.stderr, 1, true)
      assert.equal(5, done.code)
    end)
  end

  it("is said where a matcher returns a yes that is not true", function()
    workspace:write("matcher.lua", [[return { Get = { call = function() return {} end, waitable = { Up = { acceptors = {
      { state = "success", matcher = { lua = function() return 1 end } } } } } } }]])
    local done = workspace:bide { "run", "./matcher.lua", "--max-wait", "1s" }
    assert.matches("last seen: the matcher returned a number, and matches by true alone\n", done.stderr, 1, true)
    assert.equal(124, done.code)
  end)

  it("is said where cases are taken for a recipe", function()
    workspace:write("up.wait.lua", 'return { recipe = "./up.lua", { name = "is up" } }')
    local done = workspace:bide { "run", "./up.wait.lua", "--max-wait", "1s" }
    assert.same({ 2, "bide: ./up.wait.lua: these are cases: bide test runs them\n" }, { done.code, done.stderr })
  end)

  for _, recipe in ipairs {
    "return raising", "return { Get = raising }", "return { Get = { call = print, waitable = raising } }",
    "return { Get = { call = print, input = raising, waitable = { Up = { acceptors = { { state = raising } } } } } }",
  } do
    for raised, says in pairs { ['"own"'] = "bide: recipe.lua:1: own", ['{ type = "Own" }'] = "the operation error Own" } do
      it(("is no fault of bide: %s that raises %s"):format(recipe, raised), function()
        workspace:write("recipe.lua", ([[
          local function act() error(%s) end; local raising = setmetatable({}, { __index = act, __pairs = act })
          %s]]):format(raised, recipe):gsub("^%s+", ""))
        for _, words in ipairs { { "run", "recipe.lua", "--max-wait", "1s" }, { "show", "recipe.lua" } } do
          local done = workspace:bide(words)
          assert.matches(says, done.stderr, 1, true)
          assert.equal(2, done.code)
        end
      end)
    end
  end
end)
