---Cases of the recipe dns. `answers` are in place of its requests, so they test acceptors and delays.
return {
  recipe = "dns",
  {
    name = "NameGone tries again until it succeeds",
    waiter = "NameGone",
    input = { name = "db.internal" },
    answers = {
      { output = {} },
      { error = { type = "AliasOnly" }, duration = 300 },
      { error = { type = "NameNotFound" } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
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
      { error = { type = "Referral" }, duration = 300 },
      { output = {} },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 0.05, 0.05, 2.86 } },
  },
}
