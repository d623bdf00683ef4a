---Waits until Vault takes requests: it is the active node, or a standby that knows the active node. Or, with VaultActive,
---until it is the active node; with VaultUnsealed or VaultSealed, until it is unsealed or sealed. A Vault that is not
---initialized is waited for, and so is a secondary of a disaster recovery, which takes no requests until it is promoted.
---OpenBao is asked in the same way.
---Vault is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run vault https://vault:8200 ca=ca.pem --max-wait 1m
---    bide run vault VaultActive localhost:8200 --max-wait 1m

local acceptor, http = require "bide.acceptor", require "bide.http"

local SECONDARY = 472

---A standby forwards requests to the active node. It may be unsealed while no node is active.
local function knows_active(input, health)
  local response = health.ha_connection_healthy ~= false and http.request(http.request_of(input, "/v1/sys/leader"))
  local leader = response and response:document() and response:json()
  return type(leader) == "table" and type(leader.leader_address) == "string" and leader.leader_address ~= ""
end

---The status of an answer says the same as its body: 429 is a standby, 472 a secondary of a disaster recovery, 501 is not
---initialized, 503 is sealed.
local function get_health(input)
  local response = http.request(http.request_of(input, "/v1/sys/health"))
  local health = response:document() and response:json()
  if type(health) ~= "table" or type(health.sealed) ~= "boolean" or type(health.initialized) ~= "boolean" then
    error(response:operation_error() or { type = "InvalidAnswer", message = "this is not Vault" })
  end
  local takes_requests = health.initialized and not health.sealed and health.replication_dr_mode ~= "secondary"
    and response.status ~= SECONDARY
  local standby = health.standby ~= false
  return { initialized = health.initialized, sealed = health.sealed, standby = standby, version = health.version,
    disaster_recovery = health.replication_dr_mode, active = takes_requests and not standby,
    ready = takes_requests and (not standby or knows_active(input, health)),
    removed = health.removed_from_cluster == true }
end

local function waiter(text, opposite, path, more)
  local definition = { documentation = text, opposite = opposite, minDelay = 0.05, maxDelay = 5, lateness = 0.05,
    acceptors = { acceptor.output("success", path), acceptor.output("failure", "removed"), acceptor.transient() } }
  for name, value in pairs(more) do definition[name] = value end
  return definition
end

return { GetHealth = { call = get_health, check = http.mistake, default = "VaultReady",
  input = http.service_inputs "localhost:8200", waitable = {
  VaultReady = waiter("Waits until Vault takes requests.", nil, "ready", { countsAsReady = "/v1/sys/health says initialized, "
    .. "not sealed, no secondary of a disaster recovery, and active, or a standby that names an active node" }),
  VaultUnsealed = waiter("Waits until Vault is unsealed.", "VaultSealed", "initialized && !sealed",
    { countsAsReady = "/v1/sys/health says initialized and not sealed" }),
  VaultSealed = waiter("Waits until Vault is sealed.", "VaultUnsealed", "initialized && sealed",
    { countsAsGone = "/v1/sys/health says initialized and sealed; a Vault that does not answer is not sealed" }),
  VaultActive = waiter("Waits until Vault is the active node.", nil, "active",
    { countsAsReady = "/v1/sys/health says active (standby is false), not sealed, and no secondary of a disaster recovery" }),
} } }
