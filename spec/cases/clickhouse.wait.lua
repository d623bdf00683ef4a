---Cases of the recipe clickhouse. `answers` are in place of its requests, so they test acceptors and delays.
return {
  recipe = "clickhouse",
  {
    name = "ClickhouseReady tries again until it succeeds",
    waiter = "ClickhouseReady",
    input = { url = "localhost:8123" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = {} },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "ClickhouseReady fails: AUTHENTICATION_FAILED",
    waiter = "ClickhouseReady",
    input = { url = "localhost:8123" },
    answers = { { error = { type = "AUTHENTICATION_FAILED" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "ClickhouseReady fails: SYNTAX_ERROR",
    waiter = "ClickhouseReady",
    input = { url = "localhost:8123" },
    answers = { { error = { type = "SYNTAX_ERROR" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "RowFound fails: AUTHENTICATION_FAILED",
    waiter = "RowFound",
    input = { query = "SELECT 1 FROM jobs", url = "localhost:8123" },
    answers = { { error = { type = "AUTHENTICATION_FAILED" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "RowFound fails: SYNTAX_ERROR",
    waiter = "RowFound",
    input = { query = "SELECT 1 FROM jobs", url = "localhost:8123" },
    answers = { { error = { type = "SYNTAX_ERROR" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "RowGone fails: AUTHENTICATION_FAILED",
    waiter = "RowGone",
    input = { query = "SELECT 1 FROM jobs", url = "localhost:8123" },
    answers = { { error = { type = "AUTHENTICATION_FAILED" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "RowGone fails: SYNTAX_ERROR",
    waiter = "RowGone",
    input = { query = "SELECT 1 FROM jobs", url = "localhost:8123" },
    answers = { { error = { type = "SYNTAX_ERROR" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
}
