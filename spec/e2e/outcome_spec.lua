---The outcome: how a wait ended, with everything that explains it.

local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"

local pending = [[{"state": "success", "matcher": {"output": {"path": "status", "comparator": "stringEquals",
  "expected": "ok"}}}]]
local not_found = [[{"state": "retry", "matcher": {"errorType": "NotFound"}}]]
local failed = [[{"state": "failure", "message": "%s", "matcher": {"output": {"path": "status", "comparator": "stringEquals",
  "expected": "failed"}}}]]

local function acceptors(...) return "[" .. table.concat({ ... }, ",") .. "]" end

describe("an outcome", function()
  local workspace = Workspace.of_block()

  local function outcome_of(list, answers, ...)
    return workspace:outcome(workspace:replay_of(list, answers, "--max-wait", "10m", ...))
  end

  it("has its members in the order in which people read them", function()
    local _, done = outcome_of(acceptors(pending), { '{"output": {"status": "ok"}}' }, "name=foo")
    local names = {}
    for name in done.stdout:gmatch('\n  "(%w+)":') do names[#names + 1] = name end
    assert.same({ "waiter", "state", "reason", "acceptor", "message", "attempts", "elapsed", "maxWait", "input", "output",
      "seen", "history" }, names)
  end)

  it("is one line as text", function()
    local words = workspace:replay_of(acceptors(pending), { '{"output": {}}', '{"output": {"status": "ok"}}' },
      "--max-wait", "10m", "--quiet")
    local done = workspace:bide(words)
    assert.equal('Waiter succeeded after 2 attempts in 2 s: status is "ok"\n', done.stdout)
    assert.equal("", done.stderr)
  end)

  it("keeps numbers as seconds, whole ones whole", function()
    local outcome = outcome_of(acceptors(pending), { '{"output": {}, "duration": 0.25}', '{"output": {"status": "ok"}}' })
    assert.equal("integer", math.type(outcome.maxWait))
    assert.equal(2.25, outcome.elapsed)
    assert.same({ attempt = 1, at = 0.0, duration = 0.25, state = "retry", delay = 2.0 }, outcome.history[1])
    assert.same({ attempt = 2, at = 2.25, duration = 0.0, state = "success", acceptor = 1 }, outcome.history[2])
  end)

  local error_line = '{"error": {"type": "NotFound", "message": "no such thing", "status": 404}}'
  local pending_line = '{"output": {"status": "pending"}}'
  local late_line = '{"output": {"status": "late"}, "duration": 60}'

  ---Whatever ends it: what was really seen last, and nothing else.
  local last_seen = {
    { "max wait", { error_line, pending_line }, { "--max-wait=5s" }, 124, "output" },
    { "max wait", { pending_line, error_line }, { "--max-wait=5s" }, 124, "error" },
    { "max attempts", { error_line, pending_line }, { "--max-attempts=2" }, 4, "output" },
    { "an unmatched error", { pending_line, '{"error": {"type": "Denied"}}' }, {}, 3, "error" },
    { "a cut after an output", { pending_line, late_line }, { "--max-wait=5s" }, 124, "output" },
    { "a cut after an error", { error_line, late_line }, { "--max-wait=5s" }, 124, "error" },
  }

  for _, case in ipairs(last_seen) do
    it(("has the last %s after %s"):format(case[5], case[1]), function()
      local outcome, done = outcome_of(acceptors(pending, not_found), case[2], table.unpack(case[3]))
      assert.equal(case[4], done.code)
      assert.is_not_nil(outcome[case[5]])
      assert.is_nil(outcome[case[5] == "error" and "output" or "error"])
      assert.not_matches("late", done.stdout)
    end)
  end

  it("has neither before anything was seen", function()
    local outcome, done = outcome_of(acceptors(pending), { '{"output": {}, "duration": 60}' }, "--max-wait=5s")
    assert.equal(124, done.code)
    assert.is_nil(outcome.output)
    assert.is_nil(outcome.error)
    assert.is_nil(outcome.seen)
    assert.same({ attempt = 1, at = 0.0, duration = 5.0 }, outcome.history[1])
    assert.matches("; nothing was seen: attempt 1 was cut off after 5 s without an answer$", outcome.message)
  end)

  it("names no acceptor where none decided", function()
    local outcome = outcome_of(acceptors(pending, not_found), { error_line }, "--max-attempts=1")
    assert.is_nil(outcome.acceptor)
    assert.equal(2, outcome.history[1].acceptor)
    assert.equal("retry", outcome.history[1].state)
  end)

  it("tells what each acceptor's path gave", function()
    local outcome = outcome_of(acceptors(pending, [[{"state": "failure", "matcher": {"output": {"path": "parts[].state",
      "comparator": "anyStringEquals", "expected": "bad"}}}]]), { '{"output": {"parts": [{"state": "a"}, {"state": 5}]}}' },
      "--max-attempts=1")
    assert.same({ { acceptor = 1, path = "status", value = require("bide.core").json.null },
      { acceptor = 2, path = "parts[].state", value = { "a", 5 } } }, outcome.seen)
    assert.matches('last seen: status is null, parts[].state is ["a",5]', outcome.message, 1, true)
  end)

  describe("of a failure", function()
    local cases = {
      { "a string", "why", '"broken disk"', "Waiter failed after 1 attempt in 0 s: broken disk" },
      { "a list of strings", "why", '["broken", "disk"]', "Waiter failed after 1 attempt in 0 s: broken, disk" },
      { "a projection", "why[].text", '[{"text": "a"}, {"text": "b"}]', "Waiter failed after 1 attempt in 0 s: a, b" },
      { "a number", "why", "5", 'Waiter failed after 1 attempt in 0 s: status is "failed"' },
      { "a list with a number", "why", '["a", 5]', 'Waiter failed after 1 attempt in 0 s: status is "failed"' },
      { "an empty list", "why", "[]", 'Waiter failed after 1 attempt in 0 s: status is "failed"' },
      { "an empty string", "why", '""', 'Waiter failed after 1 attempt in 0 s: status is "failed"' },
      { "null", "why", "null", 'Waiter failed after 1 attempt in 0 s: status is "failed"' },
      { "an expression that fails", "abs(why)", '"x"', 'Waiter failed after 1 attempt in 0 s: status is "failed"' },
    }
    for _, case in ipairs(cases) do
      it("has the acceptor's own message: " .. case[1], function()
        local answer = ('{"output": {"status": "failed", "why": %s}}'):format(case[3])
        local outcome, done = outcome_of(acceptors(failed:format(case[2]), pending), { answer })
        assert.equal(1, done.code)
        assert.equal(case[4], outcome.message)
      end)
    end

    it("has the error's message where there is no output", function()
      local on_error = [[{"state": "failure", "message": "why", "matcher": {"errorType": "NotFound"}}]]
      local outcome = outcome_of(acceptors(on_error, pending), { error_line })
      assert.equal("Waiter failed after 1 attempt in 0 s: no such thing", outcome.message)
    end)
  end)

  describe("of a long wait", function()
    local outcome

    setup(function()
      outcome = outcome_of(acceptors(pending), { pending_line }, "--max-delay=2s", "--max-wait", "1h")
    end)

    it("keeps the first and the last attempts, and says how many lie between", function()
      assert.equal(1800, outcome.attempts)
      assert.equal(100, #outcome.history)
      assert.equal(1700, outcome.omitted)
      for i = 1, 50 do
        assert.equal(i, outcome.history[i].attempt)
        assert.equal(1750 + i, outcome.history[50 + i].attempt)
      end
    end)

    it("keeps all of them up to the bound", function()
      local whole = outcome_of(acceptors(pending), { pending_line }, "--max-attempts=100", "--max-delay=2s")
      assert.equal(100, #whole.history)
      assert.is_nil(whole.omitted)
    end)
  end)

  it("of 100,000 attempts takes little time and memory", function()
    local lines = {}
    for i = 1, 100000 do lines[i] = ('{"output": {"status": "s%d"}}'):format(i % 7) end
    local outcome = outcome_of(acceptors(pending), lines, "--max-delay=2s", "--max-wait=60h", "--max-attempts=100000")
    assert.equal(100000, #outcome.history + outcome.omitted)
    local words = workspace:replay_of(acceptors(pending), { pending_line }, "--max-wait", "60h", "--max-delay", "2s")
    workspace:write("words", table.concat(words, " "))
    if process.is_sanitized then return end
    assert.equal(124, workspace:shell([[ulimit -v 200000; ulimit -t 10; "$BIDE" $(cat words) --quiet]]).code)
  end)
end)
