---Anything can be raised. Messages told bide's own lines, a trap in a metatable
---was what got reported, an error's class lost its type, and a message that is
---no text went into the outcome as it was.

local Workspace = require "spec.support.workspace"

local recipe = [[
local function trap() error "sprung" end
local NotFound = { type = "NotFound" }
NotFound.__index = NotFound
local raised = {
  nothing = function() error() end,
  number = function() error(5) end,
  list = function() error { 1, 2 } end,
  typed_by_number = function() error { type = 5 } end,
  text_trap = function() error(setmetatable({}, { __tostring = trap })) end,
  text_that_is_none = function() error(setmetatable({}, { __tostring = function() return {} end })) end,
  index_trap = function() error(setmetatable({}, { __index = trap })) end,
  with_text = function() error(setmetatable({}, { __tostring = function() return "my words" end })) end,
  class = function() error(setmetatable({ message = "gone", status = 404 }, NotFound)) end,
  odd_message = function() error { type = "Odd", message = { 1 } } end,
  exit = function() os.exit(0) end,
  matched = function() error { type = "Busy", message = { 1 } } end,
}
return { Op = {
  call = function(input) raised[input.raise]() end,
  waitable = { Raised = { acceptors = {
    { state = "success", matcher = { success = true } },
    { state = "failure", matcher = { errorType = "Busy" }, message = "text" },
  } } },
} }]]

describe("what an operation may raise", function()
  local workspace = Workspace.of_block { ["recipe.lua"] = recipe }

  local function raise(what)
    return workspace:outcome { "run", "recipe.lua", "raise=" .. what, "--max-wait", "50s" }
  end

  local script_errors = {
    { "nothing", "recipe.lua:5: nil was raised" },
    { "number", "recipe.lua:6: 5" },
    { "list", "recipe.lua:7: a table without a type was raised" },
    { "typed_by_number", "recipe.lua:8: a table without a type was raised" },
    { "text_trap", "recipe.lua:9: a table was raised that cannot be made a text" },
    { "text_that_is_none", "recipe.lua:10: a table was raised that cannot be made a text" },
    { "index_trap", "recipe.lua:11: a table without a type was raised" },
    { "with_text", "recipe.lua:12: my words" },
    { "exit", "recipe.lua:15: a recipe may not call os.exit" },
  }

  for _, case in ipairs(script_errors) do
    it(("tells %s as a script error of the recipe's own line"):format(case[1]), function()
      local outcome, done = raise(case[1])
      assert.equal(5, done.code)
      assert.equal("scriptError", outcome.reason)
      assert.equal(case[2], outcome.message:sub(1, #case[2]))
      assert.not_matches("script_error.lua", outcome.traceback, 1, true)
      assert.matches("recipe.lua:", done.stderr, 1, true)
    end)
  end

  it("takes the type of an error from its class", function()
    local outcome, done = raise "class"
    assert.equal(3, done.code)
    assert.same({ type = "NotFound", message = "gone", status = 404 }, outcome.error)
    assert.same(outcome.error, outcome.history[1].error)
  end)

  it("keeps a message that is no text out of the outcome's message", function()
    local unmatched = raise "odd_message"
    assert.matches("the error Odd$", unmatched.message)
    assert.same({ 1 }, unmatched.error.message)
    local matched, done = raise "matched"
    assert.equal(1, done.code)
    assert.matches("the error Busy$", matched.message)
  end)
end)
