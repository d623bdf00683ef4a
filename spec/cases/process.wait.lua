---Cases of the recipe process. `answers` are in place of its requests, so they test acceptors and delays.
return {
  recipe = "process",
  {
    name = "ProcessGone tries again until it succeeds",
    waiter = "ProcessGone",
    answers = {
      { output = {} },
      { error = { type = "InvalidPidFile" }, duration = 300 },
      { error = { type = "ProcessNotFound" } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "ProcessGone fails: ProcessesHidden",
    waiter = "ProcessGone",
    answers = { { error = { type = "ProcessesHidden" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "ProcessRuns tries again until it succeeds",
    waiter = "ProcessRuns",
    answers = {
      { error = { type = "ProcessNotFound" } },
      { error = { type = "ProcessesHidden" } },
      { error = { type = "InvalidPidFile" }, duration = 300 },
      { output = {} },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 0.05, 2.86 } },
  },
}
