---@meta bide.core.loop
---The loop and its clock, in whole milliseconds.

---@class bide.core.loop
local loop = {}

---@class bide.Alarm
local Alarm = {}

---@param at integer on the loop's clock; what is past rings at the next step
function Alarm:start(at) end

function Alarm:stop() end

---The time, read once a turn; in a callback of a signal, a socket or a child it is read anew.
---@return integer
function loop.now() end

---The time, read anew.
---@return integer
function loop.update() end

---Milliseconds since 1970, for timestamps. Under the virtual clock it goes with that.
---@return integer
function loop.wall() end

---Lets closed handles of libuv close at once, outside of any turn; within one it does nothing. Whoever closes a
---handle calls it, since plain lua5.4 may end next, and luv frees handles that are still closing then.
function loop.settle() end

---Lets the next thing happen. Returns false when nothing can happen any more.
---@return boolean
function loop.turn() end

---An alarm, stopped: it fires the waker, or calls target(argument), where nothing may wait.
---@param target bide.Waker|fun(argument: any)
---@param argument? any
---@return bide.Alarm
function loop.alarm(target, argument) end

---Turns to the virtual clock, for good: time jumps to the next alarm when nothing is in flight.
function loop.use_virtual_clock() end

---How many timers run.
---@return integer
function loop.timer_count() end

---@return integer how many handles of libuv are open, whoever opened them
function loop.handle_count() end

---Calls f(number) for each SIGINT, SIGTERM, SIGHUP and SIGQUIT that is not ignored, in place of their default.
---@param f fun(number: integer)
function loop.watch_signals(f) end

return loop
