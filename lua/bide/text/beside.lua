---Finds bide's own data: files beside a module, and the folders of recipes and pages.

local luv = require "luv"

local M = {}

---@param module string "bide.record.report.html"
---@param file string as the module sees it: "html/page.css"
---@return string
function M.read(module, file)
  local folder = assert(package.searchpath(module, package.path)):match "^(.*/)[^/]*$"
  local handle <close> = assert(io.open(folder .. file, "rb"))
  return handle:read "a"
end

---Returns the folder of that name which belongs to bide: it is beside the folder of bide's modules or, where LuaRocks has
---installed bide, below them.
---@param name "scripts"|"docs"
---@return string folder without a final slash; relative if bide's modules are
function M.folder(name)
  local modules = assert(package.searchpath("bide.version", package.path)):gsub("version%.lua$", "")
  local below = modules .. name
  if luv.fs_access(below, "X") then return below end
  return modules:gsub("[^/]*/bide/$", "") .. name
end

return M
