---`bide test` was a success without the cases behind a hole in their list, as a name that is misspelt makes one, and for a file
---whose metamethod ended the process.

local Workspace = require "spec.support.workspace"

local recipe = [[
return { Get = { call = function() return { state = "up" } end, waitable = { Up = { acceptors = {
  { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "up" } } } } } } } }]]

local file = [[
local function case(name, state)
  return { name = name, waiter = "Up", answers = { { output = { state = state } } }, max_wait = "3s",
    expect = { state = "success", attempts = 1 } }
end
local good, bad = case("good", "up"), case("bad", "down")
]]

describe("a test file", function()
  local workspace = Workspace.of_each()

  local function test(text)
    workspace:write("up.lua", recipe)
    workspace:write("up.wait.lua", file .. text)
    return workspace:bide { "test", "up.wait.lua" }
  end

  local function refused(mistake, text)
    local done = test(text)
    assert.same({ 2, "", "bide: up.wait.lua: " .. mistake .. "\n" }, { done.code, done.stdout, done.stderr })
  end

  it("is a success with good cases alone", function()
    assert.equal(0, test("return { recipe = './up.lua', good }").code)
    assert.equal(1, test("return { recipe = './up.lua', good, bad }").code)
  end)

  it("is refused with a hole in the list of cases", function()
    refused("[2]: expected a value, since [3] has one, found nothing", "return { recipe = './up.lua', good, god, bad }")
  end)

  it("is refused with a hole in the answers of a case", function()
    refused('[1]["answers"][2]: expected a value, since [3] has one, found nothing',
      "good.answers[3] = bad.answers[1] return { recipe = './up.lua', good }")
  end)

  it("is refused if it is its own part", function()
    refused("expected at most 1000 tables in each other, found more", "good.input = good return { recipe = './up.lua', good }")
  end)

  it("has no metamethods, which could end the process", function()
    refused("recipe: expected the name or the file of a recipe, found nothing",
      "return setmetatable({}, { __index = function() os.exit(0) end })")
    local done = test "return setmetatable({ recipe = './up.lua', bad }, { __len = function() os.exit(0) end })"
    assert.equal(1, done.code)
    done = test "setmetatable(bad.expect, { __pairs = function() os.exit(0) end }) return { recipe = './up.lua', bad }"
    assert.equal(1, done.code)
  end)

  it("keeps the marks of lists", function()
    assert.equal(0, test([[
      good.answers[1].output.list = require("bide").json.array {}
      good.expect.output = { state = "up", list = require("bide").json.array {} }
      return { recipe = './up.lua', good }]]).code)
  end)
end)
