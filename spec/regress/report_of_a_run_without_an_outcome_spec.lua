---A run of a journal of the first version has no outcome of its own. Its report took that for a success, so that JUnit and TAP
---skipped the waits that had failed. In JUnit, a wait that had not ended failed with the type "nil".

local Workspace = require "spec.support.workspace"
local journal = require "spec.support.journal"

describe("the report of a run", function()
  local workspace = Workspace.of_block()
  local file

  setup(function()
    file = workspace.path .. "/waits.db"
    workspace:write("there", "")
    workspace:bide { "run", "file", "there", "+", "file", "missing", "--keep-going", "--max-attempts", "1", "--max-wait", "9s",
      "--journal", file }
    workspace:bide { "run", "file", "there", "--max-wait", "1s", "--journal", file }
    journal.query(file, "UPDATE run SET outcome = NULL")
    local open = workspace:start { "run", "file", "missing", "--max-wait", "60s", "--journal", file }
    open:wait_for_output "attempt 1"
    open:kill "sigkill"
    open:wait()
  end)

  local function report(format, ...)
    local done = workspace:bide { "journal", "report", "--journal", file, "--output", format, ... }
    assert.equal(0, done.code, done.stderr)
    return done.stdout
  end

  it("fails with a wait that failed, though the journal does not say that the run did", function()
    assert.matches("ok 1 .*\nnot ok 2 ", report("tap", "1"))
    assert.not_matches("SKIP", report("tap", "1"), 1, true)
    assert.matches('failures="1" errors="0" skipped="0"', report("junit", "1"), 1, true)
    assert.matches("<title>run 1 failed</title>", report("html", "1"), 1, true)
    assert.matches("<title>2 runs failed</title>", report("html", "1", "2"), 1, true)
    assert.matches('failures="0" errors="0" skipped="0"', report("junit", "2"), 1, true)
    assert.matches("<title>FileExists succeeded</title>", report("html", "2"), 1, true)
  end)

  it("is no success while a wait has not ended", function()
    assert.matches("not ok 1 %- FileExists\n# FileExists has not ended; %d+ attempts? so far", report("tap", "3"))
    assert.matches('<failure type="waiting" message="FileExists has not ended;', report("junit", "3"), 1, true)
    assert.matches("<title>FileExists has not ended</title>", report("html"), 1, true)
    assert.matches("<title>2 runs has not ended</title>", report("html", "2", "3"), 1, true)
    local summary = workspace.path .. "/summary.md"
    report("github=" .. summary, "2", "3")
    assert.matches("not ended", workspace:read "summary.md", 1, true)
  end)
end)
