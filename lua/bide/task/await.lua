---Starts a call of luv, and waits until it has ended or a time has come; without a call, waits for the time.

local core = require "bide.core"

local loop, task = core.loop, core.task

---@param at integer? on the loop's clock, in milliseconds; nil is never
---@param start? fun(waker: bide.Waker) starts the call, which ends by calling the waker
---@return any ... the waker's arguments; nothing if the time came first
return function(at, start)
  local waker = task.waker()
  local alarm <close> = loop.alarm(waker)
  if at then alarm:start(at) end
  if start then start(waker) end
  return task.pause(waker)
end
