---Cases of the recipe dns. `answers` are in place of its requests, so they test acceptors and delays.

local shapes = require "shapes"

local input = { name = "db.internal" }

return {
  recipe = "dns",
  shapes.succeeds("NameGone", input, {
    { output = {} },
    { error = { type = "AliasOnly" }, duration = 300 },
    { error = { type = "NameNotFound" } },
  }, { 0.05, 2.86 }),
  {
    name = "NameGone succeeds: NoData",
    waiter = "NameGone",
    input = input,
    answers = { { error = { type = "NoData" } } },
    expect = { state = "success", reason = "acceptor", attempts = 1 },
  },
  {
    name = "NameGone succeeds: UnexpectedValue",
    waiter = "NameGone",
    input = input,
    answers = { { error = { type = "UnexpectedValue" } } },
    expect = { state = "success", reason = "acceptor", attempts = 1 },
  },
  shapes.succeeds("NameKnown", input, {
    { error = { type = "NameNotFound" } },
    { error = { type = "NoData" } },
    { error = { type = "UnexpectedValue" } },
    { error = { type = "Referral" }, duration = 300 },
    { output = {} },
  }, { 0.05, 0.05, 0.05, 2.86 }),
}
