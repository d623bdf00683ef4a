---Input, output and scripts that mean no good: a clear error or a right result,
---and never a crash.

local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"
local timely = require "spec.support.timely"

local succeeds = [=[[{"state": "success", "matcher": {"success": true}}]]=]

local function nested(depth, open, close) return open:rep(depth) .. "1" .. close:rep(depth) end

---name, the value as JSON, what the message says where it is refused, else nothing; and whether it is a note where a
---service sends it.
local values = {
  { "NUL in a string", [["a\u0000b"]] },
  { "NUL in a name", [[{"a\u0000b": 1}]] },
  { "a raw NUL", '"a\0b"', "a control character in a string must be escaped" },
  { "bytes that are no UTF-8", '"\xFF\xFE"', "the text is not UTF-8" },
  { "half of a surrogate", [["\ud800"]], "surrogate", true },
  { "a pair of surrogates", [["\ud83d\ude00"]] },
  { "the largest integer", "9223372036854775807" },
  { "an integer beyond it", "9223372036854775808" },
  { "a number of a thousand digits", "0." .. ("1"):rep(1000) },
  { "the largest double", "1.7976931348623157e308" },
  { "a number beyond it", "1e309", "the number is larger than any double", true },
  { "a number below the least", "1e-400" },
  { "500 levels", nested(500, "[", "]") },
  { "500 levels of objects", nested(500, '{"a":', "}") },
  { "10,000 levels", nested(10000, "[", "]"), "nested too deeply" },
  { "10,000 levels of objects", nested(10000, '{"a":', "}"), "nested too deeply" },
  { "100,000 levels that never close", ("["):rep(100000), "nested too deeply" },
  { "a name given twice", '{"a": 1, "a": 2}', 'the member "a" is given twice' },
  { "a string of a megabyte", '"' .. ("x"):rep(1000000) .. '"' },
}

---What an operation returns, what the outcome's message says, and the exit code where it is not 5.
local returned = {
  { "a table that holds itself", "local t = {} t.t = t return t", "does a table hold itself?" },
  { "two tables that hold each other", "local a, b = {}, {} a.b = b b.a = a return a", "does a table hold itself?" },
  { "10,000 levels", "local t = {} for _ = 1, 10000 do t = { a = t } end return t", "nested too deeply" },
  { "a function", "return { a = { b = print } }", "a.b is a function" },
  { "a coroutine", "return { coroutine.create(print) }", "[1] is a thread" },
  { "a file", "return { f = io.stdout }", "f is a userdata" },
  { "NaN", "return { a = 0/0 }", "a is not a finite number" },
  { "infinity", "return { a = math.huge }", "a is not a finite number" },
  { "a table with holes", "return { [1] = 1, [1000000] = 2 }", "is an array with holes" },
  { "names and positions", "return { 1, a = 2 }", "mixes names and positions" },
  { "a boolean as a name", "return { [true] = 1 }", "has a key that is neither a string nor a position" },
  { "a bug in a metamethod", "return setmetatable({ a = 1 }, { __index = error, __pairs = error, __len = error })" },
  { "bytes that are no UTF-8", "return { a = '\\xFF\\xFE', ['\\xFF'] = 1 }" },
  { "a string", "return 'text'" }, { "a number", "return 5" }, { "false", "return false" }, { "nothing", "return" },
  { "null", "return require('bide').null" },
  { "a stack that overflows", "local function f() return 1 + f() end return f()", "stack overflow" },
  { "memory without end", "local s = 'x' while true do s = s .. s end", "not enough memory", 70 },
}

local matchers = {
  { "waits", "require('bide').sleep(1)", "recipe.lua:1: a matcher may not wait" },
  { "waits in a coroutine", "coroutine.wrap(function() require('bide').sleep(1) end)()", "a matcher may not wait" },
  { "fetches", "require('bide.http').get('http://127.0.0.1:1')", "a matcher may not wait" },
  { "yields", "coroutine.yield()", "attempt to yield across a C-call boundary" },
  { "raises a bug", "return nil + 1", "recipe.lua:1: attempt to perform arithmetic on a nil value" },
  { "raises an operation error", "error { type = 'Gone' }", "a matcher raised the operation error Gone" },
  { "raises nothing", "error()", "nil was raised" },
  { "calls os.exit", "os.exit(0)", "a recipe may not call os.exit" },
}

