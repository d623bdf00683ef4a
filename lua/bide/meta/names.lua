---@meta bide.core.names

---@class bide.core.names
local names = {}

---Returns the candidate nearest to a mistyped name, with about one mistake in three letters; nil if there is none.
---@param name string
---@param candidates string[]
---@return string?
function names.nearest(name, candidates) end

return names
