---Reads the data of a module from files beside it.

local M = {}

---@param module string "bide.record.report.html"
---@param file string as the module sees it: "html/page.css"
---@return string
function M.read(module, file)
  local folder = assert(package.searchpath(module, package.path)):match "^(.*/)[^/]*$"
  local handle <close> = assert(io.open(folder .. file, "rb"))
  return handle:read "a"
end

return M
