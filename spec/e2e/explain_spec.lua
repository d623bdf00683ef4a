---`--explain`: each attempt, each acceptor, the value that it looked at, and why it did or did not match.

local Workspace = require "spec.support.workspace"

local recipe = [[
local acceptor = require "bide.acceptor"
return {
  Get = {
    call = function(input)
      if input.error then error { type = input.error, message = "token=hunter2hunter2" } end
      return { state = input.state, password = "sesame street" }
    end,
    waitable = { Done = { minDelay = 0.01, maxDelay = 0.01, acceptors = {
      acceptor.output("failure", "state", "failed"),
      acceptor.output("success", "state", "done"),
      { state = "success", matcher = { lua = function(context) return context.output ~= nil and context.output.odd == 1 end } },
      { state = "retry", matcher = { status = { 404, 410 } } },
      acceptor.error("retry", "NotFound"),
      acceptor.transient(),
      { state = "success", matcher = { output = { path = "password", comparator = "stringEquals", expected = "x" } } },
    } } },
  },
}
]]

describe("--explain", function()
  local workspace = Workspace.of_block { ["get.lua"] = recipe }

  local function run(...)
    return workspace:bide { "run", "get.lua", "--max-wait", "0.1s", "--quiet", "--explain", ... }
  end

  local function replay(lines, ...)
    workspace:write("answers.jsonl", table.concat(lines, "\n") .. "\n")
    return workspace:bide { "replay", "get.lua", "Done", "answers.jsonl", "--max-wait", "1m", "--quiet", "--explain", ... }
  end

  it("says of each acceptor what it looked at and what that gave", function()
    local done = run "state=done"
    assert.equal(0, done.code)
    assert.matches('^Done succeeded after 1 attempt in [%d.]+ s: state is "done"\n$', done.stdout)
    local text = done.stderr:gsub("at [%d.]+ s, took [%d.]+ s", "at 0 s, took 0 s")
    assert.equal([[
Done, attempt by attempt:
attempt 1, at 0 s, took 0 s: acceptor 2 matched: success
  it returned the output {"password":"[redacted]","state":"done"}
  acceptor 1, failure, state stringEquals "failed": no, state is "done"
  acceptor 2, success, state stringEquals "done": yes, state is "done"
  acceptor 3, success, a custom matcher: not asked
  acceptor 4, retry, the status 404 or 410: not asked
  acceptor 5, retry, the error NotFound: not asked
  acceptor 6, retry, a transient error: not asked
  acceptor 7, success, password stringEquals "x": not asked, password is "[redacted]"
]], text)
  end)

  it("says so of errors, of a status, and of an attempt after which none could follow", function()
    local done = replay({ '{"error": {"type": "Timeout", "status": 504}}', '{"error": {"type": "NotFound", "status": 404}}',
      '{"output": {}, "status": 200}' }, "--max-attempts", "3")
    assert.equal(4, done.code)
    for _, text in ipairs {
      "attempt 1, at 0 s, took 0 s: acceptor 6 matched: retry in 0.01 s\n  it returned the error Timeout (504)\n",
      "  acceptor 2, success, state stringEquals \"done\": no, there is no output\n",
      "  acceptor 4, retry, the status 404 or 410: no, the status is 504\n",
      "  acceptor 5, retry, the error NotFound: no, the error is Timeout\n",
      "  acceptor 6, retry, a transient error: yes, the error is Timeout, which is transient\n",
      "  acceptor 4, retry, the status 404 or 410: yes, the status is 404\n",
      "attempt 3, at 0.02 s, took 0 s: no acceptor matched: this attempt was the last\n",
      "  acceptor 3, success, a custom matcher: no, it did not return true\n",
      "  acceptor 5, retry, the error NotFound: no, there is no error\n",
    } do
      assert.matches(text, done.stderr, 1, true)
    end
  end)

  it("says that no acceptor matched an error, and what a cut attempt was", function()
    local done = replay { '{"error": {"type": "Odd", "message": "so"}}' }
    done:says(3, "took 0 s: no acceptor matched the error: failure\n  it returned the error Odd: so\n",
      "acceptor 6, retry, a transient error: no, the error is Odd, which is not transient\n")
    done = replay { '{"output": {}, "duration": 100}' }
    assert.equal(124, done.code)
    assert.matches("^Done, attempt by attempt:\nattempt 1, at 0 s, took 1 m: cut off\nDone exceeded [^\n]*\n$", done.stderr)
  end)

  it("names acceptors of the command line as they were given", function()
    local done = replay({ '{"output": {"state": ["x"]}}', '{"output": {"state": "x"}}' }, "--until", "state=x")
    assert.matches('acceptor 1, success, --until "state=x": no, it wants the text "x", state is the list ["x"]\n', done.stderr, 1,
      true)
    assert.matches('acceptor 1, success, --until "state=x": yes, state is "x"\n', done.stderr, 1, true)
  end)

  it("names the member that a misspelt path may mean", function()
    local done = replay({ '{"output": {"state": "x"}}' }, "--until", "sate=x", "--max-attempts", "1")
    assert.matches(': no, sate is null: there is no member sate; did you mean state?\n', done.stderr, 1, true)
  end)

  it("shows what several attempts in a row saw once", function()
    local done = replay({ '{"output": {}}' }, "--max-attempts", "4")
    assert.equal(1, select(2, done.stderr:gsub("it returned", "")))
    assert.equal(3, select(2, done.stderr:gsub("\n  as in attempt 1\n", "")))
  end)

  it("is bounded as the history is", function()
    local lines = {}
    for number = 1, 120 do lines[number] = ('{"output": {"number": %d}}'):format(number) end
    local done = replay(lines, "--max-attempts", "120")
    assert.matches("\nattempt 50, .*\n… 20 attempts are left out\nattempt 71, .*\nattempt 120, ", done.stderr)
    assert.equal(100, select(2, done.stderr:gsub("it returned", "")))
  end)

  it("of a fleet is of the waits that failed", function()
    workspace:write("each.jsonl", '{"state": "done"}\n{"state": "failed"}\n{"error": "Odd"}\n')
    local done = workspace:bide { "run", "get.lua", "--max-wait", "1s", "--quiet", "--explain", "--each", "each.jsonl" }
    done:says(3, "Done (line 2 (state=failed)), attempt by attempt:\n", "Done (line 3 (error=Odd)), attempt by attempt:\n")
    assert.not_matches("line 1", done.stderr)
    workspace:write("each.jsonl", '{"state": "new"}\n{"state": "done"}\n')
    done = workspace:bide { "run", "get.lua", "--max-wait", "9s", "--quiet", "--explain", "--any", "--each", "each.jsonl" }
    assert.same({ 0, "" }, { done.code, done.stderr }) -- the other wait was cancelled
  end)

  it("shows no secret, and no byte that commands a terminal", function()
    local done = run("error=Odd")
    assert.matches("it returned the error Odd: token=%[redacted%]", done.stderr)
    assert.not_matches("hunter2", done.stderr)
    done = replay { '{"error": {"type": "Odd", "message": "\\u001b[2J\\nattempt 9"}}' }
    assert.not_matches("\27", done.stderr)
    assert.not_matches("\nattempt 9", done.stderr)
    assert.matches("sesame", workspace:bide({ "run", "get.lua", "state=done", "--max-wait", "50s", "--quiet", "--explain",
      "--show-secrets" }).stderr)
  end)

  it("says of a resumed wait which attempts an earlier process made", function()
    local function words(...)
      return { "run", "get.lua", "state=new", "--max-wait", "1s", "--journal", "waits.db", "--explain", ... }
    end
    local cut = workspace:start(words("--events", "-"))
    cut:wait_for_output '"attempt": 3,'
    cut:kill "sigint"
    assert.equal(130, cut:wait().code)
    local done = workspace:bide(words("--resume", "--quiet"))
    assert.equal(124, done.code)
    local before, first = done.stderr:match "attempts up to (%d+) were made by an earlier process\nattempt (%d+), "
    assert.equal(tonumber(before) + 1, tonumber(first))
  end)

  it("is refused nowhere and changes no outcome", function()
    local with = run("state=failed", "--output", "json")
    local without = workspace:bide { "run", "get.lua", "state=failed", "--max-wait", "0.1s", "--quiet", "--output", "json" }
    assert.same({ with.code, (with.stdout:gsub("%d%.%d+", "0")) }, { without.code, (without.stdout:gsub("%d%.%d+", "0")) })
  end)
end)
