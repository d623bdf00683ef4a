---@meta

---The limits of scripts: `require("bide.core").limits`.
---@class bide.core.limits
local limits = {}

---Sets the limits of all tasks that start from now on.
---@param instructions integer of Lua between two waits; 0 is any number
---@param memory integer bytes of the Lua state, documents and answers together; 0 means no limit
---@param memory_text string the memory, for messages
---@param own_folder string "@" and the folder of bide's own modules, which contains no scripts
---@return boolean set false if bide itself needs more memory
function limits.set(instructions, memory, memory_text, own_folder) end

return limits
