---Cases of the recipe vault. `answers` are in place of its requests, so they test acceptors and delays;
---with `exchanges` it sends them.
return {
  recipe = "vault",
  {
    name = "VaultActive tries again until it succeeds",
    waiter = "VaultActive",
    input = { url = "localhost:8200" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = { active = true } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "VaultActive fails: removed",
    waiter = "VaultActive",
    input = { url = "localhost:8200" },
    answers = { { output = { removed = true } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "VaultReady tries again until it succeeds",
    waiter = "VaultReady",
    input = { url = "localhost:8200" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = { ready = true } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "VaultReady fails: removed",
    waiter = "VaultReady",
    input = { url = "localhost:8200" },
    answers = { { output = { removed = true } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "VaultSealed fails: removed",
    waiter = "VaultSealed",
    input = { url = "localhost:8200" },
    answers = { { output = { removed = true } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "VaultUnsealed fails: removed",
    waiter = "VaultUnsealed",
    input = { url = "localhost:8200" },
    answers = { { output = { removed = true } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "VaultSealed tries again until it succeeds",
    waiter = "VaultSealed",
    input = { url = "localhost:8200" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { output = { initialized = true, sealed = false } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = { initialized = true, sealed = true } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 0.05, 2.86 } },
  },
  {
    name = "VaultUnsealed tries again until it succeeds",
    waiter = "VaultUnsealed",
    input = { url = "localhost:8200" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { output = { initialized = false, sealed = false } },
      { output = { initialized = true, sealed = true } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = { initialized = true, sealed = false } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 0.05, 0.05, 2.86 } },
  },
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
    input = { url = "localhost:8200" },
    expect = { state = "success", attempts = 2, requests = 3 },
  },
}
