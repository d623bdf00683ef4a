---Cases of the recipe clickhouse. `answers` are in place of its requests, so they test acceptors and delays;
---with `exchanges` it sends them.
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
  {
    name = "RowFound tries again until it succeeds",
    waiter = "RowFound",
    input = { query = "SELECT 1 FROM jobs", url = "localhost:8123" },
    answers = {
      { error = { type = "UNKNOWN_TABLE" } },
      { output = { data = {} } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = { data = { { ["1"] = 1 } } } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 0.05, 2.86 } },
  },
  {
    name = "RowGone tries again until it succeeds",
    waiter = "RowGone",
    input = { query = "SELECT 1 FROM jobs", url = "localhost:8123" },
    answers = {
      { output = { data = { { ["1"] = 1 } } } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = { data = {} } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "RowFound sends its query as its user",
    waiter = "RowFound",
    input = { url = "localhost:8123", query = "SELECT a FROM t", user = "app:pw" },
    exchanges = {
      {
        request = { url = "http://localhost:8123/?default_format=JSON&query=SELECT%20a%20FROM%20t" },
        response = { json = { meta = { { name = "1", type = "UInt8" } }, data = {}, rows = 0 } },
      },
      {
        request = { url = "http://localhost:8123/?default_format=JSON&query=SELECT%20a%20FROM%20t" },
        response = { json = { meta = { { name = "1", type = "UInt8" } }, data = { { ["1"] = 1 } }, rows = 1 } },
      },
    },
    expect = { state = "success", attempts = 2, requests = 2 },
  },
}
