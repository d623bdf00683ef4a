---Lets the loop handle what is due, in the middle of long work of Lua.

local core = require "bide.core"

local loop, task = core.loop, core.task

---Pauses the running task for one step of the loop. Does nothing where code may not wait, outside of tasks, and in a task
---that is being ended.
return function()
  if not task.current() or task.forbidden_by() or task.stopping() then return end
  local waker = task.waker()
  local alarm <close> = loop.alarm(waker)
  alarm:start(loop.update()) -- timers that became due meanwhile ring first
  task.pause(waker)
end
