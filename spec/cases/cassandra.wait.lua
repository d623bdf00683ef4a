---Cases of the recipe cassandra. `answers` are in place of its requests, so they test acceptors and delays.
return {
  recipe = "cassandra",
  {
    name = "CassandraReady tries again until it succeeds",
    waiter = "CassandraReady",
    input = { url = "db1,db2:9042" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = {} },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "CassandraReady fails: BadCredentials",
    waiter = "CassandraReady",
    input = { url = "db1,db2:9042" },
    answers = { { error = { type = "BadCredentials" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
}
