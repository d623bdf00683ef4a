---Waits until Vault takes requests: it is the active node, or a standby that knows the active node. Or, with VaultActive,
---until it is the active node; with VaultUnsealed or VaultSealed, until it is unsealed or sealed. A Vault that is not
---initialized is waited for. OpenBao is asked in the same way.
---Vault is near, and a poll is cheap: the delays are 50 ms to 250 ms.
---
---    bide run vault https://vault:8200 ca=ca.pem --max-wait 1m
---    bide run vault VaultActive localhost:8200 --max-wait 1m

local acceptor, http = require "bide.acceptor", require "bide.http"

---A standby forwards requests to the active node. It may be unsealed while no node is active.
local function knows_active(input, health)
  local response = health.ha_connection_healthy ~= false and http.request(http.request_of(input, "/v1/sys/leader"))
  local leader = response and response:document() and response:json()
  return type(leader) == "table" and type(leader.leader_address) == "string" and leader.leader_address ~= ""
end

---The status of an answer says the same as its body: 429 is a standby, 501 is not initialized, 503 is sealed.
local function get_health(input)
  local response = http.request(http.request_of(input, "/v1/sys/health"))
  local health = response:document() and response:json()
  if type(health) ~= "table" or type(health.sealed) ~= "boolean" or type(health.initialized) ~= "boolean" then
    error(response:operation_error() or { type = "InvalidAnswer", message = "this is not Vault" })
  end
  return { initialized = health.initialized, sealed = health.sealed, standby = health.standby ~= false, version = health.version,
    ready = not health.sealed and (health.standby == false or knows_active(input, health)),
    removed = health.removed_from_cluster == true }
end

local function waiter(text, opposite, path)
  return { documentation = text, opposite = opposite, minDelay = 0.05, maxDelay = 0.25,
    acceptors = { acceptor.output("success", path), acceptor.output("failure", "removed"), acceptor.transient() } }
end

return { GetHealth = { call = get_health, check = http.mistake, default = "VaultReady",
  input = http.service_inputs "localhost:8200", waitable = {
  VaultReady = waiter("Waits until Vault takes requests.", nil, "ready"),
  VaultUnsealed = waiter("Waits until Vault is unsealed.", "VaultSealed", "initialized && !sealed"),
  VaultSealed = waiter("Waits until Vault is sealed.", "VaultUnsealed", "initialized && sealed"),
  VaultActive = waiter("Waits until Vault is the active node.", nil, "initialized && !sealed && !standby") } } }
