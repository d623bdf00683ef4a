---@meta bide.core.process

---@class bide.core.process
local process = {}

---Runs a program in place of this process; returns only where it cannot be run.
---@param arguments string[] the program, looked up in PATH, and its arguments
---@return string message what the system says
function process.execute(arguments) end

---Ends the process without closing anything; what was written so far is flushed.
---@param code integer
function process.leave(code) end

return process
