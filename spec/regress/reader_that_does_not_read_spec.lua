---A reader that stops reading (a pager, Ctrl-S, a paused log) stopped the deadline and the first SIGTERM where it
---read standard error or events; where it read standard output, a signal took a second, and the other tasks of a script
---waited for it.

local Workspace = require "spec.support.workspace"

local recipe = [[
return { Ask = { call = function() return { s = "no" } end, waitable = { Done = { minDelay = 0.01, maxDelay = 0.02, acceptors = {
  { state = "success", matcher = { output = { path = "s", comparator = "stringEquals", expected = "yes" } } } } } } } }
]]

local script = [[
local bide, uv = require "bide", require "luv"
local began = uv.hrtime()
local printing = bide.spawn(function() for _ = 1, 100 do print(("x"):rep(4000)) end end)
local ok = pcall(bide.timeout, 0.3, function() bide.sleep(5) end)
io.stderr:write(("%.3f %s\n"):format((uv.hrtime() - began) / 1e9, ok))
printing:join()
]]

---Fills a pipe that nobody reads, or reads of a fifo that is given, and runs bide with it as a stream. Prints its exit code,
---the seconds it took since the signal, and what it said.
local program = [==[
import fcntl, os, subprocess, sys, time, signal
stream, signal_after, reads, words = sys.argv[1], float(sys.argv[2]), sys.argv[3] == "late", sys.argv[4:]
reading, writing = os.pipe()
os.set_blocking(writing, False)
try:
    while True: os.write(writing, b"x" * 4096)
except BlockingIOError: pass
os.set_blocking(writing, True)
streams = {"stdout": subprocess.DEVNULL, "stderr": open("said", "wb")}
if stream == "events": words = words + ["--events", "/proc/self/fd/%d" % writing]
else: streams[stream] = writing
began = time.monotonic()
bide = subprocess.Popen([os.environ["BIDE"]] + words, pass_fds=[writing], **streams)
os.close(writing)
if signal_after > 0:
    time.sleep(signal_after)
    began = time.monotonic()
    bide.send_signal(signal.SIGTERM)
if reads:
    time.sleep(1)
    while os.read(reading, 1 << 16): pass
try: code, seconds = bide.wait(10), time.monotonic() - began
except subprocess.TimeoutExpired:
    bide.kill()
    code, seconds = "hangs", 10
print(code, seconds, open("said").read())
]==]

describe("a full pipe that nobody reads", function()
  local workspace = Workspace.of_block()
  setup(function()
    workspace:write("ask.lua", recipe)
    workspace:write("done.lua", (recipe:gsub('"no"', '"yes"')))
    workspace:write("print.lua", script)
    workspace:write("much.lua", "for _ = 1, 100 do print(('x'):rep(4000)) end")
    workspace:write("full.py", program)
  end)

  ---@return string code
  ---@return number seconds
  ---@return string said
  local function run(stream, signal_after, reads, words)
    local done = workspace:shell(("python3 full.py %s %s %s %s"):format(stream, signal_after, reads, words))
    local code, seconds, said = done.stdout:match "^(%S+) (%S+) (.*)$"
    return code, tonumber(seconds) or error(done.stderr), said
  end

  for _, row in ipairs {
    { "stderr", 0, "never", "run ask.lua --max-wait 1s", "124", 3.5 },
    { "stderr", 0.5, "never", "run ask.lua --max-wait 1m", "143", 0.5 },
    { "events", 0, "never", "run ask.lua --quiet --max-wait 1s", "124", 3.5, "events cannot be written: their reader" },
    { "events", 0.5, "never", "run ask.lua --quiet --max-wait 1m", "143", 0.5 },
    { "events", 0, "late", "run ask.lua --quiet --max-wait 500ms", "124", 3.5 },
    { "stdout", 0.5, "never", "run ask.lua --quiet --max-wait 1m --events -", "143", 0.5 },
    { "stdout", 1, "never", "run ask.lua --quiet --max-wait 200ms --output json", "124", 0.5 }, -- it has failed before
    { "stdout", 1, "never", "run done.lua --quiet --max-wait 5s --output json", "143", 0.5 },
    { "stdout", 0, "late", "run done.lua --quiet --max-wait 5s --output json", "0", 3.5 },
    { "stdout", 0, "late", "run ask.lua --quiet --max-wait 200ms --output json", "124", 3.5 },
    { "stdout", 1, "never", "exec print.lua", "143", 0.5 },
    { "stdout", 1, "never", "exec --sandbox much.lua", "143", 0.5 },
  } do
    local stream, signal_after, reads, words, code, within, sentence = table.unpack(row, 1, 7)
    local signal = signal_after > 0 and ", with a signal" or ""
    it(("as %s, read %s, delays nothing: %s%s"):format(stream, reads, words, signal), function()
      local found, seconds, said = run(stream, signal_after, reads, words)
      assert.equal(code, found, said)
      assert.is_true(seconds < within, seconds)
      if sentence then assert.matches(sentence, said, 1, true) end
    end)
  end

  it("as the output of a script, lets its other tasks continue", function()
    local _, _, said = run("stdout", 1, "never", "exec --quiet print.lua")
    assert.is_true(tonumber(said:match "^(%S+) false") < 0.9, said)
  end)

  it("as the output of a script, gets all of it once it is read", function()
    local code, _, said = run("stdout", 0, "late", "exec --quiet print.lua")
    assert.equal("0", code, said)
  end)
end)
