---Cases of the recipe file. `answers` are in place of its requests, so they test acceptors and delays.
return {
  recipe = "file",
  {
    name = "FileExists tries again until it succeeds",
    waiter = "FileExists",
    input = { path = "/run/app.pid" },
    answers = {
      { error = { type = "NotStable" } },
      { error = { type = "UnexpectedValue" } },
      { error = { type = "DanglingLink" } },
      { error = { type = "NotFound" }, duration = 300 },
      { output = {} },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 0.05, 0.05, 2.86 } },
  },
  {
    name = "FileGone tries again until it succeeds",
    waiter = "FileGone",
    input = { path = "/run/app.pid" },
    answers = {
      { error = { type = "NotStable" } },
      { error = { type = "UnexpectedValue" } },
      { error = { type = "DanglingLink" }, duration = 300 },
      { error = { type = "NotFound" } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 0.05, 2.86 } },
  },
  {
    name = "FilesCounted tries again until it succeeds",
    waiter = "FilesCounted",
    input = { path = "/in/*.csv" },
    answers = {
      { error = { type = "NotStable" } },
      { error = { type = "UnexpectedValue" } },
      { error = { type = "DanglingLink" }, duration = 300 },
      { output = { enough = true } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 0.05, 2.86 } },
  },
  {
    name = "FilesGone tries again until it succeeds",
    waiter = "FilesGone",
    input = { path = "/in/*.csv" },
    answers = {
      { error = { type = "NotStable" } },
      { error = { type = "UnexpectedValue" } },
      { error = { type = "DanglingLink" }, duration = 300 },
      { output = { gone = true } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 0.05, 2.86 } },
  },
  {
    name = "LineFound tries again until it succeeds",
    waiter = "LineFound",
    input = { path = "/var/log/app.log" },
    answers = {
      { error = { type = "NotStable" } },
      { error = { type = "UnexpectedValue" } },
      { error = { type = "DanglingLink" }, duration = 300 },
      { output = {} },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 0.05, 2.86 } },
  },
  {
    name = "LineFound fails: FailedLine",
    waiter = "LineFound",
    input = { path = "/var/log/app.log" },
    answers = { { error = { type = "FailedLine" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "LineFound fails: MatchLimit",
    waiter = "LineFound",
    input = { path = "/var/log/app.log" },
    answers = { { error = { type = "MatchLimit" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
}
