---Cases of the recipe vault. `answers` are in place of its requests, so they test acceptors and delays.
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
}
