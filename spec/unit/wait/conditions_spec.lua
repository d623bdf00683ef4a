---Conditions of the command line in the core: what counts as a yes, several of them, answers that cannot be looked into, and
---members that no answer had.

local core = require "bide.core"

local json, wait = core.json, core.wait

local nothing = json.document {}

local function document(text) return assert(json.read(text)) end

describe("a yes", function()
  ---JSON, whether it is one of a path, of a success, of a failure
  local rows = {
    { "true", true, true, true }, { "false", false, false, false }, { "null", false, false, false },
    { "[]", false, false, false }, { "{}", false, false, false }, { "[0]", true, true, true },
    { '{"a":null}', true, true, true }, { '""', false, false, false }, { '"DOWN"', true, false, true },
    { '"false"', true, false, false }, { '"False"', true, false, false }, { '"NO"', true, false, false },
    { '"no"', true, false, false }, { '"off"', true, false, false }, { '"Off"', true, false, false },
    { '"none"', true, false, false }, { '"NONE"', true, false, false }, { '"0"', true, false, false },
    { '"nothing"', true, false, true }, { '"no "', true, false, true }, { '"true"', true, false, true },
    { '"00"', true, false, true }, { '"null"', true, false, true }, { "0", true, false, false },
    { "0.0", true, false, false }, { "-0.0", true, false, false }, { "1", true, false, true },
    { "-1", true, false, true }, { "0.5", true, false, true }, { "18446744073709551615", true, false, true },
  }
  for _, row in ipairs(rows) do
    it("is decided in one place: " .. row[1], function()
      local value = document(row[1])
      assert.same({ row[2], row[3], row[4] },
        { wait.is_yes(value, "path"), wait.is_yes(value, "success"), wait.is_yes(value, "failure") })
    end)
  end
end)

---@param rule "success"|"failure"
---@param ... string|table expressions, or { path, text }
local function conditions(rule, ...)
  local all = {}
  for position, one in ipairs { ... } do
    all[position] = type(one) == "string" and { path = one } or { path = one[1], text = one[2] }
  end
  return { state = rule, ["until"] = rule == "success", matcher = { conditions = { rule = rule, all = all } } }
end

local function begin(acceptors, beyond)
  local definition = wait.definition(1, 1, acceptors, beyond)
  return wait.kind(definition, { min_delay = 1, max_delay = 1, max_wait = 1000000 }):start(1, 0)
end

---Returns the verdicts on outputs, one after the other, and the last note.
local function verdicts(acceptors, outputs)
  local state, list, last = begin(acceptors), {}, nil
  for position, output in ipairs(outputs) do
    state:begin()
    local verdict, acceptor, _, note = state:observe(position, { input = nothing, output = document(output) })
    list[position], last = verdict .. (acceptor and " " .. acceptor or ""), note
  end
  return table.concat(list, ", "), last, state
end

