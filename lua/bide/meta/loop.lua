---@meta bide.core.loop
---The loop and its clock, in whole milliseconds.

---@class bide.core.loop
local loop = {}

---@class bide.Alarm
local Alarm = {}

---@param at integer on the loop's clock; a past time rings at the next step
function Alarm:start(at) end

function Alarm:stop() end

---Returns the time, which is read once a turn, and again in a callback of a signal, a socket or a child.
---@return integer
function loop.now() end

---Reads the time, and returns it.
---@return integer
function loop.update() end

---Returns the first time by which some milliseconds have passed from now: a time before it may come up to one too early,
---since the clock is rounded down.
---@param milliseconds integer
---@return integer
function loop.after(milliseconds) end

---Returns the milliseconds since 1970, for timestamps. Under the virtual clock they follow it.
---@return integer
function loop.wall() end

---Completes the closing of libuv's handles at once; within a turn of the loop, does nothing. Code that closes a handle
---calls this, since plain lua5.4 may end next, and luv would then free handles that are still closing.
function loop.settle() end

---Handles the next event. Returns false if there can be none any more.
---@return boolean
function loop.turn() end

---Returns the callback of luv that raised the error of the last turn that raised one; nil if none of luv's did, which is
---a fault of bide itself.
---@return function?
function loop.culprit() end

---Makes an alarm, which is not set yet. It fires the waker, or calls target(argument), which may not wait.
---@param target bide.Waker|fun(argument: any)
---@param argument? any
---@return bide.Alarm
function loop.alarm(target, argument) end

---Switches to the virtual clock, for good: time jumps to the next alarm when nothing is in flight.
function loop.use_virtual_clock() end

---Returns the number of running timers.
---@return integer
function loop.timer_count() end

---@return integer the number of open handles of libuv
function loop.handle_count() end

---Calls f(number, by_kernel) for each SIGINT, SIGTERM, SIGHUP and SIGQUIT that is not ignored, in place of their default.
---`by_kernel` is true if no process sent it, as for a key of the terminal, which sends it to all of its foreground group.
---@param f fun(number: integer, by_kernel: boolean)
function loop.watch_signals(f) end

---Returns the watched signal that came last, handled or not.
---@return integer? number nil if none came
function loop.signal() end

---Ends the watching of signals for good, before this process ends or becomes another program. What comes later has the
---effect that it has without bide: by default it ends this process, or the program that this process has become.
---@return integer? number of the signal that came until then; nil if none came
function loop.release_signals() end

return loop
