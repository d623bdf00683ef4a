---Waits that each ask over HTTP once a second on average, their phases spread: how late
---their attempts begin, and what that takes. Prints one JSON object.
---
---    bide exec spec/bench/fleet/attempts.lua URL WAITS ATTEMPTS

local bide = require "bide"
local core = require "bide.core"
local fleet = require "bide.wait.fleet"
local http = require "bide.http"
local uv = require "luv"

local url, waits, attempts = arg[1], tonumber(arg[2]), tonumber(arg[3])
local due, late = {}, {}

local waiter = bide.waiter {
  name = "ThingExists", minDelay = 0.5, maxDelay = 1.5,
  call = function(input)
    local now = uv.hrtime() / 1e6
    if due[input.id] then late[#late + 1] = now - due[input.id] end
    return http.get(url)
  end,
  acceptors = {
    { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "success" } } },
  },
}

local observer = {
  started = function() end,
  attempted = function(_, wait, entry) due[wait.key] = entry.delay and core.loop.now() + entry.delay * 1000 end,
  ended = function() end,
}

local function processor_seconds()
  local usage = uv.getrusage()
  return usage.utime.sec + usage.stime.sec + (usage.utime.usec + usage.stime.usec) / 1e6
end

local prepared = {}
for i = 1, waits do
  prepared[i] = waiter:prepare({ id = i }, { maxWait = 3600, maxAttempts = attempts, initialDelay = 1 + i / waits })
end
local waker = core.task.waker()
local used, began = processor_seconds(), uv.hrtime()
fleet.start(prepared, 1, waker, { observer = observer })
local record = core.task.pause(waker)
local elapsed = (uv.hrtime() - began) / 1e9
local made = 0
for _, branch in pairs(record.records) do
  assert(branch.reason == "maxAttempts", branch.message)
  made = made + branch.attempts
end
table.sort(late)
print(core.json.encode {
  attempts = made, seconds = elapsed, cpu = (processor_seconds() - used) / elapsed,
  p50 = late[#late // 2], p99 = late[#late * 99 // 100], most = late[#late],
})
