---@meta

---Functions of Lua's own library that charge their work to the instructions of untrusted scripts:
---`require("bide.core").bounded`.
---@class bide.core.bounded
local bounded = {}

---@param name string such as "string.rep"
---@param f function Lua's own
---@return function? bounded nil if it needs no bound
function bounded.of(name, f) end

---@param instructions integer the work that was done for a script elsewhere
function bounded.charge(instructions) end

return bounded
