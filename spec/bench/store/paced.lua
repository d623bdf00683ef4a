---A worker as `bide worker --trusted` runs it, which notes by how much it uses the slots of rates too late.
---
---    lua5.4 spec/bench/store/paced.lua URL JOBS NOTES
---
---NOTES is a file, to which it writes a line of milliseconds for each slot.

local exit = os.exit -- recipes may not call it

require "bide"
local core = require "bide.core"
local luv = require "luv"
local store_worker = require "bide.cli.store.worker"
local stores = require "bide.record.store.open"

local loop = core.loop
local url, jobs, notes = table.unpack(arg)
local file = assert(io.open(notes, "w"))
file:setvbuf "no" -- it may be killed

local worker = store_worker.new(assert(stores.open(url)), {
  queues = { { name = "default", weight = 1 } }, jobs = math.tointeger(tonumber(jobs)), takes = function() end,
})
local pace = worker.helpers[1]
local bucket_of = pace.bucket

---The time on the system's clock, less that on the loop's clock, in milliseconds.
local OFFSET <const> = luv.hrtime() / 1e6 - loop.update()

---Returns a bucket whose slots are noted as they are taken.
function pace.bucket(of_worker, rate, host)
  local bucket = bucket_of(of_worker, rate, host)
  local slots = bucket and bucket.tokens
  if not slots or rawget(slots, "take") then return bucket end
  local take = slots.take
  function slots:take(now)
    local taken, next_at = take(self, now)
    if taken then file:write(("%.3f\n"):format(luv.hrtime() / 1e6 - OFFSET - self.times[self.first - 1])) end
    return taken, next_at
  end
  return bucket
end

loop.watch_signals(function() worker:stop() end)
core.task.start(function() worker:run() end, function(_, how, fault)
  if how == "raised" then io.stderr:write(tostring(fault), "\n") end
  exit(how == "returned" and 0 or 1)
end)
while loop.turn() do end
