---A program or process that had to last as long as the wait, and ended in the turn of the loop in which the wait succeeded:
---the loop heard of its end later, so the wait had succeeded and COMMAND ran.

local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local process = require "spec.support.process"

---A recipe that keeps the loop from turning while it ends the process whose number a file has.
local recipe = [[
local function has_ended(pid)
  local file = io.open("/proc/" .. pid .. "/stat")
  local state = file and (file:read("a") or ""):match("^.*%) (%a)")
  if file then file:close() end
  return not state or state == "Z"
end
return { Op = {
  call = function()
    local file = io.open "pid"
    local pid = file and file:read "n"
    if not pid then return { ended = false } end
    file:close()
    os.execute("kill -9 " .. pid)
    repeat until has_ended(pid)
    return { ended = true }
  end,
  waitable = { Ended = { minDelay = 0.01, maxDelay = 0.01, acceptors = {
    { state = os.getenv "STATE", name = "Named",
      matcher = { output = { path = "ended", expected = "true", comparator = "booleanEquals" } } },
    { state = "success", matcher = { output = { path = "never", expected = "true", comparator = "booleanEquals" } } },
    { state = "retry", matcher = { success = true } } } } } } }]]

describe("a wait that succeeds as what has to last beside it ends", function()
  local workspace = Workspace.of_block()

  before_each(function()
    os.remove(workspace.path .. "/pid")
    workspace:write("kill.lua", recipe)
  end)

  ---Runs the wait before a COMMAND, and returns its outcome, which has failed.
  local function run(state, ...)
    local done = workspace:bide({ "run", "kill.lua", "--max-wait", "30s", "--quiet", "--output", "json=out.json", ... },
      { env = { STATE = state } })
    assert.equal(1, done.code, done.stderr)
    assert.is_nil(io.open(workspace.path .. "/ran"))
    local file = assert(io.open(workspace.path .. "/out.json"))
    local outcome = core.json.decode(file:read "a")
    file:close()
    return outcome, done.stderr
  end

  local function assert_ended(outcome, words)
    assert.same({ "failure", "ended" }, { outcome.state, outcome.reason })
    assert.matches(words, outcome.message)
  end

  it("fails beside the program of --start, with its status and its last lines", function()
    for _, state in ipairs { "success", "failure" } do
      os.remove(workspace.path .. "/pid")
      local outcome, complaints = run(state, "--exit-code", "Named=0",
        "--start", "echo begun; echo $$ >part; mv part pid; sleep 100", "--", "touch", "ran")
      assert_ended(outcome, "the program of %-%-start was ended by signal 9; its last lines: begun")
      assert.is_nil(outcome.history[#outcome.history].acceptor)
      assert.not_matches("warning", complaints)
    end
  end)

  it("fails beside the process of --while-pid, and so do all others", function()
    local beside = process.start({ "sleep", "100" }, { tool = true })
    workspace:write("pid", beside.pid .. "\n")
    local outcome = run("success", "--keep-going", "--while-pid", tostring(beside.pid),
      "+", "file", "./never", "--", "touch", "ran")
    beside:wait()
    for position = 1, 2 do
      assert_ended(outcome.outcomes[position], ("the process %d has ended"):format(beside.pid))
    end
  end)
end)
