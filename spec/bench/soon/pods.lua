---What a fleet of waits for pods takes while it hears of changes. Prints one JSON object.
---
---    bide exec spec/bench/soon/pods.lua SERVER COUNT

local bide = require "bide"
local core = require "bide.core"
local fleet = require "bide.wait.fleet"

local server, count = arg[1], tonumber(arg[2])

---Returns the bytes of Lua, after all garbage has been collected, and those of the process.
local function held()
  collectgarbage()
  collectgarbage()
  local file <close> = assert(io.open "/proc/self/statm")
  local _, pages = file:read("n", "n")
  return collectgarbage "count" * 1024, pages * 4096
end

local waiter, attempts = bide.load("kubernetes").ObjectReady, 0

local observer = {
  started = function() end, ended = function() end,
  attempted = function() attempts = attempts + 1 end,
}

local function start()
  local prepared = {}
  for i = 1, count do
    prepared[i] = waiter:prepare({ resource = "pod/pod-" .. i, server = server },
      { maxWait = 3600, minDelay = 600, maxDelay = 600 })
  end
  fleet.start(prepared, 1, core.task.waker(), { observer = observer })
end

local heap, resident = held()
start()
while attempts < 2 * count do bide.sleep(0.1) end
bide.sleep(0.5)
local heap_now, resident_now = held()
print(core.json.encode { attempts = attempts, heap = (heap_now - heap) / count, resident = (resident_now - resident) / count })
os.exit(0)
