---`--resume` took an end that the waiter cannot have, the row of another wait, or a state with other limits for what it had
---recorded: a failure became a success, a wait succeeded without being asked, a hold was skipped. An empty token was exit
---code 70.

local Workspace = require "spec.support.workspace"
local journal = require "spec.support.journal"

local recipe = [[
local function seen(name, state, text)
  return { name = name, state = state, matcher = { output = { path = "state", comparator = "stringEquals", expected = text } } }
end
return { Look = {
  call = function(input)
    local file = assert(io.open(input.file))
    local text = file:read "l"
    file:close()
    return { state = text }
  end,
  waitable = { %sSeen = { minDelay = 0.02, maxDelay = 0.02, acceptors = {
    seen("Good", "success", "there"), seen("Bad", "failure", "lost"),
  } } },
} }
]]

describe("a recorded wait that somebody has edited", function()
  local workspace = Workspace.of_each()

  before_each(function()
    for _, name in ipairs { "a", "b" } do
      workspace:write(name .. ".lua", recipe:format(name:upper()))
      workspace:write(name, "pending\n")
    end
  end)

  local function edit(statement) journal.query(workspace.path .. "/j", statement) end

  local function resume(line) return workspace:shell(line .. " --resume -- echo COMMAND", 120) end

  local function refused(done, words, about)
    assert.same({ 2, "" }, { done.code, done.stdout }, about .. done.stderr)
    assert.matches("^bide: the journal j: it is [^\n]*\n$", done.stderr)
    assert.matches(words, done.stderr, 1, true)
  end

  local one = '"$BIDE" a.lua file=a -q --max-wait 90s --journal j --exit-code Bad=9 --exit-code Good=0'

  it("has an end of its waiter", function()
    workspace:write("a", "lost\n")
    assert.equal(9, workspace:shell(one .. " -- echo COMMAND >/dev/full 2>/dev/full").code)
    edit "CREATE TABLE kept AS SELECT id, outcome FROM wait"
    for _, members in ipairs {
      "'$.state', 'success', '$.history[0].state', 'success'",
      "'$.state', 'success', '$.history[0].state', 'success', '$.acceptor', 1, '$.name', 'Good'",
      "'$.state', 'success', '$.history[0].state', 'success', '$.acceptor', 7, '$.history[0].acceptor', 7",
      "'$.state', 'success', '$.history[0].state', 'success', '$.history[0].acceptor', 2",
      "'$.name', 'Good'", "'$.reason', 'maxWait'", "'$.waiter', 'BSeen'", "'$.attempts', 2", "'$.input.file', 'b'",
    } do
      edit(("UPDATE wait SET outcome = json_set(outcome, %s)"):format(members))
      refused(resume(one), "it is broken: wait.outcome", members)
      edit "UPDATE wait SET outcome = (SELECT outcome FROM kept)"
    end
    edit "UPDATE run SET outcome = 'success'"
    refused(resume(one), "it is broken: the outcome of run 1 is not that of its waits", "run.outcome")
    edit "UPDATE run SET outcome = 'failure'"
    edit "UPDATE wait SET outcome = NULL, attempts = 0"
    refused(resume(one), "it is broken: run 1 has ended, and its wait 1 has not", "wait.outcome")
    edit "UPDATE wait SET outcome = (SELECT outcome FROM kept), attempts = 1"
    local done = resume(one)
    assert.same({ 9, "" }, { done.code, done.stdout }, done.stderr)
  end)

  it("has the limits, the attempts and the token that it had", function()
    local words = { "run", "a.lua", "file=a", "--max-wait", "90s", "--hold", "3", "--journal", "j" }
    local process = workspace:start(words)
    process:wait_for_output "attempt 1,"
    process:kill "sigkill"
    process:wait()
    workspace:write("a", "there\n")
    edit "CREATE TABLE kept AS SELECT * FROM wait"
    edit "CREATE TABLE kept_run AS SELECT * FROM run"
    words[#words + 1] = "--resume"
    for _, row in ipairs {
      { "wait.limits", "state = replace(state, 'hold_attempts=3', 'hold_attempts=0')" }, { "wait.limits", "limits = NULL" },
      { "wait.attempts", "attempts = attempts + 1" }, { "wait.attempts", "state = replace(state, ' attempts=', ' attempts=1')" },
      { "wait.token", "token = ''" }, { "wait.input", [[input = '{"file":"b"}']] },
    } do
      edit("UPDATE wait SET " .. row[2])
      refused(workspace:bide(words), row[1], row[2])
      edit "DELETE FROM wait"
      edit "INSERT INTO wait SELECT * FROM kept"
    end
    edit "UPDATE run SET seal = NULL"
    refused(workspace:bide(words), "run 1 is not what was begun", "seal")
    edit "UPDATE run SET seal = (SELECT seal FROM kept_run)"
    edit "DELETE FROM attempt"
    refused(workspace:bide(words), "wait.attempts", "attempt")
  end)

  it("is not another wait of its run", function()
    local words = { "run", "a.lua", "file=a", "+", "b.lua", "file=b", "--max-wait", "90s", "--journal", "j" }
    workspace:write("a", "there\n")
    local process = workspace:start(words)
    process:wait_for_output "attempt 1,"
    process:kill "sigkill"
    process:wait()
    edit "CREATE TABLE kept AS SELECT * FROM wait"
    words[#words + 1] = "--resume"
    for _, row in ipairs {
      { "wait.recipe", "position = 3 - position" }, { "wait.waiter", "waiter = 'ASeen'" }, { "wait.recipe", "recipe = NULL" },
      { "wait.outcome", "outcome = (SELECT outcome FROM kept WHERE position = 1), rank = position" },
    } do
      edit("UPDATE wait SET " .. row[2])
      refused(workspace:bide(words), row[1], row[2])
      edit "DELETE FROM wait"
      edit "INSERT INTO wait SELECT * FROM kept"
    end
    workspace:write("b", "lost\n")
    assert.equal(1, workspace:bide(words).code)
  end)
end)
