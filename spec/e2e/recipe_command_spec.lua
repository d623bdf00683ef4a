local Directory = require "spec.support.directory"
local process = require "spec.support.process"
local timely = require "spec.support.timely"
local processes = require "spec.support.processes"

require "spec.support.proven"

describe("the recipe command, with processes", function()
  local directory = Directory.of_each()
  local mark

  before_each(function() mark = processes.mark() end)

  after_each(function() assert.equal(0, mark:count_after(0.5)) end)

  local function command(...)
    return { process.bide, "run", "command", "--min-delay", "50ms", "--max-delay", "50ms", ... }
  end

  local function run(...) return process.run(command(...), { env = mark.env }) end

  it("succeeds where the command does, with the JSON that it printed", function()
    for printed, output in pairs { well = "{}", [""] = "{}", ["[1, 2]"] = "%[1, 2%]", ["5"] = "5" } do
      local done = run(("run=echo '%s'"):format(printed), "--max-wait", "5s", "--output", "json")
      done:prints(0, '"waiter": "CommandSucceeded"')
      assert.matches('"output": ' .. output, (done.stdout:gsub("%s+", " "):gsub("%[ ", "["):gsub(" %]", "]")))
    end
  end)

  it("waits until it does, without a shell too", function()
    local file = directory.path .. "/a file"
    local started = process.start(command(('argv:=["test","-e","%s"]'):format(file), "--max-wait", "10s"))
    started:wait_for_output "CommandFailed: the exit code is 1"
    directory:write("a file", "")
    assert.equal(0, started:wait().code)
  end)

  it("waits for what the JSON says that it prints, which is the output", function()
    local file = directory:write("status.json", '{"status":{"phase":"Pending"}}')
    local started = process.start(command(("run=cat '%s'"):format(file), "path=status.phase", "expect=Running",
      "--max-wait", "10s", "--output", "json"))
    started:wait_for_output 'status.phase is "Pending", expected "Running"'
    directory:write("status.json", '{"status":{"phase":"Running"}}')
    assert.equal(0, started:wait().code)
    assert.matches('"output": {%s*"status": {%s*"phase": "Running"', started.stdout)
  end)

  it("waits for another exit code, and says why the command failed", function()
    assert.equal(0, run("run=exit 3", "code=3", "--max-wait", "5s").code)
    local done = run("run=echo no server >&2; exit 2", "--max-attempts", "1", "--max-wait", "20s")
    done:says(4, "CommandFailed: the exit code is 2: no server")
  end)

  it("takes bytes of any kind", function()
    run([[run=printf '{"a":"\377\303\244"}\000']], "expect=a", "--max-wait", "5s"):ends(0)
  end)

  it("fails at once where there is no such program", function()
    local done = run('argv:=["no-such-program"]', "--max-wait", "5s")
    done:says(3, "ProgramNotFound")
    done = run("run=no-such-program -x", "--max-wait", "5s")
    assert.equal(3, done.code)
    assert.matches("ProgramNotFound.*no%-such%-program", done.stderr)
  end)

  it("kills the group at the deadline", function()
    timely.within(process.is_sanitized and 60 or 1, function()
      local done = run("run=sleep 60 & sleep 60", "--max-wait", "300ms")
      assert.equal(124, done.code)
      assert.equal(0, mark:count_after(0.2))
      return done.elapsed
    end)
  end)

  it("kills at the deadline what ignores TERM, before bide itself ends", function()
    timely.within(process.is_sanitized and 60 or 1, function()
      local done = run("run=trap '' TERM; sleep 60 & sleep 60; sleep 60", "--max-wait", "300ms")
      assert.equal(124, done.code)
      assert.equal(0, mark:count_after(0.1))
      return done.elapsed
    end)
  end)

  it("lets what heeds TERM end in its own way", function()
    local file = directory.path .. "/ended"
    run(("run=trap 'echo ended >%s; exit' TERM; while :; do :; done"):format(file), "--max-wait", "1500ms")
    assert.equal("ended\n", directory:read "ended")
  end)

  it("kills the group when bide is told to end", function()
    for signal, code in pairs { sigint = 130, sigterm = 143 } do
      timely.within(process.is_sanitized and 60 or 1, function()
        local done = process.run(command("run=sleep 60 & sleep 60", "--max-wait", "20s"),
          { env = mark.env, signal = signal, caught_for = 0.3 })
        assert.equal(code, done.code)
        assert.equal(0, mark:count_after(0.2))
        return done.elapsed
      end)
    end
  end)

  it("is done with every attempt before the command behind it runs", function()
    local file = directory.path .. "/there"
    local line = ("run=trap '' TERM; test -e %s && exit 0; touch %s; sleep 60; sleep 60"):format(file, file)
    process.run(command(line, "timeout=0.1", "--max-wait", "20s", "--", "sleep", "0.3"), { env = mark.env }):ends(0)
  end)

  it("tries again where the command takes too long", function()
    local done = run("run=sleep 60", "timeout=0.05", "--max-wait", "400ms")
    done:says(124, "ExecTimeout")
    assert.not_matches("after 1 attempt ", done.stderr)
  end)

  it("takes the command as a word, and several exit codes for a success", function()
    assert.equal(0, process.run({ process.bide, "command", "exit 4", "code=0,4", "--max-wait", "5s" }).code)
    assert.equal(0, run("argv=sh,-c,exit 4", "code:=[4]", "--max-wait", "5s").code)
  end)

  it("fails at once on an exit code of failed, with the reason", function()
    local done = run([[run=echo '{"reason":"disk full"}'; exit 3]], "failed=2,3", "message=reason", "--max-wait", "5s")
    assert.equal(1, done.code)
    assert.matches("CommandSucceeded failed after 1 attempt in .*: disk full", done.stderr)
    done = run("run=echo no disk >&2; exit 2", "failed=2,3", "--max-wait", "5s")
    done:says(1, "the exit code is 2: no disk")
    done = run("run=exit 1", "failed=2,3", "--max-attempts", "1", "--max-wait", "20s")
    assert.equal(4, done.code)
  end)

  it("ends by the command line's acceptors over what it prints", function()
    local done = run([[run=echo '{"state":"failed","reason":"disk full"}']], "path=state", "expect=done",
      "--fail", "state=failed", "--fail-message", "reason", "--max-wait", "5s")
    assert.equal(1, done.code)
    assert.matches("CommandSucceeded failed after 1 attempt in .*: disk full", done.stderr)
    assert.equal(0, run([[run=echo '[{"id":7}]']], "--until", "[0].id=7", "--max-wait", "5s").code)
  end)

  it("matches what the command prints with a pattern", function()
    assert.equal(0, run("run=echo version 12.3", "matches=\\d+\\.\\d", "--max-wait", "5s").code)
    local done = run("run=echo version 12", "matches=\\d+\\.\\d", "--max-attempts", "1", "--max-wait", "20s")
    assert.equal(4, done.code)
    assert.truthy(done.stderr:find([[expected a match of "\\d+\\.\\d", found none]], 1, true), done.stderr)
  end)

  it("runs the shell that it is told", function()
    assert.equal(0, run("run=echo version 12", "matches_lua=^version %d+", "--max-wait", "5s").code)
    assert.equal(0, run("run=[[ a == a ]] && echo $BASH_VERSION", "shell=bash", "matches=\\d", "--max-wait", "5s").code)
    run("run=true", "shell=/no/shell", "--max-wait", "5s"):says(3, "ProgramNotFound")
  end)

  it("wants either run or argv, and no mistyped input", function()
    for words, message in pairs {
      [{ "path=a" }] = "or argv; found neither",
      [{ "run=x", 'argv:=["x"]' }] = "or argv; found both",
      [{ "argv:=[]" }] = "argv: expected the program first",
      [{ "rnu=x" }] = 'unknown input "rnu", did you mean "run"%?',
      [{ "run=x", "code=300" }] = "code%[1%]: expected .*255",
      [{ "run=x", "failed=one" }] = "failed%[1%]: expected an integer",
      [{ "run=x", "path=a." }] = "path: ",
    } do
      local done = run("--max-wait", "1s", table.unpack(words))
      assert.same({ 2, "" }, { done.code, done.stdout }, table.concat(words, " "))
      assert.matches(message, done.stderr)
    end
  end)
end)
