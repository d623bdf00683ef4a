---@meta

---What scripts may take: `require("bide.core").limits`.
---@class bide.core.limits
local limits = {}

---Holds the tasks that are started from here on to limits.
---@param instructions integer of Lua between two waits; 0 is any number
---@param memory integer bytes of the Lua state, documents and answers together; 0 is no limit
---@param memory_text string the same, for messages
---@param own_folder string "@" and the folder of bide's own Lua, where no script stands
---@return boolean set whether that much memory suffices for anything at all
function limits.set(instructions, memory, memory_text, own_folder) end

return limits
