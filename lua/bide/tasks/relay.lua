---Lets a script's own coroutines wait. A call that waits yields to whoever runs
---the task; from within another coroutine that yield passes through the script's
---resume or wrap, which so see only what the script itself yields.

local core = require "bide.core"

local task = core.task
local look, xpcall = task.look, xpcall
local resume, yield, create, close = coroutine.resume, coroutine.yield, coroutine.create, coroutine.close

local relay

---A host that stops a coroutine for a signal yields nothing at all, and says so when asked.
local function is_waiting(co, first, ...)
  return first == task.waiting or (first == nil and select("#", ...) == 0 and task.was_preempted(co))
end

function relay(co, ok, ...)
  if not ok or not is_waiting(co, ...) then return ok, ... end
  yield(task.waiting)
  return relay(co, resume(co))
end

---Each coroutine counts its instructions anew, so a tree of short ones would never be
---looked at: neither at its deadline nor beyond a limit.
local function waiting_resume(co, ...)
  look()
  return relay(co, resume(co, ...))
end

local function results_or_raise(co, ok, ...)
  if ok then return ... end
  close(co)
  error((...), 0)
end

local function waiting_wrap(f)
  local co = create(f)
  return function(...) return results_or_raise(co, waiting_resume(co, ...)) end
end

local function pass(...) return ... end

---Where the host stops a script it raises from its hook, and a message handler then runs without
---one: nothing would end it. So it is not asked.
local function stoppable_xpcall(f, handler, ...)
  if type(handler) ~= "function" then return xpcall(f, handler, ...) end
  return pass(xpcall(f, function(value)
    if task.stopping() then return value end
    return handler(value)
  end, ...))
end

---Puts them in place of Lua's own, once.
local function install()
  coroutine.resume, coroutine.wrap = waiting_resume, waiting_wrap
  _G.xpcall = stoppable_xpcall
end

return { install = install }
