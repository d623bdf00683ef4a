---A number that is no whole number, or beyond all of them, ended the wait as a bug of the recipe: the restarts of a
---container, the requests of nginx.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local pod = [[{"kind": "Pod", "metadata": {"name": "web"},
  "status": {"phase": "Pending", "conditions": [{"type": "Ready", "status": "False"}],
  "containerStatuses": [{"name": NAME, "restartCount": COUNT, "state": {"waiting": {"reason": "CrashLoopBackOff"}},
  "lastState": {"terminated": {"exitCode": 1}}}]}}]]

local status = "Active connections: %s \nserver accepts handled requests\n 1 1 1 \nReading: %s Writing: %s Waiting: 0 \n"

describe("a number of a service", function()
  local workspace = Workspace.of_block()
  local body
  local server = Server.of_block(function() return { body = body } end)

  local function look(name, count, max_wait)
    body = pod:gsub("NAME", name):gsub("COUNT", count)
    return workspace:bide { "run", "kubernetes", "pod/web", "server=" .. server.url, "namespace=n", "--min-delay", "20ms",
      "--max-wait", max_wait or "0.1s", "--quiet" }
  end

  it("counts restarts if it is whole", function()
    assert.matches("container c: CrashLoopBackOff after 5 restarts", look('"c"', "5", "10s").stderr, 1, true)
    for _, count in ipairs { "5.5", "1e300", "null", '"x"', "{}" } do
      assert.equal(124, look('"c"', count).code, count)
    end
    assert.equal(124, look("null", "5").code)
  end)

  it("counts the requests of nginx if it is whole", function()
    local words = { "run", "nginx", server.url, "--max-wait", "50s", "--quiet" }
    body = status:format("1", "0", "1")
    assert.equal(0, workspace:bide(words).code)
    local large = ("9"):rep(30)
    for _, numbers in ipairs { { large, "0", "1" }, { "1", large, "1" }, { "1", "0", large } } do
      body = status:format(table.unpack(numbers))
      workspace:bide(words):says(3, "InvalidAnswer")
    end
  end)
end)
