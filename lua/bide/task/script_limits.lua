---Limits how much memory and processor time scripts may take, and how many instructions between two calls that wait. A
---script beyond a limit is ended at once, and its pcall does not catch that; the other waits continue.

local core = require "bide.core"
local option = require "bide.text.option"
local script_error = require "bide.text.script_error"

local task = core.task

local M = {}

local are_set = false

---@class bide.ScriptLimits
---@field memory? integer bytes of the whole state, with documents and answers
---@field memory_text? string the same, for messages
---@field instructions? integer between two waits
---@field script_time? integer milliseconds of the processor in an attempt

---The default limits of sandboxed scripts; the time is in milliseconds.
M.sandboxed = { memory = "256M", instructions = 10000000, script_time = 1000 }

local factor_of = { [""] = 1, K = 1 << 10, M = 1 << 20, G = 1 << 30 }

---More than any machine has, and small enough that nothing overflows.
local LARGEST = 1 << 50

---Reads a size of memory: `64M`, `1G`, `500K`, or a number of bytes.
---@param text string
---@return integer? bytes
---@return string? mistake
function M.read_size(text)
  local digits, unit = text:match("^(%d+)([KMG]?)$")
  local bytes = digits and tonumber(digits) * factor_of[unit]
  if bytes and bytes >= 1 and bytes <= LARGEST then return math.tointeger(bytes) end
  return nil, option.expected("a size such as 64M, 1G, 500K or a number of bytes", text)
end

---Sets the limits of all tasks that start from now on.
---@param given bide.ScriptLimits
---@return string? mistake
function M.set(given)
  if not given.memory and not given.instructions and not given.script_time then return nil end
  are_set = core.limits.set(given.instructions or 0, given.script_time or 0, given.memory or 0, given.memory_text or "")
  if not are_set then return ("%s is less than bide itself takes"):format(given.memory_text) end
end

---@return boolean ok
---@return any ... what the code returned, or the mistake as a text
local function result_of(how, ...)
  if how == "returned" then return true, ... end
  script_error.pass_out_of_memory(...)
  return false, how == "raised" and tostring(...) or "it was cancelled"
end

---Calls code of a script on behalf of bide, which may not wait. If there are limits, it runs in a task of its own, since
---bide's tasks have none: one within the running task. The code must not raise an error of its own.
---@param f fun(...): ...
---@return boolean ok
---@return any ... its results, or the mistake as a text
function M.guard(f, ...)
  if not are_set then return true, f(...) end
  return result_of(task.run(f, ...))
end

local function run(call)
  return call.f(table.unpack(call, 1, call.n))
end

local function ended(call, ...)
  call.ended = table.pack(...)
  call.waker()
end

---Calls code of a script that may wait, as M.guard calls code that may not.
---@param f fun(...): ...
---@return boolean ok
---@return any ... its results, or the mistake as a text
function M.guard_waiting(f, ...)
  if not are_set then return true, f(...) end
  local call = table.pack(...)
  call.f, call.waker = f, task.waker()
  local _ending <close> = setmetatable({ task.start(run, ended, nil, call) }, { __close = function(self) self[1]:cancel() end })
  task.pause(call.waker)
  return result_of(table.unpack(call.ended, 1, call.ended.n))
end

return M