describe("several conditions", function()
  it("hold in one answer, and not one after the other", function()
    local acceptors = { conditions("success", { "a", "1" }, { "b", "1" }) }
    assert.equal("retry, retry, success 1",
      (verdicts(acceptors, { '{"a":"1","b":"0"}', '{"a":"0","b":"1"}', '{"a":"1","b":"1"}' })))
  end)

  local own = {
    { state = "failure", matcher = { output = { path = "s", comparator = "stringEquals", expected = "bad" } } },
    { state = "retry", matcher = { output = { path = "s", comparator = "stringEquals", expected = "busy" } } },
    { state = "failure", matcher = { output = { path = "t", comparator = "stringEquals", expected = "bad" } } },
  }

  local function with(...)
    local list = { ... }
    return table.move(own, 1, #own, #list + 1, list)
  end

  it("are tried after the failures of the waiter, in its own order", function()
    local until_n = conditions("success", { "n", "1" })
    assert.equal("failure 2", (verdicts(with(until_n), { '{"n":1,"s":"bad"}' })))
    assert.equal("failure 4", (verdicts(with(until_n), { '{"n":1,"t":"bad"}' })))
    assert.equal("success 1", (verdicts(with(until_n), { '{"n":1,"s":"busy","t":"bad"}' })))
    assert.equal("retry 3", (verdicts(with(until_n), { '{"n":2,"s":"busy","t":"bad"}' })))
    assert.equal("success 1", (verdicts(with(until_n), { '{"n":1}' })))
  end)

  it("hold beside other acceptors for success only together with one of them", function()
    local acceptors = with(conditions("success", { "n", "1" }))
    acceptors[5] = { state = "success", matcher = { output = { path = "d", comparator = "booleanEquals", expected = "true" } } }
    assert.equal("retry", (verdicts(acceptors, { '{"n":1}' })))
    assert.equal("retry 5", (verdicts(acceptors, { '{"d":true}' })))
    assert.equal("success 1", (verdicts(acceptors, { '{"d":true,"n":1}' })))
    assert.equal("retry 3", (verdicts(acceptors, { '{"d":true,"n":1,"s":"busy"}' })))
    assert.equal("failure 2", (verdicts(acceptors, { '{"d":true,"n":1,"s":"bad"}' })))
  end)

  it("are asked after a matcher of a script too, whatever that matches", function()
    local acceptors = { conditions("success", { "n", "1" }), { state = "retry", matcher = { lua = print } } }
    local state = begin(acceptors)
    state:begin()
    assert.equal("ask", (state:observe(1, { input = nothing, output = document '{"n":1}' })))
    assert.same({ "success", 1 }, { table.unpack({ state:accept(1, { output = document '{"n":1}' }, 2) }, 1, 2) })
    assert.same({ "retry", 2 }, { table.unpack({ state:accept(1, { output = document '{"n":2}' }, 2) }, 1, 2) })
  end)

  it("never hold for an error", function()
    local state = begin { conditions("success", "`true`"), { state = "retry", matcher = { errorType = "Busy" } } }
    state:begin()
    assert.same({ "retry", 2 }, { table.unpack({ state:observe(1, { input = nothing, error_type = "Busy" }) }, 1, 2) })
    assert.equal("failure", (state:observe(1, { input = nothing, error_type = "Odd" })))
  end)

  it("must hold as long as the waiter says", function()
    local any_answer = { state = "success", matcher = { success = true } }
    local state = begin({ conditions("success", "a"), any_answer }, { hold_attempts = 2 })
    local list = {}
    for position, output in ipairs { '{"a":true}', '{"a":false}', '{"a":true}', '{"a":true}' } do
      state:begin()
      list[position] = (state:observe(position, { input = nothing, output = document(output) }))
    end
    assert.same({ "retry", "retry", "retry", "success" }, list)
  end)
end)

describe("an answer that conditions cannot look into", function()
  local success = { state = "success", matcher = { success = true } }

  local expressions = { "!a", "a != 'x'", "a == b", "a", "not_null(a, `true`)", "[a, b]", "a || `true`", "length([a])" }
  for _, expression in ipairs(expressions) do
    it("is a retry for " .. expression, function()
      for _, output in ipairs { "5", '"ok"', "null", "true", "[1,2]" } do
        local result = verdicts({ conditions("success", expression) }, { output })
        assert.equal("retry", result, output)
        result = verdicts({ conditions("failure", expression), success }, { output })
        assert.equal("retry 2", result, output)
      end
    end)
  end

  it("is one after answers that had all members, too", function()
    assert.equal("retry, retry", (verdicts({ conditions("success", "!a") }, { '{"a":true}', "5" })))
    assert.equal("success 2, retry 2", (verdicts({ conditions("failure", "!a"), success }, { '{"a":true}', "5" })))
  end)

  it("is looked at where no member is asked of it", function()
    assert.equal("success 1", (verdicts({ conditions("success", "@ == `5`") }, { "5" })))
    assert.equal("success 1", (verdicts({ conditions("success", "[0].a") }, { '[{"a":true}]' })))
    assert.equal("success 1", (verdicts({ conditions("success", "[?a == 'x']") }, { '[{"a":"x"}]' })))
  end)

  it("says what it is", function()
    local _, note, state = verdicts({ conditions("success", "!a") }, { "5" })
    assert.equal("no-member: the answer is a number, which has no members", note)
    assert.is_true(state:is_blind())
  end)

  it("is one that was not read, whatever the expression", function()
    for _, expression in ipairs { "`true`", "!a", "@" } do
      for _, acceptors in ipairs { { conditions("success", expression) }, { conditions("failure", expression), success } } do
        local state = begin(acceptors)
        state:begin()
        assert.equal("retry", (state:observe(1, { input = nothing, output = document "{}", status = 200, unread = true })))
      end
    end
  end)
end)

describe("a member that no answer had", function()
  ---the expression, outputs, the verdicts
  local rows = {
    { "!pending", { '{"n":1}' }, "retry" },
    { "!pending", { '{"n":1}', '{"pending":true}', '{"n":1}' }, "retry, retry, success 1" },
    { "!pending", { '{"pending":false}' }, "success 1" },
    { "state != 'starting'", { "{}" }, "retry" },
    { "'starting' != state", { "{}" }, "retry" },
    { "state != 'starting'", { '{"state":null}' }, "success 1" },
    { "a == b", { "{}" }, "retry" },
    { "a == b", { '{"a":1,"b":1}' }, "success 1" },
    { "error == `null`", { "{}" }, "success 1" },
    { "state == 'done' || !error", { '{"state":"done"}' }, "success 1" },
    { "state == 'done' && !error", { '{"state":"done"}' }, "retry" },
    { "!(status.error)", { '{"status":{"phase":"x"}}' }, "retry" },
    { "!(status.error)", { '{"status":{"error":""}}' }, "success 1" },
    { "!(status.error)", { '{"n":1}' }, "retry" },
    { "status.phase != 'x'", { '{"status":"ok"}' }, "retry" },
    { "!(items[?state != 'done'])", { '{"items":[{"state":"done"}]}' }, "success 1" },
    { "!(items[?state != 'done'])", { '{"itms":[]}' }, "retry" },
    { "items[?stat != 'failed']", { '{"items":[{"state":"failed"}]}' }, "retry" },
    { "items[?state != 'failed']", { '{"items":[{"state":"done"}]}' }, "success 1" },
    { "!(items[?state == 'pending'])", { '{"items":[]}' }, "success 1" },
    { "items[*].a | [0] != 'x'", { '{"items":[{"b":1}]}' }, "retry" },
    { "items[].parts[].a | !contains(@, 'x')", { '{"items":[{"parts":[{"a":"y"}]}]}' }, "success 1" },
    { "!(a != 'x')", { '{"b":1}' }, "retry" },
    { "!a && !b", { '{"a":false}' }, "retry" },
    { "!a && !b", { '{"a":false,"b":false}' }, "success 1" },
    { "length(items[?state!='done']) == `0`", { '{"items":[{"stat":"x"}]}' }, "retry" },
  }
  for _, row in ipairs(rows) do
    it(("does not make %s hold: %s"):format(row[1], table.concat(row[2], " ")), function()
      assert.equal(row[3], (verdicts({ conditions("success", row[1]) }, row[2])))
    end)
  end

  it("is named, with the option that accepts it", function()
    local _, note = verdicts({ conditions("success", "status.a && !(status.b)") }, { '{"status":{"a":true}}' })
    assert.equal("no-member: status.a && !(status.b) does not count: no answer has had the member b; --allow-missing accepts it",
      note)
  end)

  it("is accepted where that is asked for", function()
    local acceptor = conditions("success", "!pending")
    acceptor.matcher.conditions.allowMissing = true
    assert.equal("success 1", (verdicts({ acceptor }, { "{}" })))
  end)

  it("was had by an answer of an earlier process", function()
    local state = begin { conditions("success", "!pending") }
    state:recall(document '{"pending":true}')
    state:begin()
    assert.equal("success", (state:observe(1, { input = nothing, output = document "{}" })))
  end)

  it("is told of each condition of an acceptor, at any depth", function()
    local acceptors = { conditions("failure", "a.b.c"), conditions("failure", "jobs[].stat"), conditions("success", "n") }
    local _, _, state = verdicts(acceptors, { '{"a":{"b":{}},"jobs":[{"state":1}],"n":false}' })
    assert.same({ { { condition = 1, noun = "member", name = "c" } }, { { condition = 1, noun = "member", name = "stat" } }, {} },
      { state:missing(1), state:missing(2), state:missing(3) })
  end)

  it("is counted up to 64 members, beyond which a member counts as present", function()
    local names = {}
    for number = 1, 70 do names[number] = ("!m%d"):format(number) end
    assert.equal("retry", (verdicts({ conditions("success", table.concat(names, " && ")) }, { "{}" })))
    local beyond = ("a == `null` && "):rep(71) .. "!z"
    assert.equal("success 1", (verdicts({ conditions("success", beyond) }, { "{}" })))
  end)

  it("takes no time beyond reason to look for", function()
    local expression = ("(@ || @) | "):rep(60) .. "!a"
    assert.equal("retry", (verdicts({ conditions("success", expression) }, { '{"b":1}' })))
  end)
end)
