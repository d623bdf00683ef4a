---The workflow of the specification, through `bide replay`: what an attempt means
---and what comes next. One row is one wait.

local Workspace = require "spec.support.workspace"

local function output(state, path, comparator, expected, kind)
  return ('{"state": "%s", "matcher": {"%s": {"path": "%s", "comparator": "%s", "expected": "%s"}}}')
    :format(state, kind or "output", path, comparator, expected)
end

local function error_type(state, name) return ('{"state": "%s", "matcher": {"errorType": "%s"}}'):format(state, name) end
local function succeeds(state, value) return ('{"state": "%s", "matcher": {"success": %s}}'):format(state, value) end

local never = error_type("success", "Never")

---name, acceptors, answers, words, then what the outcome says.
local cases = {
  { "the first acceptor that matches decides",
    { succeeds("failure", true), succeeds("success", true) }, { '{"output": 1}' }, {},
    { state = "failure", reason = "acceptor", acceptor = 1, attempts = 1, code = 1 } },
  { "an acceptor to retry goes before later ones",
    { output("retry", "s", "stringEquals", "busy"), succeeds("success", true) },
    { '{"output": {"s": "busy"}}', '{"output": {"s": "free"}}' }, {},
    { state = "success", reason = "acceptor", acceptor = 2, attempts = 2, code = 0 } },
  { "an output that nothing matches is retried",
    { output("success", "s", "stringEquals", "ok") }, { '{"output": {}}', '{"output": {"s": "ok"}}' }, {},
    { state = "success", attempts = 2, code = 0 } },
  { "an error that nothing matches is a failure",
    { succeeds("success", true) }, { '{"error": {"type": "Denied"}}' }, {},
    { state = "failure", reason = "unmatchedError", attempts = 1, code = 3 } },
  { "success: false matches every error, transport errors too",
    { succeeds("success", false) }, { '{"output": 1}', '{"error": {"type": "ConnectionRefused"}}' }, {},
    { state = "success", acceptor = 1, attempts = 2, code = 0 } },
  { "success: false does not match an output",
    { succeeds("success", false) }, { '{"output": 1}' }, { "--max-attempts", "2" },
    { reason = "maxAttempts", attempts = 2, code = 4 } },
  { "success: true does not match an error",
    { succeeds("success", true) }, { '{"error": {"type": "X"}}' }, {}, { reason = "unmatchedError", code = 3 } },
  { "an errorType is compared by name, whatever namespace the acceptor gives",
    { error_type("success", "ns.x#Foo") }, { '{"error": {"type": "Foo"}}' }, {}, { state = "success", code = 0 } },
  { "an errorType is compared by name, whatever namespace the error gives",
    { error_type("success", "Foo") }, { '{"error": {"type": "ns.x#Foo:http://amazon.com/x"}}' }, {},
    { state = "success", code = 0 } },
  { "an errorType is compared whole", { error_type("success", "Foo") }, { '{"error": {"type": "FooBar"}}' }, {},
    { reason = "unmatchedError", code = 3 } },
  { "an errorType is case-sensitive", { error_type("success", "Foo") }, { '{"error": {"type": "foo"}}' }, {},
    { reason = "unmatchedError", code = 3 } },
  { "max attempts are exact", { never }, { '{"output": 1}' }, { "--max-attempts", "1" },
    { reason = "maxAttempts", attempts = 1, elapsed = 0.0, code = 4 } },
  { "success on the very last attempt is success", { output("success", "@", "stringEquals", "ok") },
    { '{"output": 1}', '{"output": "ok"}' }, { "--max-attempts", "2" }, { state = "success", attempts = 2, code = 0 } },
  { "where both limits end it, the reason is maxAttempts", { never }, { '{"output": 1}' },
    { "--max-attempts", "1", "--max-wait", "1s" }, { reason = "maxAttempts", code = 4 } },
  { "remaining == minDelay ends at once", { never }, { '{"output": 1}' }, { "--max-wait", "2s" },
    { reason = "maxWait", attempts = 1, elapsed = 0.0, code = 124 } },
  { "remaining just above minDelay allows one more", { never }, { '{"output": 1}' }, { "--max-wait", "2001ms" },
    { reason = "maxWait", attempts = 2, elapsed = 0.001, code = 124 } },
  { "the first attempt runs however short the wait", { succeeds("success", true) }, { '{"output": 1}' },
    { "--max-wait", "1ms" }, { state = "success", attempts = 1, code = 0 } },
  { "an answer at exactly the deadline counts", { succeeds("success", true) }, { '{"output": 1, "duration": 5}' },
    { "--max-wait", "5s" }, { state = "success", attempts = 1, elapsed = 5.0, code = 0 } },
  { "an answer a millisecond later does not", { succeeds("success", true) }, { '{"output": 1, "duration": 5.001}' },
    { "--max-wait", "5s" }, { reason = "maxWait", attempts = 1, elapsed = 5.0, code = 124 } },
  { "an error at exactly the deadline counts", { succeeds("success", true) },
    { '{"error": {"type": "X"}, "duration": 5}' }, { "--max-wait", "5s" }, { reason = "unmatchedError", code = 3 } },
  { "a duration is no delay: it counts against the wait", { never }, { '{"output": 1, "duration": 3}' },
    { "--max-wait", "5s" }, { reason = "maxWait", attempts = 1, elapsed = 3.0, code = 124 } },
  { "the last answer stands for all later ones", { never }, { '{"output": 1}', '{"output": 2}' },
    { "--max-attempts", "9", "--max-wait", "1h" }, { attempts = 9, output = 2, code = 4 } },
  { "blank lines are no answers", { output("success", "@", "stringEquals", "ok") },
    { '{"output": 1}', "", "  ", '{"output": "ok"}' }, {}, { state = "success", attempts = 2, code = 0 } },
  { "inputOutput sees both", { output("success", "length(input.groups) == length(output.groups)", "booleanEquals",
    "true", "inputOutput") }, { '{"output": {"groups": [1]}}', '{"output": {"groups": [1, 2]}}' },
    { "groups:=[3,4]" }, { state = "success", attempts = 2, code = 0 } },
  { "output matchers do not see errors", { output("success", "type", "stringEquals", "X") },
    { '{"error": {"type": "X"}}' }, {}, { reason = "unmatchedError", code = 3 } },
}

