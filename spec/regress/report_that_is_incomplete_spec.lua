---A success whose events or recording could not be written ended with 0, and COMMAND ran. What was asked for and is not
---there whole is output that cannot be written, as a report is.

local Workspace = require "spec.support.workspace"

local recipe = [[
return { Op = { call = function(input) return { state = input.state } end, waitable = { Done = {
  minDelay = 0.01, maxDelay = 0.01, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } },
    { state = "failure", name = "Failed",
      matcher = { output = { path = "state", comparator = "stringEquals", expected = "failed" } } } } } } } }
]]

describe("what a run reports beside its outcome", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("op.lua", recipe)
    workspace:write("waits.jsonl", '{"state": "done"}\n')
    workspace:write("answers.jsonl", '{"output": {"state": "done"}}\n')
    workspace:write("wait.lua", [[
      local bide = require "bide"
      print(bide.load("op.lua").waiters.Done:wait({ state = "done" }, { maxWait = 1 }).state)]])
  end)

  ---@return integer code
  ---@return string stdout
  ---@return string stderr
  local function run(words)
    os.remove(workspace.path .. "/ran")
    local done = workspace:shell('"$BIDE" ' .. words)
    return done.code, done.stdout, done.stderr
  end

  local function has_run() return io.open(workspace.path .. "/ran") ~= nil end

  for _, row in ipairs {
    { "run ./op.lua state=done --max-wait 1s --events /dev/full", "the events cannot be written: No space left" },
    { "run ./op.lua state=done --max-wait 1s --record /dev/full", "the recording /dev/full ends here: No space left" },
    { "run ./op.lua state=done + ./op.lua state=done --max-wait 1s --events /dev/full", "the events cannot be written" },
    { "run ./op.lua --each waits.jsonl --max-wait 1s --events /dev/full", "the events cannot be written" },
  } do
    it("turns 0 into 1 if it cannot be written, and lets no COMMAND run: " .. row[1], function()
      local code, _, stderr = run(row[1] .. " -- touch ran")
      assert.same({ 1, false }, { code, has_run() }, stderr)
      assert.matches(row[2], stderr, 1, true)
      assert.matches("succeeded", stderr, 1, true)
    end)
  end

  it("turns 0 into 1 in a replay and in a script, too", function()
    assert.equal(1, (run "replay ./op.lua Done answers.jsonl --max-wait 1s --events /dev/full"))
    local code, stdout = run "exec --record folder wait.lua"
    assert.same({ 0, "success\n" }, { code, stdout })
    workspace:write("blocked.lua", ([[
      local bide = require "bide"
      local folder = os.getenv "FOLDER"
      assert(os.rename(folder, folder .. ".gone"))
      print(bide.load("op.lua").waiters.Done:wait({ state = "done" }, { maxWait = 1 }).state)]]))
    code, stdout = run "exec --record other blocked.lua"
    assert.same({ 5, "" }, { code, stdout })
    local done = workspace:shell 'FOLDER=other2 "$BIDE" exec --record other2 blocked.lua'
    assert.same({ 1, "success\n" }, { done.code, done.stdout }, done.stderr)
    assert.matches("the recording other2/000001.jsonl ends here", done.stderr, 1, true)
    workspace:shell "{ cat blocked.lua; echo ' os.exit(0)'; } >leaves.lua"
    done = workspace:shell 'FOLDER=other3 "$BIDE" exec --record other3 leaves.lua'
    assert.same({ 1, "success\n" }, { done.code, done.stdout }, done.stderr)
  end)

  it("leaves other exit codes as they are", function()
    assert.equal(1, (run "run ./op.lua state=failed --max-wait 1s --events /dev/full"))
    assert.equal(124, (run "run ./op.lua state=none --max-wait 50ms --record /dev/full"))
    assert.equal(7, (run "run ./op.lua state=failed --max-wait 1s --events /dev/full --exit-code Failed=7"))
  end)

  it("is refused by a replay if a text of an output was too long for it", function()
    workspace:write("long.lua", [[local count = 0
      return { Op = { call = function()
        count = count + 1
        return count < 3 and { state = "none", n = count } or { state = "done", text = ("x"):rep((1 << 20) + 10) }
      end, waitable = { Done = { minDelay = 0.01, maxDelay = 0.01, acceptors = { { state = "success",
        matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } } } } } } }]])
    assert.equal(0, (run "run ./long.lua --max-wait 1s --record long.jsonl"))
    local code, _, stderr = run "replay ./long.lua Done long.jsonl --max-wait 1s"
    assert.equal(2, code)
    assert.matches("long.jsonl:3: the recording has no output here: its 1048612 bytes are", stderr, 1, true)
  end)

  it("is no matter if it is all there", function()
    local code = run "run ./op.lua state=done --max-wait 1s --events events.jsonl --record rec.jsonl -- touch ran"
    assert.same({ 0, true }, { code, has_run() })
  end)
end)
