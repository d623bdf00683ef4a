---Waits until a command succeeds with exit code 0, or one of `code`.
---The machine is near, and a command may take much of its time: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run command 'pg_isready -h db' --max-wait 30s
---    bide command argv:='["kubectl","get","pod","web","-o","json"]' path=status.phase expect=Running --max-wait 5m
---    bide command ./deploy-status failed=2,3 --until "phase=Done" --fail "phase=Failed" --fail-message reason --max-wait 5m
---
---run is a command for the shell, argv a program with its arguments. The output is the JSON that it prints, or {} if it
---prints none. It must also satisfy path, expect and matches. path is a JMESPath whose value must be `expect`; without
---`expect` true, or a list or an object that is not empty. Where no JSON is printed, there is no such value. Without path,
---`expect` is a text that the command must print. An exit code of `failed` ends the wait.

local acceptor = require "bide.acceptor"
local exec = require "bide.exec"
local expect = require "bide.expect"

local codes = { type = "integer", minimum = 0, maximum = 255 }
local input = expect.inputs {
  run = { type = "string", positional = 1, example = "pg_isready -h db", documentation = "A command for the shell." },
  shell = { type = "string", default = "/bin/sh", documentation = "The shell that runs it." },
  argv = { type = "list", of = { type = "string" }, documentation = "In place of run: a program and its arguments." },
  code = { type = "list", of = codes, default = { 0 }, documentation = "The exit codes of a success." },
  failed = { type = "list", of = codes, documentation = "The exit codes that mean failure." },
  folder = { type = "path", documentation = "The folder in which it runs. Default: that of bide." },
  timeout = { type = "duration", documentation = "The time for one attempt." },
}

local function check(given)
  if (given.run ~= nil) == (given.argv ~= nil) then
    local found = given.run and "both" or "neither"
    return ("expected either run, a command in one word such as 'ls -l', or argv; found %s"):format(found)
  end
  if given.argv and (given.argv[1] or "") == "" then return "argv: expected the program first" end
  return expect.mistake(given)
end

local function prepare(given)
  local words, options = given.argv or { given.shell, "-c", given.run }, { timeout = given.timeout, cwd = given.folder }
  return function()
    local done = exec(words, options)
    expect.code(done, given)
    return expect.text(done.stdout, given, done:output())
  end
end

return { Run = {
  place = "local",
  prepare = prepare,
  fact = "'the exit code means success'",
  check = check,
  input = input,
  waitable = {
    CommandSucceeded = {
      documentation = "Waits until a command succeeds.",
      countsAsReady = "the command ends by itself with an exit code of code, and prints what path, expect and matches ask for",
      minDelay = 0.05, maxDelay = 5, lateness = 0.05,
      acceptors = { expect.failure(), expect.success(), acceptor.transient("CommandFailed", "UnexpectedValue", "MatchLimit") },
    },
  },
} }
