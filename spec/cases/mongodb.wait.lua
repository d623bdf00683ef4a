---Cases of the recipe mongodb. `answers` are in place of its requests, so they test acceptors and delays.
return {
  recipe = "mongodb",
  {
    name = "MongodbReady tries again until it succeeds",
    waiter = "MongodbReady",
    input = { url = "mongodb://db" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = { state = "standalone" } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "MongodbReady fails: WrongReplicaSet",
    waiter = "MongodbReady",
    input = { url = "mongodb://db" },
    answers = { { error = { type = "WrongReplicaSet" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "MongodbReady fails: AuthenticationFailed",
    waiter = "MongodbReady",
    input = { url = "mongodb://db" },
    answers = { { error = { type = "AuthenticationFailed" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "MongodbReady succeeds: state stringEquals primary",
    waiter = "MongodbReady",
    input = { url = "mongodb://db" },
    answers = { { output = { state = "primary" } } },
    expect = { state = "success", reason = "acceptor", attempts = 1 },
  },
  {
    name = "MongodbReady succeeds: state stringEquals secondary",
    waiter = "MongodbReady",
    input = { url = "mongodb://db" },
    answers = { { output = { state = "secondary" } } },
    expect = { state = "success", reason = "acceptor", attempts = 1 },
  },
  {
    name = "MongodbReady succeeds: state stringEquals router",
    waiter = "MongodbReady",
    input = { url = "mongodb://db" },
    answers = { { output = { state = "router" } } },
    expect = { state = "success", reason = "acceptor", attempts = 1 },
  },
  {
    name = "PrimaryElected fails: WrongReplicaSet",
    waiter = "PrimaryElected",
    input = { url = "mongodb://db" },
    answers = { { error = { type = "WrongReplicaSet" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "PrimaryElected fails: AuthenticationFailed",
    waiter = "PrimaryElected",
    input = { url = "mongodb://db" },
    answers = { { error = { type = "AuthenticationFailed" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
}
