---Cases of the recipe vault. `answers` are in place of its requests, so they test acceptors and delays;
---with `exchanges` it sends them.

local shapes = require "shapes"

local input = { url = "localhost:8200" }

return {
  recipe = "vault",
  shapes.succeeds("VaultActive", input, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { active = true } },
  }, { 0.05, 2.86 }),
  shapes.fails("VaultActive", "removed", input, { output = { removed = true } }),
  shapes.succeeds("VaultReady", input, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { ready = true } },
  }, { 0.05, 2.86 }),
  shapes.fails("VaultReady", "removed", input, { output = { removed = true } }),
  shapes.fails("VaultSealed", "removed", input, { output = { removed = true } }),
  shapes.fails("VaultUnsealed", "removed", input, { output = { removed = true } }),
  shapes.succeeds("VaultSealed", input, {
    { error = { type = "ConnectionRefused" } },
    { output = { initialized = true, sealed = false } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { initialized = true, sealed = true } },
  }, { 0.05, 0.05, 2.86 }),
  shapes.succeeds("VaultUnsealed", input, {
    { error = { type = "ConnectionRefused" } },
    { output = { initialized = false, sealed = false } },
    { output = { initialized = true, sealed = true } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { initialized = true, sealed = false } },
  }, { 0.05, 0.05, 0.05, 2.86 }),
  {
    name = "VaultUnsealed asks for the health, and a standby for its leader",
    exchanges = {
      { request = { url = "http://localhost:8200/v1/sys/health" },
        response = { status = 503, json = { initialized = true, sealed = true, standby = true, version = "1.21.4" } } },
      { request = { url = "http://localhost:8200/v1/sys/health" },
        response = { status = 429, json = { initialized = true, sealed = false, standby = true, version = "1.21.4" } } },
      { request = { url = "http://localhost:8200/v1/sys/leader" },
        response = { json = { ha_enabled = true, is_self = false, leader_address = "http://10.0.0.1:8200" } } },
    },
    waiter = "VaultUnsealed",
    input = input,
    expect = { state = "success", attempts = 2, requests = 3 },
  },
}
