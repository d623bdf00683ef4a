---Lets events bring the attempts of a wait forward: those of the watch of its operation, of the port that has refused it, and
---what anybody asks for by waking it. Polling continues beside them.

local begun = require "bide.wait.begun"
local core = require "bide.core"

local loop = core.loop

local M = {}

---Ends the watching for a wait, and all waking.
function M.leave(wait)
  begun.waits[wait] = nil
  if wait.watch then wait.watch:leave(wait) end
  if wait.port then wait.port:leave(wait) end
end

local function alive_at(wait)
  return wait.watch and wait.watch.alive_at or nil
end

---Returns when the next attempt of a wait with wakes is due.
---@return integer
function M.due(wait, now)
  return wait.wakes:due(now, alive_at(wait))
end

---Begins an attempt; reports whether an event has brought it forward.
---@return boolean
function M.begin(wait)
  return wait.wakes:begin(loop.now(), alive_at(wait))
end

---Returns the state of a wait by which events are taken. One that is sleeping polls when its alarm rings.
---@return bide.Wakes
function M.wakes_of(wait)
  if not wait.wakes then
    local limits, wakes = wait.kind.limits, require "bide.wait.wakes"
    local at, not_before = wait.state:rings()
    wait.wakes = wakes.new(limits.min_delay, wait.kind.waiter.watch_delay or wakes.WATCH_DELAY, wait.state:deadline())
    local may_be_rare = wait.kind.watched and not wait.state:streak()
    wait.wakes:conclude(loop.now(), (at or loop.now()) - loop.now(), not_before, not may_be_rare)
  end
  return wait.wakes
end

---Reports whether an event may still bring an attempt forward.
local function may_be_woken(wait)
  local hears = wait.port or wait.watch and wait.watch:may_hear()
  return hears or wait.expected > 0 or begun.is_expected()
end

---Reports whether a sleeping wait can make no further attempt: its last poll was made, and no event can come.
function M.is_over(wait)
  return wait.wakes and wait.wakes:has_polled() and not wait.wakes.is_wanted and not may_be_woken(wait)
end

---Sets the alarm of a sleeping wait anew.
function M.reschedule(wait)
  if wait.ended or wait.task or wait.place or wait:made() == 0 then return end
  local now = loop.now()
  wait.state:ring_at(M.is_over(wait) and now or math.max(M.due(wait, now), now))
end

---Asks for an attempt. One that is under way is followed by another one; the first one comes at its time.
function M.wake(wait)
  if wait.ended or wait:made() == 0 then return end
  local own = M.wakes_of(wait)
  local is_first = not own.is_wanted
  own:wake(loop.now())
  if is_first then M.reschedule(wait) end
end

---Returns the delay until the next attempt, where a watch or an event may have another one than polling.
---@param delay integer that polling has chosen
function M.plan(wait, now, delay)
  local _, not_before = wait.state:rings()
  wait.wakes:conclude(now, delay, not_before, wait.state:streak() ~= nil)
  wait.poll_delay = math.max(wait.wakes.poll_at - now, 0)
  return math.max(M.due(wait, now) - now, 0)
end

---Lets the watch of the operation run beside the wait from now on.
function M.join(wait)
  M.wakes_of(wait)
  wait.watch_failures, wait.watch = 0, require("bide.wait.watch").join(wait.kind.watched, wait) or false
end

---Lets a wait hear that a program begins to listen on the port of this machine that has refused its last attempt; no longer,
---once an attempt ends otherwise.
---@param failure userdata? the operation error of the attempt
function M.follow_port(wait, failure)
  local refused = failure and failure:value()
  if refused and refused.type == "ConnectionRefused" then
    wait.port = wait.port or require("bide.wait.port").join(wait, refused.address)
    if wait.port then M.wakes_of(wait) end
  elseif wait.port then
    wait.port:leave(wait)
    wait.port = nil
    if not (wait.wakes.is_wanted or wait.wakes:has_polled()) then wait.wakes, wait.poll_delay = nil, nil end
  end
end

---Lets a watch that is alive run beside the first attempt already.
function M.join_early(wait)
  local watch = require("bide.wait.watch").join_alive(wait.kind.watched, wait)
  if not watch then return end
  M.wakes_of(wait)
  wait.watch_failures, wait.watch = 0, watch
end

---Reports whether a wait that has made its last poll lasts until its deadline, since an event may make another attempt.
---That does not come before a Retry-After.
function M.lasts(wait)
  local _, not_before = wait.state:rings()
  if not_before >= wait.state:deadline() then return false end
  if wait.kind.watched and wait.watch == nil then M.join(wait) end
  return may_be_woken(wait)
end

---Returns what has gone wrong with the watch since the last attempt.
function M.trouble_of(wait)
  local note
  note, wait.watch_failures = wait.watch:trouble(wait.watch_failures)
  return note
end

return M
