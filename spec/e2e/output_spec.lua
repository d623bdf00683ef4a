---`--output FORMAT[=FILE]`: a place for the outcome beside the output of COMMAND, and JUnit XML.

local Workspace = require "spec.support.workspace"
local core = require "bide.core"

local recipe = [[
return {
  GetThing = {
    call = function(input)
      if input.bug then error "a bug" end
      if input.slow then require("bide").sleep(60) end
      return input
    end,
    waitable = { ThingDone = { acceptors = {
      { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } },
      { state = "failure", matcher = { output = { path = "state", comparator = "stringEquals", expected = "<a & \"b\">" } } },
    } } },
  },
}
]]

describe("--output", function()
  local workspace

  setup(function()
    workspace = Workspace.make()
    workspace:write("things.lua", recipe)
  end)
  teardown(function() workspace:remove() end)

  local function run(...)
    return workspace:bide { "run", "things.lua", "state=done", "--max-wait", "5s", "--quiet", ... }
  end

  it("leaves standard output to COMMAND where the outcome has a file", function()
    local done = run("--output", "json=outcome.json", "--", "echo", "started")
    assert.same({ 0, "started\n" }, { done.code, done.stdout })
    assert.matches("^ThingDone succeeded after 1 attempt [^\n]*\n$", done.stderr)
    assert.same({ "success", "ThingDone" }, { core.json.decode(workspace:read "outcome.json").state,
      core.json.decode(workspace:read "outcome.json").waiter })
    assert.equal(0, run("--output", "text=outcome.txt").code)
    assert.matches("^ThingDone succeeded after 1 attempt [^\n]*\n$", workspace:read "outcome.txt")
  end)

  it("writes the file beside events on standard output, and within the walls of the sandbox", function()
    local done = run("--output", "json=outcome.json", "--events", "-", "--sandbox")
    assert.equal(0, done.code)
    assert.matches('^{"event": "start"', done.stdout)
    assert.equal("success", core.json.decode(workspace:read "outcome.json").state)
  end)

  it("refuses what it cannot write, before anything is sent", function()
    for _, argument in ipairs { "json=/nowhere/x", "xml", "json=", "=x" } do
      local done = run("--output", argument)
      assert.equal(2, done.code)
      assert.matches("bide: %-%-output: ", done.stderr)
    end
  end)

  it("ends with 1 where the file takes nothing, and runs no COMMAND", function()
    local done = run("--output", "json=/dev/full", "--", "echo", "started")
    assert.same({ 1, "" }, { done.code, done.stdout })
    assert.matches("bide: the outcome cannot be written: /dev/full: No space left on device\n", done.stderr, 1, true)
  end)

  it("junit has a test case for each wait", function()
    local done = run("+", "things.lua", 'state=<a & "b">', "+", "things.lua", "bug=1", "--output", "junit")
    assert.equal(5, done.code)
    assert.matches('<testsuite name="bide" tests="3" failures="1" errors="1" skipped="0" time="[%d.]+">', done.stdout)
    assert.matches('<testcase classname="ThingDone" name="things#1" time="[%d.]+">\n      <system%-out>ThingDone succeeded',
      done.stdout)
    assert.matches('name="things#2" time="[%d.]+">\n      <failure type="acceptor" message="[^"<>]*&lt;a &amp; ', done.stdout)
    assert.matches('name="things#3" time="[%d.]+">\n      <error type="scriptError" message="[^"<>]*a bug"/>', done.stdout)
  end)

  it("junit counts no failure where the run succeeded", function()
    local done = run("+", "things.lua", "slow=1", "--any", "--output", "junit=report.xml")
    assert.equal(0, done.code)
    assert.matches('tests="2" failures="0" errors="0" skipped="1"', workspace:read "report.xml")
    assert.equal(0, run("--output", "junit").code)
    assert.matches('name="ThingDone"', run("--output", "junit").stdout)
  end)
end)
