---@meta bide.embedded

---The files within the static program. src/modules_within.c implements it.

local M = {}

---Returns the text of a file; nil if there is none of that name.
---@param name string "scripts/http.lua"
---@return string?
function M.read(name) end

---Returns the names of the files of a folder, sorted.
---@param folder string with a slash at its end
---@return string[]
function M.names(folder) end

return M
