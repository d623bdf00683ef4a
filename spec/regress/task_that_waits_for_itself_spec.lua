---A task that joined itself, or the task that had started it, waited for ever; and to cancel the task of an operation was an
---error in a line of bide's own.

local Workspace = require "spec.support.workspace"

local script = [[
local bide = require "bide"
local me = bide.current()
print(select(2, pcall(me.join, me)))
local child = bide.spawn(function() return select(2, pcall(me.join, me)) end)
print(child:join())
local other = bide.spawn(function() return "done" end)
print(bide.spawn(function() return other:join() end):join())
print(other:join())
]]

local recipe = [[
local bide = require "bide"
return { Get = { call = function() bide.current():cancel() return {} end,
  waitable = { Done = { acceptors = { { state = "success", matcher = { success = true } } } } } } }]]

describe("a task", function()
  local workspace = Workspace.of_each()

  it("may not wait for itself, or for the task that has started it, and for any other one", function()
    workspace:write("script.lua", script)
    local done = workspace:bide({ "exec", "script.lua" }, { longest = 10 })
    local refusal = "[^\n]*join: a task may not wait for itself, or for the task that has started it\n"
    assert.matches("^" .. refusal .. refusal .. "done\ndone\n$", done.stdout, done.stderr)
    assert.equal(0, done.code)
  end)

  it("of an operation may not be cancelled", function()
    workspace:write("recipe.lua", recipe)
    local outcome, done = workspace:outcome { "run", "./recipe.lua", "--max-wait", "50s" }
    assert.equal(5, done.code)
    assert.matches("recipe.lua:2: cancel: the main task, or the one of an operation, may not be cancelled", outcome.message, 1,
      true)
  end)
end)
