---What is wrong is told before anything is sent: exit code 2, where, what was
---found, what was wanted, the nearest name.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local good = [[{ acceptors = { { state = "success", matcher = { success = true } } } }]]

---A recipe whose one waiter is `definition`; the waiter stands on line 3.
local function recipe_of(definition)
  return "return { Op = {\n  call = function() end,\n  waitable = { Done = " .. definition .. " },\n} }\n"
end

local function with_matcher(matcher)
  return recipe_of("{ acceptors = { { state = 'success', matcher = { success = true } },\n"
    .. "{ state = 'retry', matcher = " .. matcher .. " } } }")
end

---The same with a path matcher; `path`, `comparator` and `expected` are Lua.
local function with_path(path, comparator, expected)
  return with_matcher(("{ output = { path = %s, comparator = %s, expected = %s } }"):format(path, comparator, expected))
end

---name, recipe, what the message says.
local lua_recipes = {
  { "a syntax error", "return {\n  Op = = 1 }", { "recipe.lua:2: unexpected symbol near '='" } },
  { "an error while loading", "local x = nil\nreturn x.y", { "recipe.lua:2: attempt to index a nil value (local 'x')" } },
  { "an operation error while loading", "error { type = 'NotFound' }", { "recipe.lua: raised the operation error NotFound" } },
  { "nothing", "", { "recipe.lua: expected a table of operations by name, found nothing" } },
  { "a number", "return 5", { "recipe.lua: expected a table of operations by name, found 5" } },
  { "no waiter", "return {}", { "recipe.lua: expected at least one waiter, found none" } },
  { "a list of waits without a recipe", "return { {} }", { "wait 1: recipe: expected the name or the file of a recipe" } },
  { "an operation that is none", "return {\nOp = 5 }",
    { "recipe.lua:2: Op: expected an operation, with call and waitable, found 5" } },
  { "a call that is no function", "return {\nOp = { call = 'x' } }",
    { 'recipe.lua:2: Op.call: expected a function, found "x"' } },
  { "a misspelt member of an operation", "return {\nOp = { waitble = {} } }",
    { 'recipe.lua:2: Op.waitble: unknown member, did you mean "waitable"?' } },
  { "a default that is no waiter", "return { Op = { call = print,\ndefault = 'Doen', waitable = { Done = " .. good .. " } } }",
    { 'Op: default: expected a waiter of the operation, found "Doen", did you mean "Done"?' } },
  { "a default that is no name", "return { Op = { default = true } }",
    { "Op.default: expected the name of a waiter, found true" } },
  { "two defaults", ("return { A = { default = 'One', waitable = { One = %s } },"
    .. "B = { default = 'Two', waitable = { Two = %s } } }"):format(good, good),
    { 'B: default: expected one default, found "Two" after "One"' } },
  { "a waiter that is none", recipe_of "5", { "recipe.lua:3: Done: expected a waiter, with acceptors, found 5" } },
  { "no acceptors", recipe_of "{}", { "recipe.lua:3: Done: acceptors: expected a list of acceptors, found nothing" } },
  { "an empty list of acceptors", recipe_of "{ acceptors = {} }",
    { 'recipe.lua:3: Done: acceptors: expected at least one acceptor with the state "success", found none' } },
  { "an acceptor by name", recipe_of "{ acceptors = { first = {} } }",
    { "acceptors: expected a list of acceptors, found a table" } },
  { "a misspelt member of a waiter", recipe_of "{ acceptors = {}, minDelai = 2 }",
    { 'Done: minDelai: unknown member, did you mean "minDelay"?' } },
  { "no state", recipe_of "{ acceptors = { { matcher = { success = true } } } }",
    { "Done: acceptors[1].state: expected a state, found nothing" } },
  { "no matcher", recipe_of "{ acceptors = { { state = 'success' } } }",
    { "Done: acceptors[1].matcher: expected a matcher, found nothing" } },
  { "a state that is none", recipe_of "{ acceptors = { { state = 'failed', matcher = { success = true } } } }",
    { 'acceptors[1].state: expected "success", "failure" or "retry", found "failed"', 'did you mean "failure"?' } },
  { "a state in capitals", recipe_of "{ acceptors = { { state = 'Success', matcher = { success = true } } } }",
    { 'acceptors[1].state: expected "success", "failure" or "retry", found "Success"', 'did you mean "success"?' } },
  { "two matchers in one", with_matcher "{ success = true, errorType = 'X' }",
    { "matcher: expected exactly one of output, inputOutput, expect, success, errorType, status or lua, found 2 of them" } },
  { "a matcher of nothing", with_matcher "{}",
    { "matcher: expected exactly one of output, inputOutput, expect, success, errorType, status or lua, found 0 of them" } },
  { "a misspelt matcher", with_matcher "{ errortype = 'X' }",
    { 'acceptors[2].matcher.errortype: unknown member, did you mean "errorType"?' } },
  { "success as text", with_matcher "{ success = 'true' }",
    { 'acceptors[2].matcher.success: expected a boolean, found "true"' } },
  { "a comparator that is none", with_path("'a'", "'stringEqual'", "'b'"),
    { 'found "stringEqual"', 'did you mean "stringEquals"?' } },
  { "no path", with_matcher "{ output = { comparator = 'stringEquals', expected = 'b' } }",
    { "acceptors[2].matcher.output.path: expected a JMESPath expression, found nothing" } },
  { "expected as a boolean", with_path("'a'", "'booleanEquals'", "true"),
    { "acceptors[2].matcher.output.expected: expected a string, found true" } },
  { "a boolean that is none", with_path("'a'", "'booleanEquals'", "'yes'"),
    { 'acceptors[2].matcher.output.expected: expected "true" or "false", since the comparator is booleanEquals, found "yes"' } },
  { "a path that does not parse", with_matcher "{ inputOutput = { path = 'a.[', comparator = 'stringEquals', expected = 'b' } }",
    { "acceptors[2].matcher.inputOutput.path: syntax" } },
  { "a path with an unknown function", with_path("'lenght(a)'", "'stringEquals'", "'b'"),
    { "acceptors[2].matcher.output.path: unknown-function", "length" } },
  { "a path with a wrong arity", with_path("'length()'", "'stringEquals'", "'b'"),
    { "acceptors[2].matcher.output.path: invalid-arity" } },
  { "an unknown custom matcher", with_matcher "{ lua = 'nobody' }",
    { 'acceptors[2].matcher.lua: no matcher is registered as "nobody"' } },
  { "a delay of 0", recipe_of "{ minDelay = 0, acceptors = {} }",
    { "Done: minDelay: expected a number of seconds above 0, found 0" } },
  { "a delay below 0", recipe_of "{ minDelay = -1, acceptors = {} }",
    { "minDelay: expected a number of seconds above 0, found -1" } },
  { "a delay that is not a number", recipe_of "{ minDelay = 0/0, acceptors = {} }",
    { "Done: minDelay: expected a number of seconds above 0, found nan" } },
  { "an endless delay", recipe_of "{ maxDelay = math.huge, acceptors = {} }",
    { "Done: maxDelay: expected at most 1000000000000 seconds, found inf" } },
  { "a delay as text", recipe_of "{ minDelay = '5', acceptors = {} }",
    { 'Done: minDelay: expected a number of seconds, found "5"' } },
  { "minDelay above maxDelay", recipe_of "{ minDelay = 5, maxDelay = 4, acceptors = {} }",
    { "Done: minDelay: expected at most maxDelay, which is 4, found 5" } },
  { "maxDelay below the default", recipe_of "{ maxDelay = 1, acceptors = {} }",
    { "Done: minDelay: expected at most maxDelay, which is 1, found 2" } },
  { "an empty tag", recipe_of "{ tags = { '' }, acceptors = {} }", { 'tags[1]: expected a string that is not empty, found ""' } },
  { "a message on a success", recipe_of "{ acceptors = { { state = 'success', matcher = { success = true }, message = 'a' } } }",
    { "acceptors[1].message: only an acceptor with the state \"failure\"" } },
  { "a name that is not UpperCamelCase", "return { Op = { waitable = {\n is_done = " .. good .. " } } }",
    { "recipe.lua:2: is_done: expected a name in UpperCamelCase" } },
  { "two waiters of one name on two operations",
    "return { One = { waitable = { Done = " .. good .. " } }, Two = { waitable = { Done = " .. good .. " } } }",
    { "recipe.lua:1: Done: the name is taken by Done" } },
  { "two waiters of one name but for its case",
    "return { Op = { waitable = { FooDone = " .. good .. ",\nFOODone = " .. good .. " } } }",
    { "the name is taken by FOODone: waiters are unique whatever their case" } },
}

