---@meta

---The limits of scripts: `require("bide.core").limits`.
---@class bide.core.limits
local limits = {}

---Sets the limits of all tasks that start from now on.
---@param instructions integer of Lua between two waits; 0 is any number
---@param script_time integer milliseconds of the processor, for an attempt, or any other task of a script between two waits;
---0 is unlimited
---@param memory integer bytes of the Lua state, documents and answers together; 0 means no limit
---@param memory_text string the memory, for messages
---@return boolean set false if bide itself needs more memory
function limits.set(instructions, script_time, memory, memory_text) end

---Returns the memory of the Lua state, documents and answers together, with what is garbage of them.
---@return integer bytes
function limits.used() end

return limits
