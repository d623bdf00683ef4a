---@meta

---Functions of Lua's own library for scripts that are not trusted, whose work is charged to their
---instructions: `require("bide.core").bounded`.
---@class bide.core.bounded
local bounded = {}

---@param name string such as "string.rep"
---@param f function Lua's own
---@return function? bounded nil where it needs no bound
function bounded.of(name, f) end

---@param instructions integer what was done for a script in another way
function bounded.charge(instructions) end

return bounded
