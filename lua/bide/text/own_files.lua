---bide's own files: the recipes, AWS's data, the pages, and what modules read beside themselves. They are beside bide's
---modules, or within the program where it is one file (`make static`). Those have paths below the program, where no file of
---a disk can be.

local luv = require "luv"

local M = {}

---The files within the program; absent if they are beside the modules.
local embedded = package.preload["bide.embedded"] and require "bide.embedded"

local ROOT = "/proc/self/exe/"

---Returns the name that a path has within the program.
local function name_within(path)
  return embedded and path:sub(1, #ROOT) == ROOT and path:sub(#ROOT + 1) or nil
end

---Returns the folder of that name which belongs to bide: it is beside the folder of bide's modules or, where LuaRocks has
---installed bide, below them, or within the program.
---@param name string "scripts", "scripts/aws", "docs"
---@return string folder without a final slash; relative if bide's modules are
function M.folder(name)
  if embedded then return ROOT .. name end
  local modules = assert(package.searchpath("bide.version", package.path)):gsub("version%.lua$", "")
  local below = modules .. name
  if luv.fs_access(below, "X") then return below end
  return modules:gsub("[^/]*/bide/$", "") .. name
end

---Reports whether the program has bide's files within itself.
---@return boolean
function M.are_within()
  return embedded ~= nil
end

---Returns the text of a file within the program; nil for every other path.
---@param path string
---@return string? text
function M.read(path)
  local name = name_within(path)
  return name and embedded.read(name)
end

---Returns the names in a folder, whether it is within the program or not, in no order; none if it cannot be read. All are
---read: libuv keeps the memory of the last one that was read, if a reader stops there.
---@param folder string
---@return string[]
function M.names(folder)
  local name = name_within(folder)
  if name then return embedded.names(name:gsub("/*$", "/", 1)) end
  local names, request = {}, luv.fs_scandir(folder)
  for entry in function() return request and luv.fs_scandir_next(request) end do names[#names + 1] = entry end
  return names
end

---Reads what a module has beside itself.
---@param module string "bide.record.report.format.html"
---@param file string as the module sees it: "html/page.css"
---@return string
function M.beside(module, file)
  if embedded then return assert(embedded.read("lua/" .. module:gsub("%.", "/"):match "^(.*/)" .. file)) end
  local folder = assert(package.searchpath(module, package.path)):match "^(.*/)[^/]*$"
  local handle <close> = assert(io.open(folder .. file, "rb"))
  return handle:read "a"
end

return M
