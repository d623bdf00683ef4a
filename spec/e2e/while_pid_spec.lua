---`--while-pid N`: the wait has failed as soon as the process ends.

local uv = require "luv"
local Workspace = require "spec.support.workspace"
local port = require "spec.support.port"
local process = require "spec.support.process"

describe("--while-pid", function()
  local workspace = Workspace.of_block()
  local free

  setup(function() free = port.free() end)

  local function words(pid, ...)
    return { "tcp", "127.0.0.1:" .. free, "--max-wait", "30s", "--while-pid", ("%s"):format(pid), ... }
  end

  it("fails at once when the process ends", function()
    local beside = process.start({ "sleep", "300" }, { tool = true })
    local running = workspace:start(words(beside.pid, "--interval", "60s", "--max-wait", "150s"))
    running:wait_for_output "attempt 1"
    local killed = uv.hrtime()
    beside:kill "sigkill"
    running:wait()
    beside:wait()
    assert.is_true((uv.hrtime() - killed) / 1e9 < 40) -- before the next attempt
    assert.equal(1, running.code, running.stderr)
    local words_of_end = "the process %d has ended; last seen: error ConnectionRefused"
    assert.matches("PortOpen ended after %d+ attempts? in [%d.]+ s: " .. words_of_end:format(beside.pid), running.stderr)
  end)

  it("takes a process for ended that nobody has collected", function()
    local line = ("sleep 0.2 & exec $BIDE tcp 127.0.0.1:%d --max-wait 30s --quiet --while-pid $!"):format(free)
    local done = workspace:shell(line)
    assert.equal(1, done.code, done.stderr)
    assert.matches("the process %d+ has ended", done.stderr)
  end)

  it("fails without an attempt if the process is gone already", function()
    local gone = process.run({ "true" }, { tool = true })
    local outcome, done = workspace:outcome(words(gone.pid))
    assert.equal(1, done.code)
    assert.same({ "failure", "ended", 0 }, { outcome.state, outcome.reason, outcome.attempts })
    assert.matches("there is no process " .. gone.pid, outcome.message)
  end)

  it("cuts the attempt that is under way", function()
    workspace:write("slow.lua", [[
      return { Op = { call = function() require("bide").sleep(60) end,
        waitable = { Done = { acceptors = { { state = "success", matcher = { success = true } } } } } } }]])
    local beside = process.start({ "sleep", "0.3" }, { tool = true })
    local outcome, done = workspace:outcome { "run", "slow.lua", "--max-wait", "50s", "--while-pid", tostring(beside.pid) }
    beside:wait()
    assert.equal(1, done.code)
    assert.same({ "ended", 1 }, { outcome.reason, outcome.attempts })
  end)

  it("watches a process of another user", function()
    workspace:bide(words(1, "--max-wait", "0.3s")):ends(124)
  end)

  it("fails all waits of a fleet, whatever they are needed for", function()
    for _, option in ipairs { "--any", "--keep-going" } do
      local beside = process.start({ "sleep", "0.2" }, { tool = true })
      local done = workspace:bide(words(beside.pid, option, "+", "tcp", "127.0.0.1:" .. free))
      beside:wait()
      done:says(1, "0 of 2 waits succeeded, 2 failed, 0 cancelled")
    end
  end)

  it("says nothing where the wait succeeds first", function()
    local pid = tostring(uv.os_getpid())
    local done = workspace:bide { "command", "true", "--max-wait", "50s", "--while-pid", pid, "--", "echo", "ran" }
    assert.same({ 0, "ran\n" }, { done.code, done.stdout }, done.stderr)
  end)

  it("works within the sandbox", function()
    workspace:write("never.lua", [[
      return { Op = { call = function() error { type = "NotYet", message = "not yet" } end,
        waitable = { Done = { minDelay = 20, acceptors = {
          { state = "success", matcher = { success = true } },
          { state = "retry", matcher = { errorType = "NotYet" } } } } } } }]])
    local beside = process.start({ "sleep", "0.5" }, { tool = true })
    local done = workspace:bide { "run", "never.lua", "--max-wait", "50s", "--sandbox", "--while-pid", tostring(beside.pid) }
    beside:wait()
    assert.equal(1, done.code, done.stderr)
    assert.matches("the process %d+ has ended", done.stderr)
  end)

  it("refuses what is no process id", function()
    for _, text in ipairs { "0", "-1", "1.5", "x", "2147483648" } do
      workspace:bide(words(text)):says(2, "--while-pid: expected a process id, 1 to 2147483647, found")
    end
  end)
end)