describe("bide", function()
  local workspace = Workspace.of_block()

  local function assert_no_crash(done)
    assert.equal(0, done.signal)
    assert.not_matches("lua/bide/", (done.stderr:gsub("\t[^\n]*\n", "")), 1, true)
  end

  for _, case in ipairs(values) do
    local name, text, mistake, is_noted = table.unpack(case)

    it("replays an answer of " .. name, function()
      local words = workspace:replay_of(succeeds, { '{"output": ' .. text .. "}" }, "--max-wait", "5s", "--output", "json")
      local done = workspace:bide(words)
      assert_no_crash(done)
      assert.equal(mistake and not is_noted and 2 or 0, done.code)
      if mistake and not is_noted then assert.matches(mistake, done.stderr, 1, true) end
      if is_noted then assert.matches('"note": "1 ', done.stdout, 1, true) end
    end)

    it("takes an input of " .. name, function()
      local words = workspace:replay_of(succeeds, { '{"output": 1}' }, "--max-wait", "5s", "--output", "json")
      workspace:write("input.json", '{"v": ' .. text .. "}")
      table.move({ "--input", "@input.json" }, 1, 2, #words + 1, words)
      local done = workspace:bide(words)
      assert_no_crash(done)
      assert.equal(mistake and 2 or 0, done.code)
      if mistake then assert.matches(mistake, done.stderr, 1, true) end
    end)
  end

  local function run_operation(body, prefix)
    workspace:write("recipe.lua", ("return { Op = { call = function() %s end, waitable = { Done = { acceptors = { %s } } } } }")
      :format(body, prefix or "{ state = 'success', matcher = { success = true } }"))
    local limit = process.is_sanitized and "" or "ulimit -v 800000; " -- the sanitizer's shadow is larger
    return workspace:shell(limit .. '"$BIDE" run recipe.lua --max-wait 1m --output json')
  end

  for _, case in ipairs(returned) do
    it("takes what an operation returns for what it is: " .. case[1], function()
      if process.is_sanitized and case[1]:find "memory" then return end
      local done = run_operation(case[2])
      assert_no_crash(done)
      assert.equal(case[4] or case[3] and 5 or 0, done.code, done.stderr)
      if case[3] then assert.matches(case[3], done.stdout .. done.stderr, 1, true) end
    end)
  end

  for _, case in ipairs(matchers) do
    it("ends where a matcher " .. case[1], function()
      local done = run_operation("return {}",
        "{ state = 'success', matcher = { lua = function() " .. case[2] .. " end } }")
      done:writes(5, case[3])
    end)
  end

  it("keeps to the deadline where a matcher never returns", function()
    workspace:write("recipe.lua", [[return { Op = { call = function() return {} end, waitable = { Done = { acceptors = {
      { state = "success", matcher = { lua = function() while true do pcall(function() while true do end end) end end } },
    } } } } }]])
    timely.within(process.is_sanitized and 60 or 1, function()
      local outcome, done = workspace:outcome { "run", "recipe.lua", "--max-wait", "200ms" }
      assert.equal(124, done.code)
      assert.equal("maxWait", outcome.reason)
      return done.elapsed
    end)
  end)

  it("does not give one attempt's input to the next", function()
    workspace:write("recipe.lua", [[return { Op = {
      call = function(input)
        local before = input.list[1]
        input.list[1], input.name = "changed", nil
        return { before = before }
      end,
      waitable = { Done = { minDelay = 0.01, acceptors = {
        { state = "success", matcher = { output = { path = "before", comparator = "stringEquals", expected = "changed" } } },
      } } },
    } }]])
    local outcome = workspace:outcome { "run", "recipe.lua", 'list:=["first"]', "name=x", "--max-wait", "5s", "--max-attempts=3" }
    assert.equal("maxAttempts", outcome.reason)
    assert.same({ list = { "first" }, name = "x" }, outcome.input)
  end)

  it("reports whatever paths give, however deep", function()
    local path = ("["):rep(50) .. "@" .. ("]"):rep(50)
    local words = workspace:replay_of(([=[[{"state": "success", "matcher": {"output": {"path": "%s", "comparator":
      "stringEquals", "expected": "x"}}}]]=]):format(path), { '{"output": ' .. nested(500, "[", "]") .. "}" },
      "--max-wait", "50s", "--max-attempts", "1", "--events", "events.jsonl", "--output", "json")
    local done = workspace:bide(words)
    assert.equal(4, done.code)
    assert_no_crash(done)
  end)
end)
