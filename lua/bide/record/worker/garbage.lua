---Collects the garbage of a worker beside its attempts. Lua's collector works where memory is taken, and the more the larger the
---piece is: a claim or a list of results of 100 KB would make a whole collection, for which attempts that are due wait 30 to
---90 ms beside thousands of turns. So it is slowed down, and a task collects in slices, between which what is due comes first.
---By generations it would take as long, since turns outlive several collections of the young.

local await = require "bide.task.await"
local core = require "bide.core"
local held_turns = require "bide.record.worker.held_turns"
local yield = require "bide.task.yield"

local limits, loop = core.limits, core.loop

local M = {}

---In percent of the memory in use after a collection, before Lua begins the next one: beside much in use, and beside little.
---Then the slots that it looks at for 16 bytes that are taken. If the task has no time, memory grows to 3 or 4 times of what
---is in use, and to more beside little.
local PAUSE, LONG_PAUSE, PACE = 200, 400, 1

---The growth after which the task begins a collection, also while nothing is claimed for lack of room; and its slices: as if
---that many kilobytes were taken.
local GROWTH, HEAVY, SLICE = 1.7, 1.2, 600

---In bytes: what counts as little in use, which is also the least growth. A collection looks at the 2 MB of a worker's modules
---each time, so that one for less would be dear.
local LITTLE = 6 << 20

---In milliseconds, between two looks at the memory, beside those after each round of the verbs.
local INTERVAL = 1000

---Reports whether there is so much garbage that it is to be collected.
---@param worker bide.Worker
---@return boolean
local function is_due(worker)
  if held_turns.has_garbage(worker) then return true end
  local used <const> = worker.used
  return limits.used() > (held_turns.is_heavy(worker) and HEAVY * used or math.max(GROWTH * used, used + LITTLE))
end

---Lets the task continue if there is enough for it to do.
---@param worker bide.Worker
function M.wake_if_due(worker)
  local waker = worker.garbage_came
  if not waker or not is_due(worker) then return end
  worker.garbage_came = nil
  waker()
end

---Collects until it is cancelled.
---@param worker bide.Worker
function M.collect(worker)
  collectgarbage("incremental", PAUSE, PACE)
  worker.used = limits.used()
  while true do
    await(loop.update() + INTERVAL, function(waker) worker.garbage_came = waker end)
    worker.garbage_came = nil
    if is_due(worker) then
      collectgarbage("step", 0) -- begins one, however long Lua would wait
      repeat
        yield()
        collectgarbage("setpause", limits.used() <= LITTLE and LONG_PAUSE or PAUSE) -- it counts at the end
      until collectgarbage("step", SLICE)
      worker.used, worker.garbage = limits.used(), 0
      worker.gate:resume()
    end
  end
end

return M
