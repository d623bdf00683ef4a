---What a fleet takes that sleeps: resident bytes of each wait, before and after its first
---attempt, and how long it takes to start. Waits of the recipe http are measured before it only.
---Prints one JSON object.
---
---    bide exec spec/bench/fleet/sleep.lua COUNT output|error|http

local bide = require "bide"
local core = require "bide.core"
local fleet = require "bide.wait.fleet"
local uv = require "luv"

local count, answer = tonumber(arg[1]), arg[2]
local attempts = 0

local is_http = answer == "http"

local waiter = is_http and bide.load("http").ServiceHealthy or bide.waiter {
  name = "ThingExists", minDelay = 3600, maxDelay = 3600,
  call = function(input)
    attempts = attempts + 1
    if answer == "error" then error { type = "NotFound", message = "no such thing", status = 404 } end
    return { status = "pending", name = input.name, size = 3, id = "01234" }
  end,
  acceptors = {
    { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "success" } } },
    { state = "retry", matcher = { errorType = "NotFound" } },
  },
}

local function input_of(name)
  return is_http and { url = "http://127.0.0.1/" .. name } or { name = name }
end

local function resident()
  local file <close> = assert(io.open("/proc/self/statm"))
  local _, pages = file:read("n", "n")
  return pages * 4096
end

local function processor_seconds()
  local usage = uv.getrusage()
  return usage.utime.sec + usage.stime.sec + (usage.utime.usec + usage.stime.usec) / 1e6
end

local function each(value, before) return (value - before) / count end

local bytes, began, prepared = resident(), uv.hrtime(), {}
for i = 1, count do
  prepared[i] = waiter:prepare(input_of(("thing-%06d"):format(i)), { maxWait = 86400, initialDelay = 1 })
end
fleet.start(prepared, count, core.task.waker())
local started = (uv.hrtime() - began) / 1e9
local asleep, used = each(resident(), bytes), processor_seconds()
while not is_http and attempts < count do bide.sleep(0.1) end
if not is_http then bide.sleep(0.1) end
print(core.json.encode {
  start = started, asleep = asleep, attempted = each(resident(), bytes),
  attempt = each(processor_seconds(), used) * 1e6,
})
os.exit(0) -- the fleet would sleep on
