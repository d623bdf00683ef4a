---Cases of the recipe mysql. `answers` are in place of its requests, so they test acceptors and delays.
return {
  recipe = "mysql",
  {
    name = "MysqlReady tries again until it succeeds",
    waiter = "MysqlReady",
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = {} },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "MysqlReady fails: 28000",
    waiter = "MysqlReady",
    answers = { { error = { type = "28000" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "MysqlReady fails: 42000",
    waiter = "MysqlReady",
    answers = { { error = { type = "42000" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "RowFound fails: 28000",
    waiter = "RowFound",
    input = { query = "SELECT 1 FROM jobs" },
    answers = { { error = { type = "28000" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "RowFound fails: 42000",
    waiter = "RowFound",
    input = { query = "SELECT 1 FROM jobs" },
    answers = { { error = { type = "42000" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "RowGone fails: 28000",
    waiter = "RowGone",
    input = { query = "SELECT 1 FROM jobs" },
    answers = { { error = { type = "28000" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "RowGone fails: 42000",
    waiter = "RowGone",
    input = { query = "SELECT 1 FROM jobs" },
    answers = { { error = { type = "42000" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "RowFound tries again until it succeeds",
    waiter = "RowFound",
    input = { query = "SELECT 1 FROM jobs" },
    answers = {
      { error = { type = "42S02" } },
      { output = { rows = 0 } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = { rows = 1 } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 0.05, 2.86 } },
  },
  {
    name = "RowGone tries again until it succeeds",
    waiter = "RowGone",
    input = { query = "SELECT 1 FROM jobs" },
    answers = {
      { output = { rows = 1 } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = { rows = 0 } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
}
