---bide check over models: Smithy's own cases, complete models, and each event by itself.

local check = require "bide.model.check.model"
local data = require "spec.support.data"
local models = require "spec.support.models"

---What Smithy's own validators say of a file.
local function expected_events(text)
  local lines = {}
  for severity, shape, id in text:gmatch "%[(%u+)%] (%S+): [^\n]* | (%S+)" do
    lines[#lines + 1] = ("%s %s %s"):format(severity, shape, id)
  end
  table.sort(lines)
  return table.concat(lines, "\n")
end

local HEAD = [[
$version: "2.0"
namespace a.b
use smithy.waiters#waitable
operation GetThing { input: In, output: Out, errors: [Gone] }
structure In { name: String }
structure Out { state: String, size: Integer, ready: Boolean, tags: Strings, sizes: Integers, when: Timestamp }
list Strings { member: String }
list Integers { member: Integer }
@error("client") structure Gone {}
]]

local SUCCESS = '{ state: "success", matcher: { success: true } }'

---The events of waiters on GetThing, as "SEVERITY id waiter acceptor", and their messages.
local function events_of(waiters, more)
  local opened = models.of_text(HEAD:gsub("@error%(\"client\"%) structure", '@error("client")\nstructure')
    .. "apply GetThing @waitable(" .. waiters .. ")\n" .. (more or ""))
  assert.equal("", models.problems(opened))
  local lines, messages = {}, {}
  for position, event in ipairs(check.check(opened)) do
    lines[position] = ("%s %s %s %s"):format(event.severity, event.id, event.waiter or "-", event.acceptor or "-")
    messages[position] = event.message
    assert.equal("model.smithy", event.file)
    assert.is_true(event.line >= 10 and event.column > 0)
  end
  return table.concat(lines, "\n"), table.concat(messages, "\n")
end

local function path(expression, comparator, expected)
  return ('{ state: "success", matcher: { output: { path: "%s", comparator: "%s", expected: "%s" } } }'):format(expression,
    comparator or "stringEquals", expected or "x")
end

describe("bide check", function()
  local cases = data.files("smithy/waiters", "%.events$")
  if #cases == 0 then pending("smithy/waiters " .. data.unpacked_hint) end

  for _, name in ipairs(cases) do
    for _, ending in ipairs { ".smithy", ".json" } do
      local file = name:gsub("%.events$", ending)
      it("gives exactly the events of " .. file, function()
        assert.equal(expected_events(data.read(name)), models.events(check.check(models.of_data { file })))
      end)
    end
  end

  for _, name in ipairs(data.files("smithy/models", "%.json$")) do
    it("gives no false alarm for " .. name, function()
      for _, event in ipairs(check.check(models.of_data { name })) do assert.equal("NOTE", event.severity, event.message) end
    end)
  end

  ---waiters on GetThing; the events; a part of the messages
  local events = {
    { "{}", "ERROR TraitValue - -", "expected at least one waiter, found none" },
    { "{ thing: { acceptors: [" .. SUCCESS .. "] } }", "ERROR TraitValue thing -", "UpperCamelCase" },
    { "{ A: { acceptors: [] } }", "ERROR TraitValue A -", "expected at least an acceptor, found an empty list" },
    { "{ A: {} }", "ERROR Model A -", "the member acceptors is missing" },
    { "{ A: { acceptors: [" .. SUCCESS .. "], minDelay: 0 } }", "ERROR TraitValue.Target.InvalidRange A -", "at least 1 second" },
    { "{ A: { acceptors: [" .. SUCCESS .. "], minDelay: 1.5 } }", "ERROR TraitValue A -", "minDelay: expected a whole number" },
    { '{ A: { acceptors: [' .. SUCCESS .. '], minDelay: "5" } }', "ERROR Model A -", "minDelay: expected a whole number" },
    { "{ A: { acceptors: [" .. SUCCESS .. "], maxDelay: 1 } }", "ERROR WaitableTrait A -",
      "minDelay, 2, is greater than maxDelay, 1" },
    { '{ A: { acceptors: [' .. SUCCESS .. '], tags: [""] } }', "ERROR TraitValue A -", "expected a tag, found an empty string" },
    { "{ A: { acceptors: [" .. SUCCESS .. "], minDealy: 3 } }",
      "WARNING TraitValue.UnknownMember.smithy.waiters#Waiter.minDealy A -", "unknown member minDealy, did you mean minDelay?" },
    { '{ A: { acceptors: [{ state: "success", matcher: { success: true }, mesage: "x" }] } }',
      "WARNING TraitValue.UnknownMember.smithy.waiters#Acceptor.mesage A 0", "did you mean message?" },
    { '{ A: { acceptors: [{ state: "success", matcher: { sucess: true } }] } }',
      "ERROR TraitValue.UnknownMember.smithy.waiters#Matcher.sucess A 0", "did you mean success?" },
    { '{ A: { acceptors: [{ state: "success", matcher: { status: 404 } }] } }',
      "ERROR TraitValue.UnknownMember.smithy.waiters#Matcher.status A 0", "unknown member status" },
    { '{ A: { acceptors: [{ state: "Success", matcher: { success: true } }, ' .. SUCCESS .. "] } }",
      "ERROR Model A 0\nWARNING bide.ShadowedAcceptor A 1", "expected one of success, failure, retry (did you mean success?)" },
    { '{ A: { acceptors: [{ state: "success", matcher: {} }] } }', "ERROR Model A 0", "expected exactly one of" },
    { '{ A: { acceptors: [{ state: "success", matcher: { success: true, errorType: "Gone" } }] } }', "ERROR Model A 0",
      "found 2" },
    { '{ A: { acceptors: [{ state: "success", matcher: { success: "true" } }] } }', "ERROR Model A 0",
      "success: expected a boolean" },
    { '{ A: { acceptors: [{ state: "retry", matcher: { errorType: "Gone" } }] } }', "ERROR WaitableTrait A -",
      "no acceptor has the state success" },
    { "{ A: { acceptors: [" .. path("ready", "booleanEquals", "yes") .. "] } }",
      "ERROR WaitableTrait A 0", 'expected "true" or "false"' },
    { "{ A: { acceptors: [" .. path "state[" .. "] } }", "ERROR WaitableTrait A 0", "^" },
    { "{ A: { acceptors: [" .. path "stat(@)" .. "] } }", "ERROR WaitableTrait A 0", "there is no function stat()" },
    { '{ A: { acceptors: [{ state: "success", matcher: { success: true }, message: "state" }] } }', "ERROR WaitableTrait A 0",
      "only an acceptor with the state failure has a message" },
    { '{ A: { acceptors: [{ state: "failure", matcher: { success: false }, message: "size" }, ' .. SUCCESS .. "] } }",
      "ERROR WaitableTrait A 0", "the message must be a string or a list of strings, and size is a number" },
    { "{ A: { acceptors: [" .. path "stat" .. "] } }",
      "DANGER WaitableTraitJmespathProblem.JmespathEventDanger.A.0 A 0", "did you mean state?" },
    { "{ A: { acceptors: [" .. path "size" .. "] } }",
      "DANGER WaitableTraitJmespathProblem.ReturnTypeMismatch.A.0 A 0", "stringEquals compares a string, and size is a number" },
    { "{ A: { acceptors: [" .. path("sizes", "allStringEquals") .. "] } }", "WARNING bide.NeverMatches A 0", "array of number" },
    { "{ A: { acceptors: [" .. path("when", "stringEquals") .. "] } }",
      "DANGER WaitableTraitJmespathProblem.ReturnTypeMismatch.A.0 A 0", "when is a number" },
    { '{ A: { acceptors: [{ state: "retry", matcher: { errorType: "Gon" } }, ' .. SUCCESS .. "] } }",
      "WARNING WaitableTraitInvalidErrorType.A.0 A 0", 'the operation has no error "Gon", did you mean Gone?' },
    { '{ A: { acceptors: [{ state: "retry", matcher: { errorType: "a.b#Gone" } }, ' .. SUCCESS .. "] } }", "" },
    { '{ A: { acceptors: [{ state: "retry", matcher: { errorType: "Gone" } }, ' .. SUCCESS .. "] } }", "" },
    { "{ A: { acceptors: [" .. SUCCESS .. "] } }", "" },
    { "{ A: { acceptors: [" .. path "state" .. ", " .. path "state" .. "] } }", "WARNING bide.ShadowedAcceptor A 1",
      "acceptor 0 matches" },
    { '{ A: { acceptors: [{ state: "retry", matcher: { success: true } }, ' .. path "state" .. "] } }",
      "NOTE bide.ImplicitRetry A 0\nWARNING bide.ShadowedAcceptor A 1", "is tried again anyway" },
    { '{ A: { acceptors: [{ state: "failure", matcher: { errorType: "Gone" } }, ' .. SUCCESS .. "] } }",
      "NOTE bide.ImplicitFailure A 0", "is a failure anyway" },
    { "{ GetThingDone: { acceptors: [" .. SUCCESS .. "] } }", "NOTE bide.NameOfOperation GetThingDone -", "not the operation" },
  }
  for _, case in ipairs(events) do
    it(("says %s of %s"):format(case[2] == "" and "nothing" or case[2]:gsub("\n", ", "), case[1]), function()
      local found, messages = events_of(case[1])
      assert.equal(case[2], found)
      assert.matches(case[3] or "", messages, 1, true)
    end)
  end

  it("sees a waiter on what is no operation, and on one that streams", function()
    local found = events_of("{ A: { acceptors: [" .. SUCCESS .. "] } }", [[
@waitable(B: { acceptors: [{ state: "success", matcher: { success: true } }] })
structure NoOperation {}
@waitable(C: { acceptors: [{ state: "success", matcher: { success: true } }] })
operation Streams { output := { events: Events } }
@streaming
union Events { one: String }
]])
    assert.equal("ERROR TraitTarget - -\nERROR TraitTarget - -", found)
  end)

  it("sees one name on two operations of a service, those of its resources included", function()
    local found = events_of("{ ThingReady: { acceptors: [" .. SUCCESS .. "] }, THINGREADY: { acceptors: [" .. SUCCESS
      .. "] } }", [[
@waitable(thingReady: { acceptors: [{ state: "success", matcher: { success: true } }] })
operation Other {}
service Things { version: "1", operations: [GetThing], resources: [Part] }
resource Part { read: Other }
]])
    assert.equal("ERROR TraitValue thingReady -\nERROR UniqueWaiterNames THINGREADY -\nERROR UniqueWaiterNames ThingReady -\n"
      .. "ERROR UniqueWaiterNames thingReady -", (function()
        local lines = {}
        for line in found:gmatch "[^\n]+" do lines[#lines + 1] = line end
        table.sort(lines)
        return table.concat(lines, "\n")
      end)())
  end)

  it("honours suppressions, but not of an ERROR", function()
    local waiters = "{ A: { acceptors: [" .. path "stat" .. ", { state: \"retry\", matcher: { errorType: \"No\" } }] } }"
    assert.equal("WARNING WaitableTraitInvalidErrorType.A.1 A 1",
      (events_of(waiters, '\napply GetThing @suppress(["WaitableTraitJmespathProblem"])')))
    local all = 'metadata suppressions = [{ id: "WaitableTraitInvalidErrorType", namespace: "a.b", reason: "" },'
      .. ' { id: "WaitableTraitJmespathProblem.JmespathEventDanger.A", namespace: "*", reason: "" },'
      .. ' { id: "WaitableTrait", namespace: "*" }]\n'
    local text = HEAD:gsub("namespace a.b", all
      .. "namespace a.b"):gsub("@error%(\"client\"%) structure", '@error("client")\nstructure')
    local opened = models.of_text(text .. "apply GetThing @waitable(" .. waiters .. ")\n")
    assert.equal("", models.events(check.check(opened)))
  end)
end)
