---The sentence of an outcome: why a wait ended, what acceptors wanted in place of what was seen, and what helps.

local Workspace = require "spec.support.workspace"
local bide = require "bide"
local core = require "bide.core"

describe("the sentence of an outcome", function()
  local workspace = Workspace.of_block()

  local function message(acceptors, answers, ...)
    return workspace:outcome(workspace:replay_of(acceptors, answers, ...)).message
  end

  local function equals(path, comparator, expected, state)
    return { state = state or "success",
      matcher = { output = { path = path, comparator = comparator, expected = expected } } }
  end

  local pending = { equals("status", "stringEquals", "done") }

  it("says that the next attempt would begin after the deadline", function()
    assert.equal('Waiter gave up after 1 s and 2 attempts: the next would begin after --max-wait 3s; last seen: status is "new"',
      message(pending, { '{"output": {"status": "new"}}' }, "--max-wait", "3s", "--seed", "1"))
  end)

  it("says that the deadline was exceeded where it cut an attempt", function()
    local text = message(pending, { '{"output": {"status": "new"}}', '{"output": {}, "duration": 60}' }, "--max-wait", "1m30s",
      "--interval", "40s", "--max-attempts", "9")
    assert.equal('Waiter exceeded --max-wait 1m30s after 2 attempts in 1 m 30 s; last seen: status is "new"', text)
  end)

  it("names max attempts by their option", function()
    assert.equal('Waiter gave up after 1 attempt in 0 s (--max-attempts 1); last seen: status is "new"',
      message(pending, { '{"output": {"status": "new"}}' }, "--max-wait", "5s", "--max-attempts", "1"))
  end)

  ---comparator, what it expects, the value, what it wants; false where a value like that may match.
  local rows = {
    { "stringEquals", "200", "200", 'wants the string "200", x is the number 200' },
    { "stringEquals", "true", "true", 'wants the string "true", x is the boolean true' },
    { "stringEquals", "a", '["a"]', 'wants the string "a", x is the list ["a"]' },
    { "stringEquals", "a", '{"b":1}', 'wants the string "a", x is the object {"b":1}' },
    { "stringEquals", "done", '" Done"', 'wants the string "done", x is the string " Done"' },
    { "stringEquals", "done", '"other"', false }, { "stringEquals", "done", "null", false },
    { "booleanEquals", "true", '"true"', 'wants the boolean true, x is the string "true"' },
    { "booleanEquals", "true", "1", "wants the boolean true, x is the number 1" },
    { "booleanEquals", "true", "false", false },
    { "anyStringEquals", "5", "[5]", 'wants a list with the string "5", x is the list [5]' },
    { "anyStringEquals", "a", '"a"', 'wants a list with the string "a", x is the string "a"' },
    { "anyStringEquals", "a", "[]", false }, { "anyStringEquals", "a", '["b"]', false },
    { "allStringEquals", "a", '"a"', 'wants a list of strings that all are "a", x is the string "a"' },
    { "allStringEquals", "a", '["b",1]', false },
  }
  for _, row in ipairs(rows) do
    local comparator, expected, value, words = table.unpack(row)
    it(("of %s %q on %s: %s"):format(comparator, expected, value, words or "nothing"), function()
      for _, option in ipairs { "--max-attempts", "--max-wait" } do
        local limit = option == "--max-wait" and "1s" or "1"
        local text = message({ equals("x", comparator, expected) }, { ('{"output": {"x": %s}}'):format(value) }, "--max-wait",
          "9s", option, limit)
        assert.equal(words and "acceptor 1 " .. words or nil, text:match "; (acceptor .*)$")
      end
    end)
  end

  it("names the position of the acceptor, two of them at most", function()
    local list = { equals("a", "stringEquals", "x", "failure"), equals("b", "stringEquals", "y"),
      equals("c", "stringEquals", "1", "retry"), equals("d", "stringEquals", "1") }
    assert.equal('last seen: a is "z", b is 1, c is 2, d is 3; acceptor 2 wants the string "y", b is the number 1; '
      .. 'acceptor 3 wants the string "1", c is the number 2',
      message(list, { '{"output": {"a": "z", "b": 1, "c": 2, "d": 3}}' }, "--max-wait", "50s"):match "; (.*)$")
  end)

  it("names the member that a misspelt path may mean, once", function()
    local list = { equals("stauts", "stringEquals", "bad", "failure"), equals("stauts", "stringEquals", "done"),
      equals("jobs[0].nmae", "stringEquals", "a") }
    assert.equal("; acceptor 1: there is no member stauts; did you mean status?; acceptor 3: there is no member nmae; "
      .. "did you mean name?", message(list, { '{"output": {"status": "new", "jobs": [{"name": "a"}]}}' }, "--max-wait", "50s")
        :match "is null(; acceptor.*)$")
    assert.not_matches("mean", message(list, { '{"output": {}}' }, "--max-wait", "50s"))
  end)

  it("does so for --until", function()
    assert.matches('; acceptor 1 wants the text "done", status is the list ["done"]',
      message(pending, { '{"output": {"status": ["done"]}}' }, "--max-wait", "50s", "--until", "status=done"), 1, true)
    assert.not_matches("wants", message(pending, { '{"output": {"status": 5}}' }, "--max-wait", "50s", "--until", "status=6"))
    local compared = { { state = "success", matcher = { expect = { path = "status==done" } } } }
    assert.matches("; acceptor 1 wants the members status and done to be equal, not the text 'done', "
      .. "status==done is the boolean false",
      message(compared, { '{"output": {"status": "done"}}' }, "--max-wait", "50s"), 1, true)
  end)

  it("shows no secret in it", function()
    local answers = { '{"output": {"password": 12345678}}' }
    local text = message({ equals("password", "stringEquals", "5") }, answers, "--max-wait", "50s")
    assert.not_matches("12345678", text)
    assert.not_matches("wants", text)
  end)

  it("advises what helps against an error that no acceptor matched", function()
    local function of(failure, ...)
      return message(pending, { core.json.encode { error = failure } }, "--max-wait", "5s", ...)
    end
    assert.equal("Waiter failed after 1 attempt in 0 s: no acceptor matched the error ServiceUnavailable (503) "
      .. "(transient: add --tolerate 1m, or a retry acceptor)", of { type = "ServiceUnavailable", status = 503 })
    assert.matches("in a row had been tolerated$", of({ type = "ServiceUnavailable", status = 503 }, "--tolerate", "1"))
    assert.matches("certificate %(a wrong certificate is final; %-%-retry%-on TlsFailure waits for it%)$",
      of { type = "TlsFailure", message = "self-signed certificate" })
    assert.matches("the error TlsFailure: no shared cipher$", of { type = "TlsFailure", message = "no shared cipher" })
    assert.matches("the error NotFound$", of { type = "NotFound" })
  end)

  it("names the options of scripts in scripts", function()
    local function failure_of(call, options)
      local waiter = bide.waiter { name = "Up", call = call, acceptors = { equals("a", "stringEquals", "b") } }
      return select(2, waiter:wait({}, options)).message
    end
    local function fail_with(kind, text) return function() error { type = kind, message = text } end end
    local function answer() return { a = "c" } end
    assert.matches('%(transient: add tolerate = "1m", or a retry acceptor%)$', failure_of(fail_with "Timeout", { maxWait = 1 }))
    assert.matches('is final; acceptor.error%("retry", "TlsFailure"%) waits for it%)$',
      failure_of(fail_with("TlsFailure", "certificate"), { maxWait = 1 }))
    assert.matches('the next would begin after maxWait = "1.5s"; ', failure_of(answer, { maxWait = 1.5 }))
    assert.matches("%(maxAttempts = 1%)", failure_of(answer, { maxWait = 5, maxAttempts = 1 }))
  end)
end)
