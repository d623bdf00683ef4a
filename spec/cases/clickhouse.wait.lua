---Cases of the recipe clickhouse. `answers` are in place of its requests, so they test acceptors and delays;
---with `exchanges` it sends them.

local shapes = require "shapes"

local server = { url = "localhost:8123" }
local query = { query = "SELECT 1 FROM jobs", url = "localhost:8123" }

return {
  recipe = "clickhouse",
  shapes.succeeds("ClickhouseReady", server, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = {} },
  }, { 0.05, 2.86 }),
  shapes.fails("ClickhouseReady", "AUTHENTICATION_FAILED", server),
  shapes.fails("ClickhouseReady", "SYNTAX_ERROR", server),
  shapes.fails("RowFound", "AUTHENTICATION_FAILED", query),
  shapes.fails("RowFound", "SYNTAX_ERROR", query),
  shapes.fails("RowGone", "AUTHENTICATION_FAILED", query),
  shapes.fails("RowGone", "SYNTAX_ERROR", query),
  shapes.succeeds("RowFound", query, {
    { error = { type = "UNKNOWN_TABLE" } },
    { output = { data = {} } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { data = { { ["1"] = 1 } } } },
  }, { 0.05, 0.05, 2.86 }),
  shapes.succeeds("RowGone", query, {
    { output = { data = { { ["1"] = 1 } } } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { data = {} } },
  }, { 0.05, 2.86 }),
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
