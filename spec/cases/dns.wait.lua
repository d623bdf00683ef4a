---Cases of the recipe dns. `answers` are in place of its requests, so they test acceptors and delays.
return {
  recipe = "dns",
  {
    name = "NameGone tries again until it succeeds",
    waiter = "NameGone",
    input = { name = "db.internal" },
    answers = {
      { output = {} },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { error = { type = "NameNotFound" } },
    },
    expect = { state = "success", reason = "acceptor", attempts = 3 },
  },
  {
    name = "NameGone succeeds: NoData",
    waiter = "NameGone",
    input = { name = "db.internal" },
    answers = { { error = { type = "NoData" } } },
    expect = { state = "success", reason = "acceptor", attempts = 1 },
  },
  {
    name = "NameGone succeeds: UnexpectedValue",
    waiter = "NameGone",
    input = { name = "db.internal" },
    answers = { { error = { type = "UnexpectedValue" } } },
    expect = { state = "success", reason = "acceptor", attempts = 1 },
  },
  {
    name = "NameKnown tries again until it succeeds",
    waiter = "NameKnown",
    input = { name = "db.internal" },
    answers = {
      { error = { type = "NameNotFound" } },
      { error = { type = "NoData" } },
      { error = { type = "UnexpectedValue" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = {} },
    },
    expect = { state = "success", reason = "acceptor", attempts = 5 },
  },
}
