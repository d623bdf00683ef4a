---Waits until Vault takes requests: it is the active node, or a standby that knows the active node. Or, with VaultActive,
---until it is the active node; with VaultUnsealed or VaultSealed, until it is unsealed or sealed. A Vault that is not
---initialized is waited for, and so is a secondary of a disaster recovery, which takes no requests until it is promoted.
---OpenBao is asked in the same way.
---Vault is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run vault https://vault:8200 ca=ca.pem --max-wait 1m
---    bide run vault VaultActive localhost:8200 --max-wait 1m

local acceptor = require "bide.acceptor"
local http = require "bide.http"
local service = require "bide.service"

local operation = service { http = "localhost:8200" }

local ACTIVE, SECONDARY, UNINITIALIZED, SEALED = 200, 472, 501, 503

---The statuses of a Vault that is unsealed: active, a standby, one that answers reads, one without the active node.
local unsealed = { [ACTIVE] = true, [429] = true, [473] = true, [474] = true, [SECONDARY] = true }

---Reports whether the status of an answer says the same as its body. A node that was removed has any of them.
local function is_consistent(status, health)
  if health.removed_from_cluster == true then return true end
  if not health.initialized then return status == UNINITIALIZED end
  if health.sealed then return status == SEALED end
  if health.standby == false and health.replication_dr_mode ~= "secondary" then return status == ACTIVE end
  return unsealed[status] or false
end

---A standby forwards requests to the active node. It may be unsealed while no node is active.
local function knows_active(get_leader, health)
  local response = health.ha_connection_healthy ~= false and get_leader()
  local leader = response and response.ok and response:document() and response:json()
  return type(leader) == "table" and type(leader.leader_address) == "string" and leader.leader_address ~= ""
end

---@param at string? the address to ask
local function getting(input, path, at)
  local request = http.request_of(input, path)
  request.address = at
  return http.prepare(request)
end

---Returns a function that asks a Vault for its health.
---@param at string? the address to ask
local function prepare_health(input, at)
  local get_health, get_leader = getting(input, "/v1/sys/health", at), getting(input, "/v1/sys/leader", at)
  return function()
    local response = get_health()
    local health = response:document() and response:json()
    local is_vault = type(health) == "table" and type(health.sealed) == "boolean" and type(health.initialized) == "boolean"
    if not is_vault or not is_consistent(response.status, health) then
      error(response:operation_error() or { type = "InvalidAnswer", message = "this is not Vault" })
    end
    local is_removed = health.removed_from_cluster == true
    local takes_requests = health.initialized and not health.sealed and health.replication_dr_mode ~= "secondary"
      and response.status ~= SECONDARY and not is_removed
    local standby = health.standby ~= false
    return {
      initialized = health.initialized, sealed = health.sealed, standby = standby, version = health.version,
      disaster_recovery = health.replication_dr_mode, active = takes_requests and not standby,
      ready = takes_requests and (not standby or knows_active(get_leader, health)),
      removed = is_removed,
    }
  end
end

local function is_sealed(found)
  return type(found) == "table" and found.initialized and found.sealed and not found.removed
end

---Each address has a seal of its own.
local function prepare_seal(input)
  return http.until_found(http.request_of(input), function(at) return prepare_health(input, at) end, is_sealed)
end

---Refuses an answer about the seal that does not say how many shares of the key open it, or that it is open.
local function check_seal(response)
  local seal = response.ok and response:document() and response:json()
  local is_closed = type(seal) == "table" and seal.initialized == true and seal.sealed == true
  if is_closed and math.type(seal.t) == "integer" and math.type(seal.n) == "integer" then return true end
  error { type = "InvalidAnswer", message = "/v1/sys/seal-status does not say what /v1/sys/health says" }
end

---Another question about the seal, of each address.
local function confirm_seal(context)
  if not is_sealed(context.output) then return true end
  return http.at_each_address(http.request_of(context.input), function(at)
    return check_seal(getting(context.input, "/v1/sys/seal-status", at)())
  end)
end

local removed = acceptor.output("failure", "removed")

local output = {
  initialized = { type = "boolean" },
  sealed = { type = "boolean" },
  standby = { type = "boolean" },
  active = { type = "boolean" },
  ready = { type = "boolean" },
  removed = { type = "boolean" },
  version = { type = "string" },
  disaster_recovery = { type = "string" },
}

return { GetHealth = operation {
  prepare = function(input) return prepare_health(input) end,
  output = output,
  default = "VaultReady",
  waitable = {
    VaultReady = {
      documentation = "Waits until Vault takes requests.",
      countsAsReady = "/v1/sys/health says initialized, not sealed, no secondary of a disaster recovery, and active, or a "
        .. "standby that names an active node",
      acceptors = { acceptor.output("success", "ready"), removed },
    },
    VaultUnsealed = {
      documentation = "Waits until Vault is unsealed.",
      countsAsReady = "/v1/sys/health says initialized and not sealed",
      opposite = "VaultSealed",
      acceptors = { removed, acceptor.output("success", "initialized && !sealed") },
    },
    VaultActive = {
      documentation = "Waits until Vault is the active node.",
      countsAsReady = "/v1/sys/health says active (standby is false), not sealed, and no secondary of a disaster recovery",
      acceptors = { acceptor.output("success", "active"), removed },
    },
  },
}, GetSeal = operation {
  prepare = prepare_seal,
  witness = confirm_seal,
  output = output,
  waitable = {
    VaultSealed = {
      documentation = "Waits until Vault is sealed.",
      countsAsGone = "/v1/sys/health and /v1/sys/seal-status of each address say initialized and sealed; a Vault that does "
        .. "not answer is not sealed",
      opposite = "VaultUnsealed",
      acceptors = { removed, acceptor.output("success", "initialized && sealed") },
    },
  },
} }
