---A reader of standard error that stops reading (a pager, Ctrl-S) stopped the deadline too, and the first SIGTERM.

local Workspace = require "spec.support.workspace"

local recipe = [[
return { Ask = { call = function() return { s = "no" } end, waitable = { Done = { minDelay = 0.01, maxDelay = 0.02, acceptors = {
  { state = "success", matcher = { output = { path = "s", comparator = "stringEquals", expected = "yes" } } } } } } } }
]]

---Fills a pipe that nobody reads, runs bide with it as standard error, and prints its exit code and the seconds it took.
local program = [==[
import fcntl, os, subprocess, sys, time, signal
reading, writing = os.pipe()
os.set_blocking(writing, False)
try:
    while True: os.write(writing, b"x" * 4096)
except BlockingIOError: pass
os.set_blocking(writing, True)
began = time.monotonic()
words = [os.environ["BIDE"], "run", "ask.lua", "--max-wait", sys.argv[1]]
bide = subprocess.Popen(words, stderr=writing, stdout=subprocess.DEVNULL)
if len(sys.argv) > 2:
    time.sleep(0.5)
    began = time.monotonic()
    bide.send_signal(signal.SIGTERM)
try: print(bide.wait(10), time.monotonic() - began)
except subprocess.TimeoutExpired:
    bide.kill()
    print("hangs", 10)
]==]

describe("a full pipe as standard error that nobody reads", function()
  local workspace
  setup(function()
    workspace = Workspace.make()
    workspace:write("ask.lua", recipe)
    workspace:write("full.py", program)
  end)
  teardown(function() workspace:remove() end)

  it("does not stop the deadline", function()
    local code, seconds = workspace:shell("python3 full.py 1s").stdout:match "(%S+) (%S+)"
    assert.equal("124", code)
    assert.is_true(tonumber(seconds) < 3.5, seconds)
  end)

  it("does not stop a signal", function()
    local code, seconds = workspace:shell("python3 full.py 1m term").stdout:match "(%S+) (%S+)"
    assert.equal("143", code)
    assert.is_true(tonumber(seconds) < 0.5, seconds)
  end)
end)
