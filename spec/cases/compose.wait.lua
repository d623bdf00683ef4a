---Cases of the recipe compose. `answers` are in place of its requests, so they test acceptors and delays.
return {
  recipe = "compose",
  {
    name = "ProjectGone tries again until it succeeds",
    waiter = "ProjectGone",
    input = { project = "shop" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = { left = "none" } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "ProjectReady tries again until it succeeds",
    waiter = "ProjectReady",
    input = { project = "shop" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = { state = "ready" } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "ProjectReady fails: state stringEquals failed",
    waiter = "ProjectReady",
    input = { project = "shop" },
    answers = { { output = { state = "failed" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "LineFound tries again until it succeeds",
    waiter = "LineFound",
    input = { project = "shop", service = "db", matches = "ready" },
    answers = {
      { error = { type = "NotFound" } },
      { error = { type = "Conflict" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = { line = "the database is ready" } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 0.05, 2.86 } },
  },
  {
    name = "LineFound fails: FailedLine",
    waiter = "LineFound",
    input = { project = "shop", service = "db", matches = "ready" },
    answers = { { error = { type = "FailedLine" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "LineFound fails: MatchLimit",
    waiter = "LineFound",
    input = { project = "shop", service = "db", matches = "ready" },
    answers = { { error = { type = "MatchLimit" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "LineFound fails: ContainerEnded",
    waiter = "LineFound",
    input = { project = "shop", service = "db", matches = "ready" },
    answers = { { error = { type = "ContainerEnded" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "LineFound fails: LogUnreadable",
    waiter = "LineFound",
    input = { project = "shop", service = "db", matches = "ready" },
    answers = { { error = { type = "LogUnreadable" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
}
