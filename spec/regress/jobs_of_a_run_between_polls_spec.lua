---A run that had N waits open at a time ended N of them between two polls of its worker, 200 ms apart, even if they took no
---time: a million waits by --jobs 10 would have taken more than five hours.

local Workspace = require "spec.support.workspace"
local luv = require "luv"

require "bide"

local recipe = [[
return { Nothing = {
  input = { name = { type = "integer" } },
  call = function() return { status = "done" } end,
  waitable = { Done = { acceptors = {
    { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "done" } } },
  } } },
} }
]]

describe("a run of a store with --jobs", function()
  local workspace = Workspace.of_each()

  it("goes on with its next wait once one has ended", function()
    local lines = {}
    for number = 1, 60 do lines[number] = ('{"name":%d}'):format(number) end
    workspace:write("recipe.lua", recipe)
    workspace:write("waits.jsonl", table.concat(lines, "\n"))
    local submitted = workspace:bide { "submit", "recipe.lua", "--each", "waits.jsonl", "--jobs", "1", "--max-wait", "1h",
      "--store", "s.db" }
    assert.equal(0, submitted.code)
    workspace:start { "worker", "--store", "s.db", "--quiet" }
    local began = luv.hrtime()
    local done = workspace:bide { "watch", submitted.stdout:match "%d+", "--store", "s.db", "--quiet" }
    assert.same({ 0, "" }, { done.code, done.stderr })
    assert.is_true((luv.hrtime() - began) / 1e9 < 60 * 0.2 / 2, "it polled for each wait")
  end)
end)
