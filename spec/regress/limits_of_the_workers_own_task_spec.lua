---The limits of scripts held for the task in which a sandboxed worker claims turns and writes results: with --instructions a
---claim of many turns ended the worker, which began again and claimed as many.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"

local cluster = Cluster.installed()
if not cluster then return end

describe("a worker with a limit of instructions", function()
  local folder = Workspace.of_block()

  it("claims many turns, and holds recipes to it", function()
    folder:write("done.lua", [[
return {
  Yes = { input = { name = { type = "string" } }, call = function() return { status = "done" } end,
    waitable = { Done = { acceptors = { { state = "success",
      matcher = { output = { path = "status", comparator = "stringEquals", expected = "done" } } } } } } },
  Endless = { call = function() while true do end end,
    waitable = { Ended = { acceptors = { { state = "success", matcher = { success = true } } } } } },
}]])
    local lines = {}
    for number = 1, 500 do lines[number] = ('{"name":"%d"}'):format(number) end
    folder:write("waits.jsonl", table.concat(lines, "\n") .. "\n")
    local store = cluster:url "ada"
    local worker = folder:start({ "worker", "--quiet", "--jobs", "500", "--instructions", "20000", "--store",
      cluster:url "wim" }, { longest = 120 })
    worker:hold_loop(false)
    local done = folder:bide { "run", "done.lua", "Done", "--each", "waits.jsonl", "--history", "none", "--max-wait", "60s",
      "--store", store }
    assert.equal(0, done.code, done.stderr)
    done = folder:bide { "run", "done.lua", "Ended", "--max-wait", "60s", "--store", store }
    done:says(5, "instruction limit exceeded")
    worker:kill "sigterm"
    done = worker:wait()
    assert.same({ 0, "" }, { done.code, done.stderr })
  end)
end)
