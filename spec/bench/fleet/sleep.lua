---What a fleet takes that sleeps: resident bytes of each wait, before and after its first
---attempt, and how long it takes to start. Waits of the recipe http ask the server at URL, which counts its requests.
---Prints one JSON object.
---
---    bide exec spec/bench/fleet/sleep.lua COUNT output|error
---    bide exec spec/bench/fleet/sleep.lua COUNT http URL

local bide = require "bide"
local core = require "bide.core"
local fleet = require "bide.wait.fleet"
local uv = require "luv"

local count, answer, url = tonumber(arg[1]), arg[2], arg[3]
local attempts, questions = 0, 0

local is_http = answer == "http"

---Returns how many attempts were made.
local function made()
  if not is_http then return attempts end
  questions = questions + 1
  return tonumber(require("bide.http").get(url .. "/requests").body:match "requests%s+%d+%s+%d+%s+(%d+)") - questions
end

local waiter = is_http and bide.load("http").ServiceDown or bide.waiter {
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
  return is_http and { url = ("%s/%s"):format(url, name) } or { name = name }
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

if is_http then made() end -- libcurl is of the process, not of its waits
local bytes, began, prepared = resident(), uv.hrtime(), {}
for i = 1, count do
  prepared[i] = waiter:prepare(input_of(("thing-%06d"):format(i)), {
    minDelay = 3600, maxDelay = 3600, maxWait = 86400, initialDelay = is_http and 20 or 1,
  })
end
fleet.start(prepared, count, core.task.waker())
local started = (uv.hrtime() - began) / 1e9
local asleep, used = each(resident(), bytes), processor_seconds()
local before
repeat
  before = made()
  bide.sleep(is_http and 2 or 0.1)
until before >= count or is_http and before > 0 and made() == before
print(core.json.encode {
  start = started, asleep = asleep, attempted = each(resident(), bytes),
  attempt = each(processor_seconds(), used) * 1e6,
})
os.exit(0) -- the fleet would sleep on