local trait = '{"Done": {"acceptors": [{"state": "success", "matcher": {"success": true}}]}}'

local json_recipes = {
  { "text that is not JSON", '{"Done": {\n"acceptors" [}}', { "recipe.json:2:13: " } },
  { "an empty list of waits", "[]", { "recipe.json: expected at least one wait, found an empty list" } },
  { "no waiter", "{}", { "recipe.json: expected at least one waiter, found none" } },
  { "a Smithy model without waiters", '{"smithy": "2.0", "shapes": {}}',
    { "recipe.json: expected at least one waiter, found none" } },
  { "a file of botocore without waiters", '{"version": 2, "waiters": {}}',
    { "recipe.json: expected at least one waiter, found none" } },
  { "a delay that is no integer", '{"Done": {"minDelay": 2.5, "acceptors": []}}',
    { "recipe.json:1: Done: minDelay: expected a whole number of seconds, found 2.5" } },
  { "a delay below 1", '{"Done": {"minDelay": 0, "acceptors": []}}',
    { "Done: minDelay: expected a number of seconds above 0, found 0" } },
  { "an unknown matcher", '{"Done": {"acceptors": [{"state": "success", "matcher": {"sucess": true}}]}}',
    { 'Done: acceptors[1].matcher.sucess: unknown member, did you mean "success"?' } },
  { "no acceptors, but for a misspelling", '{"Done": {"acceptor": []}}',
    { "acceptors: expected a list of acceptors, found nothing", 'Done: acceptor: unknown member, did you mean "acceptors"?' } },
  { "NUL in a name", '{"Do\\u0000ne": {"acceptors": []}}', { "expected a name in UpperCamelCase" } },
  { "bytes that are no UTF-8", '{"Done\xFF": 1}', { "recipe.json:1:7: the text is not UTF-8" } },
}

