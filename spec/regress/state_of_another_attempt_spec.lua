---A turn whose row had another number of attempts than its state was attempted over and over, until its deadline, and none of
---that was recorded. It ends with a script error.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"

local cluster = Cluster.installed()
if not cluster then return end

local workspace = Workspace.of_each()

it("ends the wait", function()
  workspace:write("look.lua", [[
    return { Look = {
      call = function() return { state = "waiting" } end,
      waitable = { Seen = { minDelay = 2, maxDelay = 2, acceptors = {
        { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "there" } } },
      } } },
    } }]])
  assert.equal(0, workspace:bide({ "submit", "look.lua", "--max-wait", "60s", "--store", cluster:url "ada" }).code)
  local function work()
    local worker = workspace:start { "worker", "--quiet", "--store", cluster:url "wim" }
    worker:hold_loop(false)
    return worker
  end
  local function made() return tonumber(cluster:admin("SELECT coalesce(max(attempts), 0) FROM bide.turn")) end
  local worker = work()
  while made() == 0 do assert.is_nil(worker.code, worker.stderr) end
  worker:kill "sigterm"
  worker:wait()
  cluster:admin("UPDATE bide.turn SET attempts = attempts + 7")
  worker = work()
  local done = workspace:bide { "watch", "1", "--for", "20s", "--store", cluster:url "ada" }
  worker:kill "sigterm"
  worker:wait()
  done:says(5, "the store: its state is that of another attempt")
end)
