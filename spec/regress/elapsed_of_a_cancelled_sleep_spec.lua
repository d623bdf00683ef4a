---A signal that ended a sleeping wait found the clock as it was when the sleep began: `elapsed`, the message and
---the time of the event were of that moment.

local json = require("bide.core").json
local uv = require "luv"
local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"

local recipe = [[
return { Get = {
  call = function() return { s = "p" } end,
  waitable = { LongExists = { minDelay = 30, acceptors = {
    { state = "success", matcher = { output = { path = "s", comparator = "stringEquals", expected = "ok" } } },
  } } },
} }]]

local SLEEP = 0.4

---Seconds since 1970 of the `time` of an event.
local function seconds_of(event)
  local hours, minutes, seconds = event.time:match "T(%d+):(%d+):([%d.]+)Z$"
  return hours * 3600 + minutes * 60 + seconds
end

describe("the time of a wait that sleeps", function()
  local workspace = Workspace.of_block { ["asleep.lua"] = recipe, ["lines.jsonl"] = "{}\n{}\n" }

  local function pause(seconds)
    local done = false
    local timer = uv.new_timer()
    timer:start(math.ceil(seconds * 1000), 0, function() done = true timer:close() end)
    while not done do uv.run "once" end
  end

  local function start(options, ...)
    os.remove(workspace.path .. "/events.jsonl")
    return workspace:start({ "run", "asleep.lua", "--max-wait", "100s", "--output", "json",
      "--events", "events.jsonl", ... }, options)
  end

  ---The outcome, and how long by its events the wait lasted.
  local function finish(running, signal)
    running:kill(signal)
    running:wait()
    local events = Workspace.decode_lines(workspace:read "events.jsonl")
    return assert(json.decode(running.stdout)), seconds_of(events[#events]) - seconds_of(events[1]), running
  end

  local function assert_slept(outcome, lasted)
    assert.is_true(outcome.elapsed >= SLEEP, outcome.elapsed)
    assert.is_true(lasted >= SLEEP - 0.01 or lasted < 0, lasted) -- midnight may pass
    assert.matches("^LongExists was cancelled after 1 attempt in [%d.]+ s", outcome.message)
    assert.is_true(tonumber(outcome.message:match "in ([%d.]+) s") >= SLEEP, outcome.message)
  end

  for _, signal in ipairs { "sigterm", "sigint" } do
    it("is that of the moment when a signal ends it: " .. signal, function()
      local running = start()
      running:wait_for_output "attempt 1"
      pause(SLEEP)
      assert_slept(finish(running, signal))
    end)
  end

  it("is that of the moment when it was stopped and goes on", function()
    local running = start()
    running:wait_for_output "attempt 1"
    running:kill "sigstop"
    pause(SLEEP)
    running:kill "sigcont"
    assert_slept(finish(running, "sigterm"))
  end)

  it("is that of the moment in every wait of a fleet", function()
    local running = start(nil, "--each", "lines.jsonl")
    repeat pause(0.01) until uv.fs_stat(workspace.path .. "/events.jsonl")
    repeat pause(0.01) until #Workspace.decode_lines(workspace:read "events.jsonl") == 4
    pause(SLEEP)
    local fleet, lasted = finish(running, "sigterm")
    assert.equal(2, #fleet.outcomes)
    for _, outcome in ipairs(fleet.outcomes) do assert_slept(outcome, lasted) end
  end)

  it("counts what a suspended machine slept", function()
    if process.is_static then return pending(process.NO_PRELOAD) end
    local library, file = workspace.path .. "/suspend.so", workspace.path .. "/suspended"
    local compiled = process.run({ os.getenv "CC" or "cc", "-shared", "-fPIC", "-o", library, "spec/support/suspend.c" },
      { tool = true })
    assert.equal("", compiled.stderr)
    local preload = (os.getenv "LD_PRELOAD" or "") .. " " .. library
    local running = start({ env = { LD_PRELOAD = preload, SUSPENDED = file } }, "--min-delay", "1s", "--max-delay", "1s")
    running:wait_for_output "attempt 1"
    workspace:write("suspended", "")
    running:wait()
    local outcome = assert(json.decode(running.stdout))
    assert.equal("maxWait", outcome.reason)
    assert.is_true(outcome.elapsed >= 7200, outcome.elapsed)
    local events = Workspace.decode_lines(workspace:read "events.jsonl")
    assert.is_true((seconds_of(events[#events]) - seconds_of(events[1])) % 86400 >= 7200)
  end)
end)