---words behind the recipe "trait.json", what the message says.
local command_lines = {
  { { "run", "trait.json", "--with", "with.lua" }, "--max-wait is missing: every wait needs a limit" },
  { { "run", "trait.json", "Done", "--max-wait", "1s" }, "has no operation; give one with --with" },
  { { "run", "trait.json", "Dome", "--with", "with.lua", "--max-wait", "1s" },
    'no waiter is called "Dome"; did you mean "Done"?' },
  { { "run", "trait.json", "--with", "two.lua", "--max-wait", "1s" }, "needs exactly one operation, and --with gives 2" },
  { { "run", "trait.json", "--with", "nobody.lua", "--max-wait", "1s" }, "nobody.lua: no such file or directory" },
  { { "run", "nobody.lua", "--max-wait", "1s" }, "nobody.lua: no such file or directory" },
  { { "run", "htpp", "--max-wait", "1s" }, 'did you mean "http"?' },
  { { "run", "./htpp", "--max-wait", "1s" }, "./htpp: no such file or directory" },
  { { "run", "trait.json", "--max-wiat", "1s" }, "unknown option '--max-wiat', did you mean --max-wait?" },
  { { "run", "trait.json", "--timeout", "1s" }, "unknown option '--timeout', did you mean --max-wait?" },
  { { "run", "trait.json", "--deadlin", "1s" }, "unknown option '--deadlin', did you mean --max-wait?" },
  { { "run", "trait.json", "--max-wait", "1s", "--every", "1s" }, "unknown option '--every', did you mean --interval?" },
  { { "run", "trait.json", "--max-wait", "1s", "--retries", "1" }, "unknown option '--retries', did you mean --max-attempts?" },
  { { "run", "trait.json", "--max-wait", "1s", "--xyz" }, "unknown option '--xyz' (see bide run --help)" },
  { { "list", "--timeout", "1s" }, "unknown option '--timeout' (see bide list --help)" },
  { { "run", "trait.json", "--max-wait", "1s", "--interval", "1s", "--min-delay", "1s", "--with", "with.lua" },
    "--interval and --min-delay are given, and --interval sets both delays: leave one out" },
  { { "plan", "trait.json", "--max-wait", "1s", "--interval", "1s", "--max-delay", "1s" },
    "--interval and --max-delay are given" },
  { { "plan", "trait.json", "--max-wait", "1s", "--invert" },
    "--invert: Done has no opposite; no waiter of this recipe has one" },
  { { "run", "trait.json", "--max-wait", "1s", "--output", "yaml" }, '--output: expected text, json, junit' },
  { { "run", "trait.json", "--max-wait", "1s", "--with", "with.lua", "--events", "no/such" }, "--events: no/such: no such file" },
  { { "run", "trait.json", "--max-wait", "1s", "--with", "with.lua", "a:={" }, "a: found the end" },
  { { "run", "trait.json", "--max-wait", "1s", "--with", "with.lua", "=b" }, 'expected KEY=VALUE, found "=b"' },
  { { "run", "trait.json", "Done", "Again", "--max-wait", "1s" }, 'expected KEY=VALUE, found "Again"' },
  { { "run", "trait.json", "--max-wait", "1s", "--with", "with.lua", "--input", "[1]" }, "--input: expected a JSON object" },
  { { "run", "trait.json", "--max-wait", "1s", "--with", "with.lua", "--input", "@nobody" }, "--input: nobody: no such file" },
  { { "run", "trait.json", "--max-wait", "1s", "--min-delay", "5s", "--max-delay", "4s", "--with", "with.lua" },
    "--min-delay, 5 s, is greater than --max-delay, 4 s" },
  { { "run", "trait.json", "--max-wait", "1s", "--" }, "no command after --" },
  { { "run", "several.lua", "--max-wait", "1s" }, "which waiter? it defines One, Two" },
  { { "rnu" }, 'unknown command "rnu", did you mean "run"?' },
  { { "replay", "trait.json", "Done", "nobody.jsonl", "--max-wait", "1s" }, "nobody.jsonl: no such file" },
  { { "replay", "trait.json", "Done", "bad.jsonl", "--max-wait", "1s" },
    'bad.jsonl:2: ouput: unknown member, did you mean "output"?' },
  { { "plan", "trait.json" }, "--max-wait is missing" },
  { { "exec", "nobody.lua" }, "nobody.lua: no such file" },
  { { "check", "http" }, "http: no such file or directory; the file of the recipe is " },
  { { "convert", "tcp", "--to", "lua" }, "tcp: no such file or directory; the file of the recipe is " },
  { { "query", "-c", "a", "--with", "x.lua", "trait.json", "more" }, "unexpected word: more (see bide query --help)" },
  { { "workers", "more", "--store", "s.db" }, "unexpected word: more (see bide workers --help)" },
  { { "check", "trait.json", "--suppress" }, "--suppress: expected ID, found nothing (see bide check --help)" },
  { { "exec", "--journal" }, "--journal: expected FILE, found nothing (see bide exec --help)" },
  { { "convert", "trait.json", "--to", "lua", "--operation", "Nobody" },
    '--operation: there is no operation "Nobody" with waiters; the one that there is has no name' },
  { { "convert", "several.lua", "--to", "json", "--operation", "Nobody" },
    '--operation: there is no operation "Nobody" with waiters; those are ' },
  { { "list", "nobody.lua" }, "nobody.lua: no such file" },
}

