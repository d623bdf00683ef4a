---Cases of the recipe systemd. `answers` are in place of its requests, so they test acceptors and delays.
return {
  recipe = "systemd",
  {
    name = "UnitActive tries again until it succeeds",
    waiter = "UnitActive",
    input = { unit = "postgresql.service" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = { ActiveState = "active" } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "UnitActive fails: LoadState stringEquals not-found",
    waiter = "UnitActive",
    input = { unit = "postgresql.service" },
    answers = { { output = { LoadState = "not-found" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "UnitActive fails: ActiveState stringEquals failed",
    waiter = "UnitActive",
    input = { unit = "postgresql.service" },
    answers = { { output = { ActiveState = "failed" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "UnitFinished tries again until it succeeds",
    waiter = "UnitFinished",
    input = { unit = "postgresql.service" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = { finished = true } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "UnitFinished fails: LoadState stringEquals not-found",
    waiter = "UnitFinished",
    input = { unit = "postgresql.service" },
    answers = { { output = { LoadState = "not-found" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "UnitFinished fails: ActiveState stringEquals failed",
    waiter = "UnitFinished",
    input = { unit = "postgresql.service" },
    answers = { { output = { ActiveState = "failed" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "UnitInactive tries again until it succeeds",
    waiter = "UnitInactive",
    input = { unit = "postgresql.service" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = { ActiveState = "inactive" } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "UnitInactive fails: LoadState stringEquals not-found",
    waiter = "UnitInactive",
    input = { unit = "postgresql.service" },
    answers = { { output = { LoadState = "not-found" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "UnitInactive fails: ActiveState stringEquals failed",
    waiter = "UnitInactive",
    input = { unit = "postgresql.service" },
    answers = { { output = { ActiveState = "failed" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
}
