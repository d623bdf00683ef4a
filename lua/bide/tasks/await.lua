---Starts something on luv and waits until it is over, or a time has come.

local core = require "bide.core"

local loop, task = core.loop, core.task

---@param at integer? on the loop's clock, in milliseconds; nil is never
---@param start fun(waker: bide.Waker) sets off what will call the waker
---@return any ... what the waker was called with; nothing where the time came first
return function(at, start)
  local waker = task.waker()
  local alarm <close> = loop.alarm(waker)
  if at then alarm:start(at) end
  start(waker)
  return task.pause(waker)
end
