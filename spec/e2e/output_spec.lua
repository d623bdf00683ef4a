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
  local workspace = Workspace.of_block { ["things.lua"] = recipe }

  local function run(...)
    return workspace:bide { "run", "things.lua", "state=done", "--max-wait", "50s", "--quiet", ... }
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
      run("--output", argument):says(2, "bide: --output: ")
    end
  end)

  it("ends with 1 where the file takes nothing, and runs no COMMAND", function()
    local done = run("--output", "json=/dev/full", "--", "echo", "started")
    assert.same({ 1, "" }, { done.code, done.stdout })
    assert.matches("bide: the outcome cannot be written: /dev/full: No space left on device\n", done.stderr, 1, true)
  end)

  ---Runs a line as it is, where Workspace:bide would leave out what is given again.
  local function run_line(rest)
    return workspace:shell('"$BIDE" run things.lua state=done --max-wait 50s --quiet ' .. rest)
  end

  it("is refused twice for one file, and twice without a file", function()
    local rows = {
      { "twice.json is given twice: for --output json, and for ", "json=twice.json", "text=twice.json" },
      { "./twice.json is given twice: for --output json, and for ", "json=twice.json", "junit=./twice.json" },
      { "twice without a file", "json", "text" },
    }
    for _, row in ipairs(rows) do
      local done = run_line(("--output %s --output %s"):format(row[2], row[3]))
      assert.equal(2, done.code, row[2])
      assert.matches(row[1], done.stderr, 1, true)
    end
    run_line "--output json=never.json --output text=never.json"
    assert.is_false(pcall(workspace.read, workspace, "never.json"), "a refused line makes no file")
    local done = run("--events", "events.jsonl", "--output", "json=events.jsonl")
    done:says(2, "events.jsonl is given twice: for --events, and for --output json")
  end)

  it("may be repeated for several files", function()
    local done = run_line "--output json=a.json --output junit=b.xml --output text"
    assert.equal(0, done.code)
    assert.matches("^ThingDone succeeded", done.stderr)
    assert.equal("success", core.json.decode(workspace:read "a.json").state)
    assert.matches("<testsuite", workspace:read "b.xml")
    assert.equal(0, run_line("--output json=/dev/null --output text=/dev/null").code)
  end)

  ---The streams of bide's own text: words of the command line, and where a success and a failure are.
  local streams = {
    { "", "out", "err" },
    { "--silent", "none", "err" },
    { "--output text", "out", "err" },
    { "--output json=outcome.json", "err", "err" },
    { "--output json=outcome.json --silent", "none", "err" },
    { "--output json", "none", "err" },
    { "--events -", "none", "err" },
    { "-- true", "err", "err" },
    { "--silent -- true", "none", "err" },
    { "--output json=outcome.json -- true", "err", "err" },
  }

  for _, row in ipairs(streams) do
    for position, input in ipairs { "state=done", 'state=<a & "b">' } do
      it(("has a place for the sentence: %s %s"):format(input, row[1]), function()
        local words = { "run", "things.lua", input, "--max-wait", "50s", not row[1]:find "silent" and "--quiet" or nil }
        for word in row[1]:gmatch "%S+" do words[#words + 1] = word end
        local done = workspace:bide(words)
        local function count(text) return select(2, text:gsub("%f[^\n\0]ThingDone %l+ after 1 attempt", "")) end
        local found = { out = count("\n" .. done.stdout), err = count("\n" .. done.stderr) }
        local wanted = { out = 0, err = 0 }
        if row[position + 1] ~= "none" then wanted[row[position + 1]] = 1 end
        assert.same(wanted, found)
      end)
    end
  end

  it("refuses a document where standard output is COMMAND's", function()
    for _, words in ipairs { { "--output", "json" }, { "--output", "junit" }, { "--events", "-" } } do
      run(words[1], words[2], "--", "touch", "ran"):says(2, "standard output is COMMAND's; give ")
      assert.is_nil(io.open(workspace.path .. "/ran"))
    end
  end)

  it("says nothing twice where standard output and standard error are one file", function()
    for _, words in ipairs { "--output json", "", "+ things.lua state=done" } do
      for _, input in ipairs { "state=done", "state=no-such" } do
        local line = ('"$BIDE" run things.lua %s %s --max-wait 100ms 2>&1'):format(input, words)
        local text = workspace:shell(line).stdout
        local _, times = text:gsub("ThingDone [%l-]+ [^\n]*after", "")
        assert.equal(words:find("+", 1, true) and 2 or 1, times, text)
      end
    end
  end)

  it("junit has a test case for each wait", function()
    local done = run("+", "things.lua", 'state=<a & "b">', "+", "things.lua", "bug=1", "--keep-going", "--output", "junit")
    assert.equal(5, done.code)
    assert.matches('<testsuite name="bide" tests="3" failures="1" errors="1" skipped="0" time="[%d.]+">', done.stdout)
    assert.matches('<testcase classname="ThingDone" name="things#1" time="[%d.]+">\n      <system%-out>ThingDone succeeded',
      done.stdout)
    assert.matches('name="things#2" time="[%d.]+">\n      <failure type="acceptor" message="[^"<>]*&lt;a &amp; ', done.stdout)
    assert.matches('name="things#3" time="[%d.]+">\n      <error type="scriptError" message="[^"<>]*a bug"/>', done.stdout)
  end)

  it("junit counts no failure where the run succeeded", function()
    run("+", "things.lua", "slow=1", "--any", "--output", "junit=report.xml"):ends(0)
    assert.matches('tests="2" failures="0" errors="0" skipped="1"', workspace:read "report.xml")
    assert.equal(0, run("--output", "junit").code)
    assert.matches('name="ThingDone"', run("--output", "junit").stdout)
  end)
end)