describe("bad input", function()
  local workspace = Workspace.of_block()
  local server

  setup(function()
    server = Server.start(function() return { body = "{}" } end)
    workspace:write("trait.json", trait)
    local call = ("function() return require('bide.http').get(%q) end"):format(server.url)
    workspace:write("with.lua", "return { Op = " .. call .. " }")
    workspace:write("two.lua", "return { One = " .. call .. ", Two = " .. call .. " }")
    workspace:write("several.lua", ("return { Op = { call = %s, waitable = { One = %s, Two = %s } } }"):format(call, good, good))
    workspace:write("bad.jsonl", '{"output": 1}\n{"ouput": 1}\n')
  end)

  teardown(function()
    assert.equal(0, #server.requests)
    server:close()
  end)

  local function assert_refused(words, ...)
    local done = workspace:bide(words)
    assert.same({ 2, "" }, { done.code, done.stdout }, done.stderr)
    for _, text in ipairs { ... } do assert.matches(text, done.stderr, 1, true) end
  end

  for _, case in ipairs(lua_recipes) do
    it("in a Lua recipe: " .. case[1], function()
      workspace:write("recipe.lua", case[2])
      assert_refused({ "run", "recipe.lua", "--max-wait", "1s" }, table.unpack(case[3]))
    end)
  end

  for _, case in ipairs(json_recipes) do
    it("in a JSON recipe: " .. case[1], function()
      workspace:write("recipe.json", case[2])
      assert_refused({ "run", "recipe.json", "--with", "with.lua", "--max-wait", "1s" }, table.unpack(case[3]))
    end)
  end

  for _, case in ipairs(command_lines) do
    it("on the command line: bide " .. table.concat(case[1], " "), function() assert_refused(case[1], case[2]) end)
  end

  it("is a warning where a JSON recipe has an unknown member, as in Smithy", function()
    workspace:write("recipe.json", '{"Done": {"description": "x",\n"acceptors": [{"state": "success", "matcher":'
      .. '{"success": true}, "documentation": "x"}]}}')
    workspace:bide({ "list", "recipe.json" }):ends(0)
    local run = workspace:bide { "plan", "recipe.json", "--max-wait", "1s" }
    run:says(0, "bide: warning: recipe.json:1: Done: description: unknown member", "acceptors[1].documentation: unknown member")
  end)
end)
