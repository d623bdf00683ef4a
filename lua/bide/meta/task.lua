---@meta bide.core.task
---Tasks: functions that run as coroutines on the loop, and may wait.

---@class bide.core.task
local task = {}

---@class bide.Task
local Task = {}

---Ends the task at the loop's next step; its <close> variables are closed.
function Task:cancel() end

---A function that fires once. task.pause returns its arguments, up to four.
---@alias bide.Waker fun(...)

---Starts run(argument) as a task at the loop's next step. `ended` is called once, at its end:
---ended(argument, "returned", ...), (argument, "raised", value), (argument, "cut"), (argument, "cancelled").
---@param run fun(argument: any): ...
---@param ended fun(argument: any, how: "returned"|"raised"|"cut"|"cancelled", ...)
---@param deadline? integer on the loop's clock, in milliseconds, at which it is cut
---@param argument any
---@param kind? "own"|"script"|"attempt"|"unlimited" whose code it runs; default: own, that of bide. An unlimited task is of
---bide too, and has no script limits: what it calls of scripts runs in tasks of their own
---@return bide.Task of an attempt: not to be used after its end, when it may be that of another one
function task.start(run, ended, deadline, argument, kind) end

---Runs f(...), which may not wait, as a task of bide's own with script limits, within the running task or outside of tasks.
---@param f fun(...): ...
---@return "returned"|"raised"|"cancelled" how
---@return any ... what f returned, or what it raised
function task.run(f, ...) end

---Returns the task of the attempt that the running one belongs to; nil if it belongs to none. An attempt whose task was
---returned leaves it to the collector: the next one makes another.
---@return bide.Task?
function task.attempt() end

---Returns the argument of the attempt that the running task belongs to; nil if it belongs to none.
---@return any
function task.argument_of_attempt() end

---Sets the folder of bide's own modules, which contains no script: only code of scripts gives way to other tasks.
---@param text string "@" and the folder
function task.set_own_folder(text) end

---Returns the argument with which a task was started; nil once it has ended.
---@param of bide.Task
---@return any
function task.argument(of) end

---Reports whether a deadline cuts the running task or one of its parents.
---@return boolean
function task.has_deadline() end

---@return bide.Waker
function task.waker() end

---Waits until the waker has fired. Outside of tasks, runs the loop until then.
---@param waker bide.Waker
---@return any ... the waker's arguments
function task.pause(waker) end

---Calls f(...), which may not wait; the error for a call that tries names `caller`.
---@param caller string
---@param f function
---@return any ...
function task.without_waiting(caller, f, ...) end

---Calls f(...), which may not wait, and returns true and its results; or false and what the handler returns of what it raised.
---@param caller string
---@param handler fun(problem: any): any
---@param f function
---@return boolean ok
---@return any ...
function task.protect(caller, handler, f, ...) end

---Returns a function that calls f(argument). It is less than a function of Lua, whose variable is an object of its own: very
---many waits may keep one.
---@param f fun(argument: any): any
---@param argument any
---@return fun(): any
function task.bound(f, argument) end

---Returns a function that calls f, which no deadline, signal or limit stops in between: it opens something and stores it,
---or closes it. It may not wait. As a `__close` it runs to its end even while its task is being ended.
---@generic F: function
---@param f F
---@return F
function task.whole(f) end

---Returns for how long a task last kept the loop from turning since then, if that was 100 ms or more, or if it ran when
---it was cut; and the argument of that attempt. Returns nothing if none did.
---@param since integer milliseconds of the loop
---@return integer? milliseconds
---@return any argument false for a task that is not an attempt
function task.hold(since) end

---Returns the name of the caller that forbids waiting now, such as a matcher; nil if waiting is allowed.
---@return string?
function task.forbidden_by() end

---Reports whether the running task is being ended.
---@return boolean
function task.stopping() end

---Returns the running task; nil outside of tasks.
---@return bide.Task?
function task.current() end

---Says for which wait of a store a task runs, and the tasks that it starts from now on. If their code ends a worker, that
---wait gets a strike.
---@param wait? integer nil: for none
---@param of? bide.Task the running one if it is nil
function task.run_for(wait, of) end

---Returns the number of tasks that have not ended.
---@return integer
function task.count() end

return task
