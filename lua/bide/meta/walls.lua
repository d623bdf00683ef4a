---@meta bide.walls

---@class bide.walls
local walls = {}

---Raises the kernel's walls around this process, for good: of all files those named may be read and none written,
---and no program, process or unix socket is reached. Raises where there are threads already.
---@param readable string[] files, and folders with all that is in them; what is missing is left out
---@param memory integer bytes of private memory; 0 is no bound
---@return table<"files"|"calls"|"limits", string> missing why a wall does not stand
function walls.raise(readable, memory) end

return walls
