---A standby of Vault forwards requests to the active node. While no node is active, or it does not reach the active one, it
---answers its health with 429 or 474 and each request with an error; the recipe took it for ready. A node that was removed
---from its cluster (530) never takes requests again, and the wait went on. Recorded from Vault 1.21.4, a Raft cluster of two.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local function json(status, body)
  return { status = status, headers = { ["Content-Type"] = "application/json", ["Cache-Control"] = "no-store" }, body = body }
end

local function health(status, more)
  return json(status, '{"initialized":true,"performance_standby":false,"version":"1.21.4","enterprise":false,' .. more .. "}")
end
local alone = health(429, '"sealed":false,"standby":true,"removed_from_cluster":false')
local cut_off = health(474, '"sealed":false,"standby":true,"removed_from_cluster":false,"ha_connection_healthy":false,'
  .. '"last_request_forwarding_heartbeat_ms":10088')
local joined = health(429, '"sealed":false,"standby":true,"removed_from_cluster":false,"ha_connection_healthy":true,'
  .. '"last_request_forwarding_heartbeat_ms":102')
local removed = health(530, '"sealed":true,"standby":true,"removed_from_cluster":true')

local function leader(address)
  return json(200, ('{"ha_enabled":true,"is_self":false,"active_time":"0001-01-01T00:00:00Z","leader_address":"%s",'
    .. '"leader_cluster_address":"","performance_standby":false}'):format(address))
end

---Runs the recipe with answers to its questions about health; the last one stays.
local function run(answers, address, ...)
  local workspace, asked = Workspace.make(), 0
  local server = Server.start(function(request)
    if request.path == "/v1/sys/leader" then return leader(address) end
    asked = math.min(asked + 1, #answers)
    return answers[asked]
  end)
  local done = workspace:bide { "run", "vault", "url=" .. server.url, "--interval", "1ms", ... }
  server:close()
  workspace:remove()
  return done
end

describe("a standby of Vault", function()
  it("is not ready while no node is active", function()
    assert.equal(124, run({ alone }, "", "--max-wait", "0.1s").code)
  end)

  it("is not ready while it does not reach the active node", function()
    local done = run({ cut_off, cut_off, joined }, "http://127.0.0.1:18210", "--max-wait", "50s")
    done:writes(0, "VaultReady succeeded after 3 attempts")
  end)

  it("fails once it was removed from its cluster", function()
    run({ removed }, "", "--max-wait", "50s"):writes(1, "removed is true")
  end)
end)
