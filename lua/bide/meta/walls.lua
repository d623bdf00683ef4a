---@meta bide.walls

---@class bide.walls
local walls = {}

---Raises the kernel's walls around this process, for good: only the named files can be read, none can be written, and no
---program, process or unix socket can be reached. Raises an error if there are other threads already.
---@param readable string[] files, and folders with everything in them; missing ones are left out
---@param memory integer bytes of private memory; 0 means no bound
---@return table<"files"|"calls"|"limits", string> missing the reason for each wall that could not be raised
function walls.raise(readable, memory) end

return walls
