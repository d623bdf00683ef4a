---A worker said that its store could be reached again, and warned anew, every few seconds while another process held a lock on
---the file: the look for dead workers needs no lock, and a worker that waits for its beat asks for nothing else.

local Workspace = require "spec.support.workspace"
local sqlite = require "bide.sqlite"
local turns = require "spec.support.turns"

local recipe = [[
return { Count = {
  call = function() return { state = "waiting" } end,
  waitable = { Counted = { minDelay = 0.1, maxDelay = 0.2, acceptors = {
    { state = "success", matcher = { lua = function(context) return context.attempt >= 5 end } },
    { state = "retry", matcher = { success = true } },
  } } },
} }
]]

describe("a file that is locked for longer than the lease", function()
  local workspace = Workspace.of_each { ["count.lua"] = recipe }

  it("is away once, and loses nothing", function()
    workspace:write("lines", ("{}\n"):rep(100))
    local words = { "submit", "count.lua", "--each", "lines", "--max-wait", "10m", "--store", "w.db", "--quiet" }
    workspace:bide(words):ends(0)
    local worker = workspace:start { "worker", "--store", "w.db", "--jobs", "20" }
    worker:wait_for_output "serving"
    local database = assert(sqlite.open(workspace.path .. "/w.db"))
    repeat
      turns.pass(10)
    until assert(database:query "SELECT count(*) AS count FROM store_attempt")[1].count > 0
    while not database:query "BEGIN IMMEDIATE" do turns.pass(1) end
    turns.pass(16000)
    assert(database:query "COMMIT")
    database:close()
    workspace:bide({ "watch", "1", "--store", "w.db", "--quiet" }):ends(0)
    worker:kill "sigterm"
    assert.equal(0, worker:wait().code)
    assert.equal(1, select(2, worker.stderr:gsub("it is locked by another process; waits sleep on", "")), worker.stderr)
    assert.equal(1, select(2, worker.stderr:gsub("can be reached again", "")), worker.stderr)
  end)
end)
