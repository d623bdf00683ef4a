---@meta bide.core.names

---@class bide.core.names
local names = {}

---The candidate nearest to a name that was mistyped: about one slip in three letters.
---@param name string
---@param candidates string[]
---@return string?
function names.nearest(name, candidates) end

return names