---comparator, expected, output, whether it matches.
local comparisons = {
  { "stringEquals", "ok", '"ok"', true }, { "stringEquals", "", '""', true },
  { "stringEquals", "", "null", false }, { "stringEquals", "null", "null", false },
  { "stringEquals", "1", "1", false }, { "stringEquals", "true", "true", false },
  { "stringEquals", "ok", '["ok"]', false }, { "stringEquals", "ok", '"OK"', false },
  { "booleanEquals", "true", "true", true }, { "booleanEquals", "false", "false", true },
  { "booleanEquals", "true", "1", false }, { "booleanEquals", "false", "0", false },
  { "booleanEquals", "false", "[]", false }, { "booleanEquals", "false", "null", false },
  { "booleanEquals", "true", '"true"', false }, { "booleanEquals", "false", '""', false },
  { "allStringEquals", "a", '["a","a"]', true }, { "allStringEquals", "a", "[]", false },
  { "allStringEquals", "a", '["a","b"]', false }, { "allStringEquals", "a", '["a",null]', false },
  { "allStringEquals", "a", '"a"', false }, { "allStringEquals", "a", '{"x":"a"}', false },
  { "allStringEquals", "1", "[1]", false }, { "anyStringEquals", "a", '["b","a"]', true },
  { "anyStringEquals", "a", "[]", false }, { "anyStringEquals", "a", "null", false },
  { "anyStringEquals", "a", '"a"', false }, { "anyStringEquals", "a", '[["a"]]', false },
}

---Paths whose evaluation fails: they do not match, and the history says why.
local failing_paths = { "length(n)", "abs(s)", "contains(n, `1`)", "sort(@)", "max_by(l, &s)", "ends_with(n, 'x')" }

describe("bide replay", function()
  local workspace = Workspace.of_block()

  local function outcome_of(acceptors, answers, words)
    local given = false
    for _, word in ipairs(words) do given = given or word == "--max-wait" end
    local all = workspace:replay_of("[" .. table.concat(acceptors, ",") .. "]", answers, table.unpack(words))
    if not given then table.move({ "--max-wait", "1m" }, 1, 2, #all + 1, all) end
    return workspace:outcome(all)
  end

  ---Every trait needs an acceptor of success.
  local function with_success(acceptors)
    if table.concat(acceptors):find('"state": "success"', 1, true) then return acceptors end
    return { table.unpack(acceptors), never }
  end

  for _, case in ipairs(cases) do
    it(case[1], function()
      local outcome, done = outcome_of(with_success(case[2]), case[3], case[4])
      for name, value in pairs(case[5]) do
        if name == "code" then assert.equal(value, done.code) else assert.same(value, outcome[name]) end
      end
    end)
  end

  for _, case in ipairs(comparisons) do
    local comparator, expected, value, matches = table.unpack(case)
    it(("%s %q %s %s"):format(comparator, expected, matches and "matches" or "does not match", value), function()
      local outcome = outcome_of({ output("success", "v", comparator, expected) }, { '{"output": {"v": ' .. value .. "}}" },
        { "--max-attempts", "1" })
      assert.equal(matches and "acceptor" or "maxAttempts", outcome.reason)
    end)
  end

  for _, path in ipairs(failing_paths) do
    it("goes on where a path cannot be evaluated: " .. path, function()
      local outcome, done = outcome_of({ output("failure", path, "stringEquals", "x"), succeeds("success", true) },
        { '{"output": {"s": "text", "n": 5, "l": [{"s": 1}, {"s": "a"}]}}' }, {})
      assert.equal(0, done.code)
      assert.equal(2, outcome.acceptor)
      assert.matches("^invalid%-type: ", outcome.history[1].note)
    end)
  end

  it("takes no time for a wait of an hour, and none of the network", function()
    local began = require("luv").hrtime()
    local outcome = outcome_of({ never }, { '{"output": 1, "duration": 0.5}' }, { "--max-wait", "1h" })
    assert.is_true(outcome.elapsed > 3400)
    assert.is_true((require("luv").hrtime() - began) / 1e9 < 50)
  end)

  it("has no operation, unless --with gives one", function()
    local words = workspace:replay_of("[" .. succeeds("success", true) .. "]", { '{"output": 1}' }, "--max-wait", "5s")
    assert.is_nil(workspace:outcome(words).operation)
    workspace:write("with.lua", "return { GetThing = function() error('is not called') end }")
    table.move({ "--with", "with.lua" }, 1, 2, #words + 1, words)
    assert.equal("GetThing", workspace:outcome(words).operation)
  end)

  it("gives the same delays for the same seed, others for another", function()
    local function delays(seed)
      local list = {}
      local outcome = outcome_of({ never }, { '{"output": 1}' }, { "--seed", seed, "--max-wait", "10m" })
      for position, attempt in ipairs(outcome.history) do list[position] = attempt.delay end
      return list
    end
    assert.same(delays "42", delays "42")
    assert.not_same(delays "42", delays "43")
  end)
end)
