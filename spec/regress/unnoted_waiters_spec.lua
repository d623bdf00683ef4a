---bide check said nothing of an output matcher on an operation without output, of the two bad names of the specification, and of
---an empty errorType.

local Workspace = require "spec.support.workspace"
local matchers = require "bide.recipe.waiter.matchers"

local names = [[
$version: "2"
namespace example
use smithy.waiters#waitable
@waitable(
  RunInstanceComplete: { acceptors: [{ state: "success", matcher: { success: true } }] }
  TerminateInstanceComplete: { acceptors: [{ state: "success", matcher: { success: true } }] }
  StartJobDone: { acceptors: [{ state: "success", matcher: { success: true } }] }
  InstanceRunning: { acceptors: [{ state: "success", matcher: { success: true } }] }
  StackDeleteComplete: { acceptors: [{ state: "success", matcher: { success: true } }] }
  ImportTaskCompleted: { acceptors: [{ state: "success", matcher: { success: true } }] }
  StartJobsListed: { acceptors: [{ state: "success", matcher: { success: true } }] }
  RunningFound: { acceptors: [{ state: "success", matcher: { success: true } }] }
)
operation DescribeInstances {}
operation StartJob {}
]]

local no_output = [[
$version: "2"
namespace example
use smithy.waiters#waitable
@waitable(ThingDone: { acceptors: [
  { state: "success", matcher: { output: { path: "type(@) == 'object'", expected: "true", comparator: "booleanEquals" } } }
] })
operation GetThing {%s}
]]

describe("bide check", function()
  local workspace = Workspace.of_each()

  ---The events with some id as `severity waiter`, and the exit code.
  local function events(file, text, id)
    workspace:write(file, text)
    local done = workspace:bide { "check", file, "--severity", "NOTE", "--format", "json" }
    local found = {}
    for _, event in ipairs(assert(require("bide.core").json.decode(done.stdout))) do
      if event.id == id then found[#found + 1] = event.severity .. " " .. event.waiter end
    end
    table.sort(found)
    return found, done.code
  end

  it("notes waiters that are called after an operation, of the model or by its verb", function()
    local found, code = events("names.smithy", names, "bide.NameOfOperation")
    assert.same({ "NOTE RunInstanceComplete", "NOTE StartJobDone", "NOTE TerminateInstanceComplete" }, found)
    assert.equal(0, code)
    found = events("names.json", '{"RunInstanceComplete":{"acceptors":[{"state":"success","matcher":{"success":true}}]}}',
      "bide.NameOfOperation")
    assert.same({ "NOTE RunInstanceComplete" }, found)
  end)

  it("warns of a model without a waiter, which may be the wrong file, unless another file of the model has one", function()
    workspace:write("shapes.smithy", '$version: "2"\nnamespace shapes\nstring Name\n')
    workspace:write("names.smithy", names)
    local done = workspace:bide { "check", "shapes.smithy" }
    assert.equal(0, done.code)
    assert.equal("shapes.smithy:1:1: WARNING bide.NoWaiter\n  expected at least one waiter, found none: no operation has the "
      .. "trait smithy.waiters#waitable\n", done.stdout)
    assert.equal("", workspace:bide({ "check", "shapes.smithy", "names.smithy" }).stdout)
    assert.equal("", workspace:bide({ "check", "shapes.smithy", "--suppress", "bide.NoWaiter" }).stdout)
  end)

  it("refuses a file in which nothing is that could be checked", function()
    workspace:write("names.smithy", names)
    for file, row in pairs {
      ["none.smithy"] = { "", "expected a model, found nothing" },
      ["blank.smithy"] = { "\n \n", "expected a model, found nothing" },
      ["waiters.json"] = { '{"version": 2, "waiters": {}}', "expected at least one waiter, found none" },
    } do
      workspace:write(file, row[1])
      local done = workspace:bide { "check", file, "names.smithy" }
      assert.same({ 1, ("%s:1:1: ERROR Model\n  %s\n"):format(file, row[2]) }, { done.code, done.stdout })
    end
  end)

  it("notes an output matcher on an operation without output", function()
    for _, output in ipairs { "", "input := { name: String }", "output: Unit" } do
      local found, code = events("output.smithy", no_output:format(output), "bide.NoOutput")
      assert.same({ { "NOTE ThingDone" }, 0 }, { found, code }, output)
    end
    assert.same({}, (events("output.smithy", no_output:format "output := {}", "bide.NoOutput")))
    assert.same({}, (events("input.smithy", (no_output:format "input := {}"):gsub("output: {", "inputOutput: {"),
      "bide.NoOutput")))
  end)

  for _, name in ipairs { "", "  ", "example#", "#", ":http://example/" } do
    it(("warns of an errorType that names nothing: %q"):format(name), function()
      local acceptors = ('{ "acceptors": [{ "state": "retry", "matcher": { "errorType": "%s" } },'
        .. ' { "state": "success", "matcher": { "success": true } }] }'):format(name)
      for file, text in pairs {
        ["trait.json"] = ('{ "ThingDone": %s }'):format(acceptors),
        ["model.smithy"] = ('$version: "2"\nnamespace example\n@smithy.waiters#waitable("ThingDone": %s)\noperation GetThing {}')
          :format(acceptors),
        ["recipe.lua"] = ([[return { GetThing = { call = print, waitable = { ThingDone = { acceptors = {
          { state = "retry", matcher = { errorType = "%s" } }, { state = "success", matcher = { success = true } } } } } } }]])
          :format(name),
      } do
        assert.same({ "WARNING ThingDone" }, (events(file, text, "bide.EmptyErrorType")), file)
      end
    end)
  end

  it("shows an errorType that is no word in quotes", function()
    for name, words in pairs { [""] = 'the error ""', ["a b"] = 'the error "a b"', ["a.b#Gone"] = "the error a.b#Gone" } do
      local acceptor = { state = "retry", matcher = { errorType = name } }
      assert.equal(words, matchers.words(acceptor))
    end
  end)

  it("says nothing of one that names an error", function()
    assert.same({}, (events("trait.json", '{"A":{"acceptors":[{"state":"success","matcher":{"errorType":"a.b#Gone"}}]}}',
      "bide.EmptyErrorType")))
  end)
end)
