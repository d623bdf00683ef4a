---Cases of the recipe mongodb. `answers` are in place of its requests, so they test acceptors and delays.

local shapes = require "shapes"

local input = { url = "mongodb://db" }

return {
  recipe = "mongodb",
  shapes.succeeds("MongodbReady", input, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { state = "standalone" } },
  }, { 0.05, 2.86 }),
  shapes.fails("MongodbReady", "WrongReplicaSet", input),
  shapes.fails("MongodbReady", "AuthenticationFailed", input),
  {
    name = "MongodbReady succeeds: state stringEquals primary",
    waiter = "MongodbReady",
    input = input,
    answers = { { output = { state = "primary" } } },
    expect = { state = "success", reason = "acceptor", attempts = 1 },
  },
  {
    name = "MongodbReady succeeds: state stringEquals secondary",
    waiter = "MongodbReady",
    input = input,
    answers = { { output = { state = "secondary" } } },
    expect = { state = "success", reason = "acceptor", attempts = 1 },
  },
  {
    name = "MongodbReady succeeds: state stringEquals router",
    waiter = "MongodbReady",
    input = input,
    answers = { { output = { state = "router" } } },
    expect = { state = "success", reason = "acceptor", attempts = 1 },
  },
  shapes.fails("PrimaryElected", "WrongReplicaSet", input),
  shapes.fails("PrimaryElected", "AuthenticationFailed", input),
  shapes.succeeds("PrimaryElected", { url = "mongodb://db1,db2,db3/?replicaSet=rs0" }, {
    { error = { type = "UnexpectedAnswer" } },
    { output = { state = "secondary" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { state = "secondary", primary = "db1:27017" } },
  }, { 0.05, 0.05, 2.86 }),
  {
    name = "PrimaryElected fails: a server of no replica set",
    waiter = "PrimaryElected",
    input = { url = "mongodb://db1,db2,db3/?replicaSet=rs0" },
    answers = { { output = { state = "standalone" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1, message = "it is in no replica set" },
  },
  {
    name = "PrimaryElected fails: a router",
    waiter = "PrimaryElected",
    input = { url = "mongodb://db1,db2,db3/?replicaSet=rs0" },
    answers = { { output = { state = "router" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1, message = "it is in no replica set" },
  },
}
