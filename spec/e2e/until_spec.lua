---Acceptors of the command line: --until, --fail, --fail-message and --retry-on.

local Workspace = require "spec.support.workspace"
local core = require "bide.core"

local recipe = [[
return {
  Get = {
    call = function(input)
      if input.error then error { type = input.error, message = "no luck" } end
      return input
    end,
    waitable = {
      Ready = { minDelay = 0.01, maxDelay = 0.01, acceptors = {
        { state = "success", matcher = { success = true } },
        { state = "failure", matcher = { output = { path = "broken", comparator = "booleanEquals", expected = "true" } } },
        { state = "retry", matcher = { errorType = "Busy" } },
      } },
    },
  },
}
]]

describe("acceptors of the command line", function()
  local workspace = Workspace.of_block { ["get.lua"] = recipe }

  local function run(input, ...)
    return workspace:outcome { "run", "get.lua", "--input", input, "--max-wait", "0.1s", ... }
  end

  ---The expression, the output, whether --until matches.
  local rows = {
    { "state=done", '{"state": "done"}', true }, { "state=done", '{"state": "Done"}', false },
    { "count=3", '{"count": 3}', true }, { "ready=true", '{"ready": true}', true }, { "ready=false", '{"ready": false}', true },
    { "ready=false", "{}", false }, { "items=a", '{"items": ["a"]}', false }, { "ready", '{"ready": true}', true },
    { "ready", '{"ready": []}', false }, { "state == 'done'", '{"state": "done"}', true },
    { "items[?name=='a'].state | [0]=up", '{"items": [{"name": "a", "state": "up"}]}', true },
    { "items[?n!=`1`] | length(@)=2", '{"items": [{"n": 1}, {"n": 2}, {"n": 3}]}', true },
    { [["a=b"=c=d]], '{"a=b": "c=d"}', true }, { [["a=b"]], '{"a=b": true}', true }, { "a==`\"=\"`=true", "{}", false },
    { "n <= `3`", '{"n": 3}', true }, { "n<=`3`=true", '{"n": 3}', true }, { "state=a==b", '{"state": "a==b"}', true },
    { "state == ''", '{"state": ""}', true }, { "state=it's", [[{"state": "it's"}]], true },
  }
  for _, row in ipairs(rows) do
    local expression, output, answer = table.unpack(row)
    it(("%s on %s: %s"):format(expression, output, answer), function()
      local outcome, done = run(output, "--until", expression)
      assert.equal(answer and 0 or 124, done.code, done.stderr)
      assert.equal(answer and 1 or nil, outcome.acceptor)
      if answer then assert.matches(('(--until "%s")'):format(expression), outcome.message, 1, true) end
    end)
  end

  it("are numbered --fail, --until, --retry-on, then the waiter's own without those for success", function()
    local options = { "--retry-on", "Slow", "--until", "a=1", "--fail", "b=1", "--until", "c", "--fail", "d" }
    local function decide(input)
      local outcome, done = run(input, "--max-attempts", "1", table.unpack(options))
      return { outcome.acceptor or outcome.history[1].acceptor, done.code }
    end
    assert.same({ 1, 1 }, decide '{"b": 1, "a": 1, "c": true}')
    assert.same({ 2, 1 }, decide '{"d": 1, "a": 1, "c": true}')
    assert.same({ 3, 0 }, decide '{"a": 1, "c": true}')
    assert.same({ nil, 4 }, decide '{"a": 1}')
    assert.same({ nil, 4 }, decide '{"c": true}')
    assert.same({ 4, 4 }, decide '{"error": "Slow"}')
    assert.same({ 5, 1 }, decide '{"a": 1, "c": true, "broken": true}')
    assert.same({ 6, 4 }, decide '{"error": "Busy"}')
    local planned = workspace:bide { "plan", "get.lua", "--max-wait", "1s", table.unpack(options) }.stdout
    local listed = workspace:bide { "list", "get.lua", table.unpack(options) }.stdout
    for _, text in ipairs { planned, listed } do
      local lines = {}
      for line in text:gmatch "acceptor %d: [^\n]*" do lines[#lines + 1] = line end
      assert.same({
        'acceptor 1: failure  --fail "b=1"', 'acceptor 2: failure  --fail "d"', 'acceptor 3: success  --until "a=1"',
        'acceptor 4: retry    --retry-on "Slow"', 'acceptor 5: failure  broken booleanEquals "true"',
        "acceptor 6: retry    the error Busy",
      }, lines)
      assert.matches('acceptor 3: success  %-%-until "a=1"\n *and  %-%-until "c"\n', text)
    end
  end)

  it("are named where they have not matched", function()
    local outcome = run('{"state": "new"}', "--until", "state=done", "--until", "ready")
    assert.matches('; last seen: state is "new", ready is null, broken is null; unmet: --until "state=done", --until "ready"',
      outcome.message, 1, true)
    outcome = run('{"state": "new", "ready": true}', "--until", "state=done", "--until", "ready")
    assert.matches('; unmet: %-%-until "state=done"$', outcome.message)
    assert.not_matches("unmet", run('{"state": "new", "broken": true}', "--until", "state=done").message)
  end)

  it("keep the waiter's own acceptors for success without --until", function()
    local outcome, done = run('{"state": "x"}', "--fail", "state=failed")
    assert.same({ 0, 2 }, { done.code, outcome.acceptor })
  end)

  it("fail with the value of --fail-message, and name the waiter", function()
    local outcome, done = run('{"state": "failed", "reason": "disk full"}', "--until", "state=done", "--fail", "state=failed",
      "--fail-message", "reason")
    assert.equal(1, done.code)
    assert.matches('^Ready failed after 1 attempt in [%d.]+ s: disk full %(%-%-fail "state=failed"%)$', outcome.message)
    assert.same({ acceptor = 1, path = "state", value = "failed" }, outcome.seen[1])
  end)

  it("let an unmatched error end the wait, and --retry-on not", function()
    local outcome, done = run('{"error": "Nope"}', "--until", "state=done")
    assert.same({ 3, "unmatchedError" }, { done.code, outcome.reason })
    outcome, done = run('{"error": "ns#Nope"}', "--until", "state=done", "--retry-on", "Nope")
    assert.same({ 124, "maxWait" }, { done.code, outcome.reason })
  end)

  ---The options, what the message has in it.
  local mistakes = {
    { { "--until", "state=[" , "--until", "a b" }, "%-%-until: syntax: [^\n]*\n  a b\n    ^" },
    { { "--until", "=done" }, "%-%-until: syntax: found no expression before '='\n  =done\n  %^" },
    { { "--until", "" }, "%-%-until: expected EXPRESSION, found an empty text" },
    { { "--until", "a[?b=3" }, "%-%-until: syntax: [^\n]*\n  a%[%?b=3\n      %^" },
    { { "--fail", "a b=c" }, "%-%-fail: syntax: [^\n]*\n  a b\n    %^" },
    { { "--until", "nope(a)=3" }, "%-%-until: unknown%-function: " },
    { { "--fail-message", "a" }, "%-%-fail%-message needs %-%-fail" },
    { { "--fail", "a", "--fail-message", "a b" }, "%-%-fail%-message: syntax: " },
    { { "--retry-on", "" }, "%-%-retry%-on: expected TYPE, found an empty text" },
  }
  for _, row in ipairs(mistakes) do
    it("are refused: " .. table.concat(row[1], " "), function()
      for _, command in ipairs { "run", "plan", "list" } do
        local words = command == "list" and { "list", "get.lua" } or { command, "get.lua", "--max-wait", "1s" }
        local done = workspace:bide(table.move(row[1], 1, #row[1], #words + 1, words))
        assert.equal(2, done.code)
        assert.matches(row[2], done.stderr)
        assert.equal("", command == "list" and "" or done.stdout)
      end
    end)
  end

  it("hide the text that a secret member is compared with", function()
    local outcome = run('{"password": "sesame street"}', "--until", "password=sesame street")
    assert.equal("success", outcome.state)
    assert.not_matches("sesame", core.json.encode(outcome))
  end)

  it("are taken by replay", function()
    workspace:write("answers.jsonl", '{"output": {"state": "a"}}\n{"error": {"type": "Slow"}}\n{"output": {"state": "b"}}\n')
    local outcome, done = workspace:outcome { "replay", "get.lua", "Ready", "answers.jsonl", "--max-wait", "1m",
      "--until", "state=b", "--retry-on", "Slow" }
    assert.same({ 0, 3, 1 }, { done.code, outcome.attempts, outcome.acceptor })
    assert.same({ nil, 2, 1 }, { outcome.history[1].acceptor, outcome.history[2].acceptor, outcome.history[3].acceptor })
  end)

  it("are a part of what --resume compares", function()
    local function words(...)
      return { "run", "get.lua", "x=1", "--max-wait", "1s", "--journal", "waits.db", ... }
    end
    local cut = workspace:start(words("--until", "x=2", "--events", "-"))
    cut:wait_for_output '"attempt": 2,'
    cut:kill "sigint"
    assert.equal(130, cut:wait().code)
    workspace:bide(words("--until", "x=1", "--resume")):says(0, "the journal has no such wait")
    workspace:bide(words("--until", "x=2", "--resume")):says(124, "continuing Ready, which began")
  end)
end)
