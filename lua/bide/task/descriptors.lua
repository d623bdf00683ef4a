---Counts the descriptors that the code of a wait holds: its sockets and its requests over HTTP. In the sandbox each wait has
---at most some of them, so that none takes those of the others. The tasks that an attempt starts count with it; what runs in
---no attempt, as the script of `bide exec`, counts together.

local core = require "bide.core"

local M = {}

---@type integer?
local most

---A holder of descriptors: a wait, or all other code.
---@class bide.Descriptors
---@field descriptors integer|false|nil how many it holds; it gives one back where a variable with it is closed, as its metatable
---says

---True once a function that holds no descriptor was given out, since there was no limit.
local is_too_late = false

---Gives a descriptor back, once.
---@param holder bide.Descriptors?
function M.give(holder)
  if holder then holder.descriptors = holder.descriptors - 1 end
end

---@type bide.Descriptors
local others = setmetatable({}, { __close = M.give })

---Sets the most descriptors of a wait, before the first request.
---@param number integer
function M.limit(number)
  assert(not is_too_late, "a limit of descriptors comes before the first request")
  most = number
end

---Takes a descriptor for the running code. Raises an operation error if it holds as many as it may.
---@return bide.Descriptors? holder to be given back; nil without a limit
function M.take()
  if not most then return nil end
  local holder = core.task.argument_of_attempt() or others
  local held = holder.descriptors or 0
  if held >= most then
    error { type = "TooManyDescriptors",
      message = ("this wait holds %d sockets and requests, the most that a wait in the sandbox may hold"):format(most) }
  end
  holder.descriptors = held + 1
  return holder
end

---Returns a function that calls f, which holds a descriptor meanwhile; f itself without a limit.
---@generic A, R
---@param f fun(argument: A): R
---@return fun(argument: A): R
function M.holding(f)
  if not most then
    is_too_late = true
    return f
  end
  return function(argument)
    local _held <close> = M.take()
    return f(argument)
  end
end

return M
