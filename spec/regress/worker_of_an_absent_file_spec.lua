---A worker of a file that did not exist made it, so that a mistake in its name left an empty store behind, which was served for
---ever. A worker may still come before the first submit, and waits for the file.

local Workspace = require "spec.support.workspace"
local uv = require "luv"

describe("a worker of a file that does not exist", function()
  local workspace = Workspace.of_each()

  local function start()
    local worker = workspace:start { "worker", "--quiet", "--store", "waits.db" }
    worker:wait_for_output "no such file"
    assert.equal("bide: warning: the store waits.db: no such file; this worker begins once bide submit has made it\n",
      worker.stderr)
    return worker
  end

  it("makes none, and ends with 0 at a signal", function()
    local worker = start()
    worker:kill "sigterm"
    assert.equal(0, worker:wait().code)
    assert.same({ nil, nil }, { (uv.fs_stat(workspace.path .. "/waits.db")), (uv.fs_stat(workspace.path .. "/waits.db-lock")) })
  end)

  it("refuses a name that can never be that of a file", function()
    workspace:write("waits", "")
    local done = workspace:bide { "worker", "--quiet", "--store", "waits/waits.db" }
    assert.same({ 2, "bide: the store waits/waits.db: not a directory\n" }, { done.code, done.stderr })
  end)

  it("makes the attempts once somebody has submitted to it", function()
    local worker = start()
    workspace:write("look.lua", [[
      local seen = { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "x" } } }
      return { Look = { call = function() return { state = "x" } end, waitable = { Seen = { acceptors = { seen } } } } }]])
    workspace:bide({ "run", "look.lua", "--max-wait", "20s", "--store", "waits.db", "--quiet" }):ends(0)
    worker:kill "sigterm"
    assert.equal(0, worker:wait().code)
  end)
end)
