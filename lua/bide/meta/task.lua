---@meta bide.core.task
---Tasks: functions that run as coroutines on the loop, and how they wait.

---@class bide.core.task
local task = {}

---@class bide.Task
local Task = {}

---Ends it at the loop's next step; its <close> variables run.
function Task:cancel() end

---Fires once; what it is called with, up to four values, is what task.pause returns.
---@alias bide.Waker fun(...)

---Starts run(argument) as a task at the loop's next step. `ended` hears of its end once:
---ended(argument, "returned", ...), (argument, "raised", value), (argument, "cut"), (argument, "cancelled").
---@param run fun(argument: any): ...
---@param ended fun(argument: any, how: "returned"|"raised"|"cut"|"cancelled", ...)
---@param deadline? integer on the loop's clock, in milliseconds: there it is cut
---@param argument any
---@return bide.Task
function task.start(run, ended, deadline, argument) end

---@return bide.Waker
function task.waker() end

---Waits until the waker has fired. Outside of tasks it turns the loop until then.
---@param waker bide.Waker
---@return any ... what the waker was called with
function task.pause(waker) end

---Calls f(...) so that nothing in it may wait; `who` is named in the error where it tries.
---@param who string
---@param f function
---@return any ...
function task.without_waiting(who, f, ...) end

---Who forbids waiting just now, a matcher for one; nil where nobody does.
---@return string?
function task.forbidden_by() end

---Whether the task that runs is being ended where it stands.
---@return boolean
function task.stopping() end

---The task that runs; nil outside of tasks.
---@return bide.Task?
function task.current() end

---How many tasks have not ended.
---@return integer
function task.count() end

return task
