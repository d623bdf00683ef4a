---Lack of memory while a definition was compiled was raised as "no memory for a matcher", a text that code which catches
---errors does not recognise as lack of memory; the command printed a traceback.

local allocations = require "spec.support.allocations"
local Workspace = require "spec.support.workspace"

local LAST = 100 -- among these allocations of `bide list` are those of its definition

describe("lack of memory for a definition", function()
  local workspace = Workspace.of_block()

  it("is raised as lack of memory", function()
    if allocations.lack then return pending(allocations.lack) end
    workspace:write("things.lua", [[return { GetThing = { call = print, waitable = { ThingExists = { acceptors = {
      { state = "success", matcher = { output = { path = "a", comparator = "stringEquals", expected = "b" } } },
    } } } } }]])
    local words = { "list", "things.lua" }
    local _, report = allocations.run(workspace, words, "own", 0)
    for number = report.counted - LAST, report.counted do
      local done = allocations.run(workspace, words, "own", number)
      if done.code ~= 0 then assert.same({ 70, "bide: not enough memory\n" }, { done.code, done.stderr }) end
    end
  end)
end)
