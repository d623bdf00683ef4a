---bide check on the command line: its formats, its exit codes, and files of every kind.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"

local GOOD = '{ state: "success", matcher: { output: { path: "state", comparator: "stringEquals", expected: "done" } } }'

local HEAD = '$version: "2.0"\nnamespace a.b\nuse smithy.waiters#waitable\n'

local function model(acceptors)
  return HEAD .. "@waitable(ThingDone: {\n  acceptors: [\n    " .. acceptors .. "\n  ]\n})\n"
    .. "operation GetThing { output := { state: String size: Integer } }\n"
end

describe("bide check", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("good.smithy", model(GOOD))
    workspace:write("bad.smithy", model(GOOD:gsub('"state"', '"size"', 1)))
    workspace:write("broken.smithy", "structur A {}\n")
    workspace:write("broken.json", '{"smithy": "2.0",\n "shapes": }')
    workspace:write("list.json", "[1]")
    workspace:write("trait.json", '{"Done": {"acceptors": [{"state": "success", "matcher": {"success": true}}]}}')
    workspace:write("recipe.lua", [[
return { Get = { call = function() error "this is never called" end,
  output = { state = { type = "string" }, size = { type = "integer" } },
  waitable = { Done = { acceptors = {
    { state = "success", matcher = { output = { path = "size", comparator = "stringEquals", expected = "1" } } },
  } } } } }
]])
    workspace:write("untyped.lua", [[
return { Get = { call = print, waitable = { Done = { acceptors = {
  { state = "success", matcher = { output = { path = "items[].size", comparator = "allStringEquals", expected = "1" } } },
} } } } }
]])
    workspace:write("sample.json", '{"items": [{"size": 1}]}')
    workspace:write("answers.jsonl", '{"error": {"type": "Gone"}}\n{"output": {"items": [{"size": 1}]}}\n')
    workspace:write("differ.jsonl",
      '{"output": {"items": []}}\n\n{"output": {"items": [{"size": "1", "more": 2}]}}\n{"output": null}\n')
    workspace:write("alike.jsonl", '{"output": {"items": null}}\n{"output": {"items": []}}\n{"output": {"more": "x"}}\n')
    workspace:write("none.jsonl", '{"error": {"type": "Gone"}}\n\n')
    workspace:write("empty.jsonl", "\n")
    workspace:write("broken.jsonl", '{"output": {"items": []}}\n{"output": \n')
    workspace:write("waiters-2.json", '{"version": 2, "waiters": {"Done": {"operation": "Get", "delay": 5, "maxAttempts": 3,'
      .. ' "acceptors": [{"matcher": "path", "argument": "Thing.State", "expected": "done", "state": "success"},'
      .. ' {"matcher": "status", "expected": 404, "state": "retry"}]}}}')
  end)

  ---words, exit code, patterns of standard output and standard error
  local cases = {
    { { "good.smithy" }, 0, "^$" },
    { { "bad.smithy" }, 1, "^bad%.smithy:6:%d+: DANGER WaitableTraitJmespathProblem%.ReturnTypeMismatch%.ThingDone%.0\n"
      .. "  a%.b#GetThing, ThingDone, acceptor 0: stringEquals compares a string, and size is a number: .*\n$" },
    { { "bad.smithy", "--severity", "ERROR" }, 1, "^$" },
    { { "bad.smithy", "--suppress", "WaitableTraitJmespathProblem" }, 0, "^$" },
    { { "bad.smithy", "--suppress", "WaitableTraitJmes" }, 1, "DANGER" },
    { { "broken.smithy", "--suppress", "Model" }, 1, "^broken%.smithy:1:1: ERROR Model\n  expected a namespace" },
    { { "broken.json" }, 1, "^broken%.json:2:12: ERROR Model\n" },
    { { "good.smithy", "good.smithy" }, 0, "^$" },
    { { "trait.json" }, 0, "^$" },
    { { "trait.json", "--severity", "NOTE" }, 0, "^$" },
    { { "recipe.lua" }, 1, "^recipe%.lua:3:1: DANGER WaitableTraitJmespathProblem%.ReturnTypeMismatch%.Done%.0\n" },
    { { "untyped.lua" }, 0, "^$" },
    { { "untyped.lua", "--sample", "sample.json" }, 0, "^untyped%.lua:1:1: WARNING bide%.NeverMatches\n" },
    { { "untyped.lua", "--answers", "answers.jsonl" }, 0, "^untyped%.lua:1:1: WARNING bide%.NeverMatches\n" },
    -- a type that several answers contradict is none
    { { "untyped.lua", "--answers", "differ.jsonl" }, 0, "^$" },
    { { "untyped.lua", "--sample", "sample.json", "--answers", "differ.jsonl" }, 0, "^$" },
    { { "untyped.lua", "--sample", "sample.json", "--answers", "answers.jsonl" }, 0, "WARNING bide%.NeverMatches\n" },
    { { "untyped.lua", "--sample", "sample.json", "--answers", "none.jsonl" }, 0, "WARNING bide%.NeverMatches\n" },
    { { "untyped.lua", "--answers", "alike.jsonl" }, 0, "^$" },
    { { "untyped.lua", "--answers", "none.jsonl" }, 0, "^$" },
    { { "untyped.lua", "--answers", "empty.jsonl" }, 2, "^$", "empty%.jsonl: expected at least one line, found none" },
    { { "untyped.lua", "--answers", "broken.jsonl" }, 2, "^$", "broken%.jsonl:2:%d+: " },
    { { "untyped.lua", "--sample", "broken.jsonl" }, 2, "^$", "broken%.jsonl:2:1: " },
    { { "untyped.lua", "--severity", "NOTE" }, 0, "NOTE bide%.NoFailureAcceptor" },
    { { "waiters-2.json" }, 0, "^$" },
    { { "list.json" }, 2, "^$", "list.json: expected a model, a trait value or a recipe" },
    { { "no-such-file.smithy" }, 2, "^$", "no%-such%-file%.smithy: no such file" },
    { { "good.smithy", "--severity", "BAD" }, 2, "^$", "expected one of NOTE, WARNING, DANGER, ERROR" },
    { { "good.smithy", "--format", "json" }, 0, "^%[%]\n$" },
    { { "bad.smithy", "--format", "github" }, 1, "^::error file=bad%.smithy,line=6,col=%d+,title=[%w.]+::" },
  }
  for _, case in ipairs(cases) do
    it("of " .. table.concat(case[1], " "), function()
      local done = workspace:bide { "check", table.unpack(case[1]) }
      assert.matches(case[3], done.stdout)
      assert.equal(case[2], done.code, done.stderr)
      if case[4] then assert.matches(case[4], done.stderr) end
    end)
  end

  it("gives every event as JSON, members without a value as null", function()
    local done = workspace:bide { "check", "bad.smithy", "broken.json", "--format", "json" }
    local events = core.json.decode(done.stdout)
    assert.equal(2, #events)
    assert.same({ "bad.smithy", "broken.json" }, { events[1].file, events[2].file })
    assert.same({ "a.b#GetThing", "ThingDone", 0, 6 }, { events[1].shape, events[1].waiter, events[1].acceptor, events[1].line })
    assert.same({ core.json.null, core.json.null, core.json.null }, { events[2].shape, events[2].waiter, events[2].acceptor })
    for name in pairs(events[1]) do
      assert.truthy(("id severity shape waiter acceptor message file line column"):find(name, 1, true))
    end
  end)

  it("writes SARIF", function()
    local done = workspace:bide { "check", "bad.smithy", "--format", "sarif" }
    local result = core.json.decode(done.stdout).runs[1].results[1]
    assert.equal("error", result.level)
    assert.equal(6, result.locations[1].physicalLocation.region.startLine)
  end)

  it("names files in SARIF by their URIs, and says what columns count", function()
    workspace:write("bad #1.smithy", model(GOOD:gsub('"state"', '"size"', 1)))
    local whole = workspace.path .. "/bad #1.smithy"
    for file, uri in pairs { ["bad #1.smithy"] = "^bad%%20%%231%.smithy$", [whole] = "^file:///.*/bad%%20" } do
      local run = core.json.decode(workspace:bide({ "check", file, "--format", "sarif" }).stdout).runs[1]
      assert.equal("unicodeCodePoints", run.columnKind)
      assert.matches(uri, run.results[1].locations[1].physicalLocation.artifactLocation.uri)
    end
  end)

  it("finds nothing at WARNING or above in the bundled recipes", function()
    local names = {}
    for name in io.popen("ls scripts/*.lua"):lines() do names[#names + 1] = name end
    local done = require("spec.support.process").run { require("spec.support.process").bide, "check", table.unpack(names) }
    assert.equal("", done.stdout .. done.stderr)
    assert.equal(0, done.code)
  end)

  it("cannot be deceived by what a model holds: no line of it is a command of GitHub", function()
    workspace:write("hostile.smithy", model(GOOD:gsub('"state"', '"x\\n::error::y"', 1)))
    local done = workspace:bide { "check", "hostile.smithy", "--format", "github" }
    for line in done.stdout:gmatch "[^\n]+" do assert.matches("^::error file=hostile", line) end
  end)
end)

describe("a model as a recipe", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("things.smithy", HEAD .. [[
@waitable(ThingExists: {
  documentation: "<p>Waits until a thing exists.</p>"
  minDelay: 1
  acceptors: [
    { state: "success", matcher: { output: { path: "state", comparator: "stringEquals", expected: "done" } } }
    { state: "retry", matcher: { errorType: "NotFound" } }
  ]
})
operation GetThing { input := { @required name: String, size: Integer, kinds: Kinds, @idempotencyToken token: String }
  output := { state: String } errors: [NotFound] }
enum Kind { A = "a"
 B = "b"
}
list Kinds { member: Kind }
@error("client")
structure NotFound {}
]])
    workspace:write("operations.lua", [[
local asked = 0
return { GetThing = function(input)
  asked = asked + 1
  if asked == 1 then error { type = "a.b#NotFound", message = "not yet" } end
  assert(math.type(input.size) == "integer" and input.kinds[2] == "b" and #input.token > 10)
  return { state = "done" }
end }
]])
  end)

  local function run(...)
    return workspace:bide { "run", "things.smithy", ..., "--with", "operations.lua", "--max-wait", "5s", "--max-delay", "10ms",
      "--min-delay", "1ms", "--quiet" }
  end

  it("runs with operations of a Lua file, and inputs by the shape", function()
    local done = workspace:bide { "run", "things.smithy", "ThingExists", "name=x", "size=5", "kinds=a,b", "--with",
      "operations.lua", "--max-wait", "50s", "--min-delay", "1ms", "--max-delay", "10ms", "--quiet" }
    assert.equal("", done.stderr)
    assert.matches('^ThingExists succeeded after 2 attempts in .*: state is "done"\n$', done.stdout)
    assert.equal(0, done.code)
  end)

  it("refuses an input that the shape does not take", function()
    for word, mistake in pairs { ["nmae=x"] = 'did you mean "name"', ["size=x"] = "size", ["kinds=a,c"] = "kinds" } do
      run(word):says(2, mistake)
    end
    assert.matches("name", run("size=1").stderr, 1, true)
  end)

  it("sees what operations return by the output shape: a table, a response, and an answer of a replay", function()
    workspace:write("times.smithy", HEAD .. [[
@waitable(Done: { acceptors: [
  { state: "success", matcher: { output: { path: "when == `1440938160` && data == 'AP8='", comparator: "booleanEquals",
    expected: "true" } } }
] })
operation GetThing { output := { when: Timestamp, data: Blob, bad: Timestamp } }
]])
    workspace:write("table.lua", [[
return { GetThing = function() return { when = "2015-08-30T12:36:00Z", data = "\0\xFF", bad = "s3cret" } end }
]])
    local answer = '{"z": 1, "when": "Sun, 30 Aug 2015 12:36:00 GMT", "data": "AP8="}'
    local server = Server.start(function() return { body = answer } end)
    workspace:write("response.lua", ([[
return { GetThing = function() return require("bide.http").get "%s" end }
]]):format(server.url))
    workspace:write("answers.jsonl", ('{"output": %s}\n'):format(answer))
    local outcome = workspace:outcome { "run", "times.smithy", "--with", "table.lua", "--max-wait", "50s" }
    assert.equal("success", outcome.state)
    assert.same({ when = 1440938160, data = "AP8=", bad = "s3cret" }, outcome.output)
    assert.equal("the output has no timestamp at bad", outcome.history[1].note)
    assert.equal("success", workspace:outcome({ "run", "times.smithy", "--with", "response.lua", "--max-wait", "50s" }).state)
    server:close()
    outcome = workspace:outcome { "replay", "times.smithy", "Done", "answers.jsonl", "--max-wait", "1s" }
    assert.equal("success", outcome.state)
    assert.is_nil(outcome.history[1].note)
  end)

  it("is listed and planned without operations, and says what is missing when it is run", function()
    assert.matches("ThingExists +GetThing", workspace:bide({ "list", "things.smithy" }).stdout)
    assert.equal(0, workspace:bide({ "plan", "things.smithy", "--max-wait", "10s" }).code)
    local done = workspace:bide { "run", "things.smithy", "name=x", "--max-wait", "50s" }
    done:says(2, "belongs to no service of the model; or give GetThing a call by --with")
  end)

  it("fills in defaults, checks values within values, and shows documentation without HTML", function()
    workspace:write("inputs.smithy", HEAD .. [[
@waitable(Done: { documentation: "<p>Waits for <b>it</b> &amp; more.</p> Really."
  acceptors: [{ state: "success", matcher: { inputOutput: { path: "input.when == `1` && input.size == `3`",
    comparator: "booleanEquals", expected: "true" } } }] })
operation GetThing { input := {
  size: Integer = 3
  when: Timestamp, thing: Thing
} }
structure Thing { id: Integer, when: Timestamp }
]])
    workspace:write("echo.lua", "return { GetThing = function(input) return input end }")
    local line = { "run", "inputs.smithy", "when=1970-01-01T00:00:01Z", "--with", "echo.lua", "--max-wait", "50s" }
    assert.same({ size = 3, when = 1 }, workspace:outcome(line).output)
    line[3] = 'thing:={"id": "x"}'
    workspace:bide(line):says(2, 'thing.id: expected an integer, found "x"')
    assert.matches("Waits for it & more.\n", workspace:bide({ "list", "inputs.smithy" }).stdout, 1, true)
    assert.matches("size +integer, default 3", workspace:bide({ "list", "inputs.smithy" }).stdout)
    assert.matches("  Waits for it & more. Really.\n", workspace:bide({ "show", "inputs.smithy" }).stdout, 1, true)
  end)

  it("hides what it calls sensitive, at any depth", function()
    workspace:write("sensitive.smithy", HEAD .. [[
@waitable(Done: { acceptors: [{ state: "success", matcher: { output: { path: "parts[0].phrase", comparator: "stringEquals",
  expected: "correct horse" } } }] })
operation GetThing {
  input := { part: Part, plain: String }
  output := { parts: Parts, plain: String }
}
list Parts { member: Part }
structure Part {
  @sensitive
  phrase: String
  pin: Pin
  part: Part
}
@sensitive
string Pin
]])
    workspace:write("with.lua", [[
return { GetThing = function(input) return { parts = { input.part }, plain = input.part.pin .. "!" } end }
]])
    local line = { "run", "sensitive.smithy", 'part:={"phrase": "correct horse", "pin": "battery staple"}', "plain=x",
      "--with", "with.lua", "--max-wait", "50s", "--events", "events.jsonl", "--output", "json" }
    local done = workspace:bide(line)
    assert.equal(0, done.code)
    for _, text in ipairs { done.stdout, done.stderr, workspace:read "events.jsonl" } do
      assert.is_nil(text:find("correct horse", 1, true))
      assert.is_nil(text:find("battery", 1, true))
    end
    assert.matches('"plain": "x"', done.stdout, 1, true)
  end)

  it("is shown as a person reads it, and as a picture", function()
    local text = workspace:bide({ "show", "things.smithy", "ThingExists" }).stdout
    assert.matches("^ThingExists, of the operation GetThing\n  Waits until a thing exists.\n  delays from 1 s to 2 m\n", text)
    assert.matches("\n    1  success  state stringEquals \"done\"\n"
      .. "    2  retry    the error NotFound\n       failure  any other error\n",
      text, 1, true)
    assert.matches("─ 1 ──> success\n", text, 1, true)
    local picture = workspace:bide({ "show", "things.smithy", "--output", "dot" }).stdout
    assert.matches('^digraph "ThingExists" {\n.*}\n$', picture)
    assert.matches('  attempt -> success [label="1: state stringEquals \\"done\\""];\n', picture, 1, true)
    assert.equal(2, workspace:bide({ "show", "things.smithy", "NoWaiter" }).code)
  end)

  it("is listed by tags and services", function()
    workspace:write("services.smithy", HEAD .. [[
@waitable(One: { tags: ["x"] acceptors: [{ state: "success", matcher: { success: true } }] })
operation GetOne {}
@waitable(Two: { tags: ["x", "y"] acceptors: [{ state: "success", matcher: { success: true } }] })
operation GetTwo {}
service First { version: "1" operations: [GetOne] }
service Second { version: "1" resources: [Part] }
resource Part { read: GetTwo }
]])
    local function listed(...)
      local text, names = workspace:bide({ "list", "services.smithy", ... }).stdout, {}
      for name in text:gmatch "\n  (%a+) " do names[#names + 1] = name end
      return table.concat(names, " ")
    end
    assert.equal("One Two", listed())
    assert.equal("One Two", listed("--tag", "x"))
    assert.equal("Two", listed("--tag", "x", "--tag", "y"))
    assert.equal("One", listed("--service", "First"))
    assert.equal("Two", listed("--service", "Second"))
    for words, mistake in pairs {
      ["--service Frist"] = '--service Frist: unknown service, did you mean "First"?',
      ["--service Third"] = "--service Third: unknown service, expected one of First, Second",
      ["--tag z"] = "--tag z: unknown tag, expected one of x, y",
      ["--tag y --service First"] = "no waiter has all that --tag and --service ask for",
    } do
      local done = workspace:shell('"$BIDE" list services.smithy ' .. words)
      assert.same({ 2, "", "bide: " .. mistake .. "\n" }, { done.code, done.stdout, done.stderr })
    end
    workspace:bide({ "list", "file", "--service", "First" }):says(2, "--service First: no waiter here has a service")
    local all = workspace:bide({ "list", "--tag", "x" }, { env = { BIDE_PATH = workspace.path } }).stdout
    assert.is_nil(all:find "\nhttp\n", "a recipe of which no waiter was chosen")
  end)

  it("warns when it is run of what bide check finds at DANGER", function()
    workspace:write("danger.smithy", HEAD .. [[
@waitable(Done: { acceptors: [
  { state: "success", matcher: { output: { path: "stat", comparator: "stringEquals", expected: "x" } } }
] })
operation GetThing { output := { state: String } }
]])
    workspace:write("answers.jsonl", '{"output": {"state": "x"}}\n')
    local done = workspace:bide { "replay", "danger.smithy", "Done", "answers.jsonl", "--max-wait", "3s", "--quiet" }
    assert.matches("warning: Done, acceptor 1: .*did you mean state", done.stderr)
  end)

  ---Runs a wait that gives up, and returns its warnings and its outcome, the last line of standard error.
  local function give_up(recipe, ...)
    local done = workspace:bide { "replay", recipe, "Done", "answers.jsonl", "--max-wait", "3s", "--quiet", ... }
    assert.same({ 124, "" }, { done.code, done.stdout }, done.stderr)
    return done.stderr:match "^(.-)([^\n]*)\n$"
  end

  it("says in the outcome what bide check finds at DANGER, whatever the answer", function()
    workspace:write("danger.smithy", HEAD .. [[
@waitable(Done: { acceptors: [
  { state: "failure", matcher: { output: { path: "state", comparator: "stringEquals", expected: "failed" } } }
  { state: "success", matcher: { output: { path: "size", comparator: "stringEquals", expected: "1" } } }
] })
operation GetThing { output := { state: String, size: Integer } }
]])
    workspace:write("answers.jsonl", '{"output": {"state": "x"}}\n')
    local danger = "stringEquals compares a string, and size is a number: the acceptor never matches"
    local warned, outcome = give_up "danger.smithy"
    assert.matches("warning: Done, acceptor 2: " .. danger, warned, 1, true)
    assert.matches('; last seen: state is "x", size is null; acceptor 2: ' .. danger, outcome, 1, true)
    workspace:write("answers.jsonl", '{"error": {"type": "Gone"}}\n')
    outcome = select(2, give_up("danger.smithy", "--retry-on", "Gone"))
    assert.matches("last seen: error Gone; acceptor 3: " .. danger, outcome, 1, true)
    workspace:write("danger.smithy", HEAD .. [[
@waitable(Done: { acceptors: [
  { state: "success", matcher: { output: { path: "keys(@)", comparator: "stringEquals", expected: "1" } } }
] })
operation GetThing { output := { state: String } }
]])
    assert.matches("stringEquals compares a string, and keys(@) is an array: the acceptor",
      give_up("danger.smithy", "--retry-on", "Gone"), 1, true)
  end)

  it("counts acceptors as the outcome does, and leaves out those that --until replaces", function()
    workspace:write("danger.smithy", HEAD .. [[
@waitable(Done: { acceptors: [
  { state: "failure", matcher: { output: { path: "size", comparator: "stringEquals", expected: "1" } } }
  { state: "success", matcher: { output: { path: "length(size)", comparator: "stringEquals", expected: "1" } } }
] })
operation GetThing { output := { state: String, size: Integer } }
]])
    workspace:write("answers.jsonl", '{"output": {"state": "x"}}\n')
    local warned, outcome = give_up("danger.smithy", "--until", "state=y")
    assert.matches("^bide: warning: Done, acceptor 2: stringEquals compares a string, and size is a number: [^\n]*\n$", warned)
    assert.matches("acceptor 2: stringEquals compares a string, and size is a number", outcome, 1, true)
    assert.is_nil(outcome:find("length", 1, true))
  end)

  it("says the same of a recipe that declares its output", function()
    workspace:write("danger.lua", [[
return { Get = { output = { size = { type = "integer" } }, waitable = { Done = { acceptors = {
  { state = "success", matcher = { output = { path = "size", comparator = "stringEquals", expected = "1" } } } } } } } }
]])
    workspace:write("answers.jsonl", '{"output": {}}\n')
    local warned, outcome = give_up "danger.lua"
    assert.matches("warning: Done, acceptor 1: stringEquals compares a string, and size is a number", warned, 1, true)
    assert.matches("acceptor 1: stringEquals compares a string, and size is a number", outcome, 1, true)
  end)

  it("that is broken is told with all its places", function()
    workspace:write("broken.smithy", HEAD .. "strin A\nstructur B {}\n")
    local done = workspace:bide { "run", "broken.smithy", "--max-wait", "1s" }
    done:says(2, "broken.smithy:4:1: expected the type of a shape, found strin\nbroken.smithy:5:1:")
  end)

  it("names how long botocore waits, in the list and where --max-wait is missing", function()
    workspace:write("waiters-2.json", '{"version": 2, "waiters": {"Done": {"operation": "Get", "delay": 30, "maxAttempts": 60,'
      .. ' "acceptors": [{"matcher": "path", "argument": "State", "expected": "done", "state": "success"}]}}}')
    assert.matches("Done +Get +30 s to 2 m, botocore waits at most 30 m", workspace:bide({ "list", "waiters-2.json" }).stdout)
    for _, command in ipairs { "run", "plan" } do
      local done = workspace:bide { command, "waiters-2.json", "Done" }
      done:says(2, "for example --max-wait 30m, as long as botocore waits for Done\n")
    end
    assert.matches("for example --max-wait 5m\n", workspace:bide({ "run", "waiters-2.json" }).stderr, 1, true)
  end)

  it("may be a waiters-2.json of botocore", function()
    workspace:write("waiters-2.json", '{"version": 2, "waiters": {"Done": {"operation": "Get", "delay": 5, "maxAttempts": 3,'
      .. ' "acceptors": [{"matcher": "path", "argument": "Thing.State", "expected": "done", "state": "success"},'
      .. ' {"matcher": "status", "expected": 404, "state": "retry"}]}}}')
    workspace:write("answers.jsonl", '{"error": {"type": "X", "status": 404}}\n{"output": {"Thing": {"State": "done"}}}\n')
    local done = workspace:bide { "replay", "waiters-2.json", "Done", "answers.jsonl", "--max-wait", "1m", "--quiet" }
    assert.matches("^Done succeeded after 2 attempts in 5 s", done.stdout)
  end)
end)
