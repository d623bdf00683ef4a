---Within the process of a worker: notes for the checker which ends the store has confirmed, and when the worker could not be
---sure of its lease any more; and kills the process at a point.
---
---Notes are lines of a file that all workers append to: `end PID WAIT AT`, `cut PID SINCE AT`, `death PID POINT AT`. Times are
---nanoseconds of the monotonic clock of the machine: that of the wall may be wrong in this process.

local core = require "bide.core"
local held_turns = require "bide.record.worker.held_turns"
local luv = require "luv"

local loop = core.loop

local M = {}

---@class spec.kills.Inside
---@field notes string the file
---@field point? string VERB:before, VERB:between, VERB:after or attempt:within: where the process kills itself
---@field number? integer at which time
---@field is_whole? boolean whether the process that has begun this one is killed too

---The verbs that have points. A settle that keeps a turn is a verb of its own, `keep`.
local verbs = { "enter", "beat", "reap", "claim", "settle", "finish", "sync" }

---@class spec.kills.Watch : spec.kills.Inside
---@field verb string?
---@field phase string?
---@field left integer
local Watch = {}
Watch.__index = Watch

function Watch:note(form, ...)
  local file <close> = assert(io.open(self.notes, "a"))
  file:write(form:format(...))
end

function Watch:die()
  local pid = luv.os_getpid()
  self:note("death %d %s %d\n", pid, self.point, luv.hrtime())
  if self.is_whole then luv.kill(luv.os_getppid(), "sigkill") end
  luv.kill(pid, "sigkill")
end

---Counts down, and reports whether it is time to die.
function Watch:is_time()
  self.left = self.left - 1
  return self.left == 0
end

---Kills the process in a short while.
---@param milliseconds integer
function Watch:die_in(milliseconds)
  self.alarm = loop.alarm(function() self:die() end)
  self.alarm:start(loop.update() + milliseconds)
end

---To be called as an attempt begins.
function Watch:attempt()
  if self.verb == "attempt" and self:is_time() then self:die_in(5) end
end

---Wraps a verb of the store.
function Watch:verb_of(worker, name)
  local store = worker.store
  local verb = store[name]
  store[name] = function(_, me, list, ...)
    local is_keep = name == "settle" and list[1] and list[1].keep
    local is_last = (is_keep and "keep" or name) == self.verb and self:is_time()
    if is_last and self.phase == "before" then self:die() end
    if is_last and self.phase == "between" then self:die_in(math.random(0, 1)) end
    local results = table.pack(verb(store, me, list, ...))
    if name == "finish" then
      for _, id in ipairs(results[1] or {}) do self:note("end %d %d %d\n", luv.os_getpid(), id, luv.hrtime()) end
    end
    if is_last then self:die() end
    -- What a worker holds seldom differs, so one that is to die in a sync is asked for one.
    if name == "claim" and self.verb == "sync" and results[2] and #results[2] > 0 then worker.must_sync = true end
    return table.unpack(results, 1, results.n)
  end
end

---Notes the first time at which a worker finds that its lease may be over soon.
function Watch:lease_of(worker)
  local is_sure, noted = held_turns.is_sure, nil
  function held_turns.is_sure(asked)
    local sure = is_sure(asked)
    if not sure and asked.me and noted ~= asked.sure_until then
      noted = asked.sure_until
      self:note("cut %d %d %d\n", luv.os_getpid(), luv.hrtime() - (loop.update() - noted) * 1000000, luv.hrtime())
    end
    return sure
  end
  worker.gate.may_pass = held_turns.is_sure
  worker.lease_alarm:stop()
  worker.lease_alarm = loop.alarm(function() held_turns.is_sure(worker) end)
  if worker.me then worker.lease_alarm:start(worker.sure_until) end
end

---Watches a worker of this process.
---@param worker bide.Worker
---@param options spec.kills.Inside
---@return spec.kills.Watch
function M.watch(worker, options)
  local watch = setmetatable({ left = options.number or 1 }, Watch)
  for name, value in pairs(options) do watch[name] = value end
  if options.point then watch.verb, watch.phase = options.point:match "^(%a+):(%a+)$" end
  for _, name in ipairs(verbs) do watch:verb_of(worker, name) end
  watch:lease_of(worker)
  return watch
end

---Finds the worker that makes the running attempt, from code of a recipe.
---@return bide.Worker
function M.worker_of_attempt()
  local worker = core.task.argument_of_attempt().kind.gate.of
  assert(worker.store and worker.turns, "the gate of this attempt is not that of a worker")
  return worker
end

return M
