---Waits until Vault is unsealed, as an active node or a standby. Or, with VaultActive, until it is the active node; with
---VaultSealed, until it is sealed.
---Vault is near, and a poll is cheap: the delays are 50 ms to 250 ms.
---
---    bide run vault https://vault:8200 ca=ca.pem --max-wait 1m
---    bide run vault VaultActive localhost:8200 --max-wait 1m
---
---OpenBao is asked in the same way. A Vault that is not initialized is waited for.

local acceptor, http = require "bide.acceptor", require "bide.http"

---The status of an answer says the same as its body: 429 is a standby, 501 is not initialized, 503 is sealed.
local function get_health(input)
  local response = http.request(http.request_of(input, "/v1/sys/health"))
  local health = response:document() and response:json()
  if type(health) ~= "table" or type(health.sealed) ~= "boolean" then
    error(response:operation_error() or { type = "InvalidAnswer", message = "this is not Vault" })
  end
  return { initialized = health.initialized, sealed = health.sealed, standby = health.standby, version = health.version }
end

local function waiter(text, opposite, path)
  return { documentation = text, opposite = opposite, minDelay = 0.05, maxDelay = 0.25,
    acceptors = { acceptor.output("success", path), acceptor.transient() } }
end

return { GetHealth = { call = get_health, check = http.mistake, default = "VaultUnsealed",
  input = http.service_inputs "localhost:8200", waitable = {
  VaultUnsealed = waiter("Waits until Vault is unsealed.", "VaultSealed", "initialized && !sealed"),
  VaultSealed = waiter("Waits until Vault is sealed.", "VaultUnsealed", "initialized && sealed"),
  VaultActive = waiter("Waits until Vault is the active node.", nil, "initialized && !sealed && !standby") } } }
