---The pages of the documentation, which are installed beside bide: `bide help recipes` prints docs/recipes.md.

local luv = require "luv"

local M = {}

---The folder of the pages, which is beside that of bide's modules.
M.folder = package.searchpath("bide.cli.pages", package.path):gsub("[^/]*/bide/cli/pages%.lua$", "") .. "docs"

---The pages on changing bide itself.
local internal = { architecture = true, CONTRIBUTING = true, CHANGELOG = true }

---Returns the names of the pages for users, sorted.
---@return string[]
function M.names()
  local names, request = {}, luv.fs_scandir(M.folder)
  for entry in function() return request and luv.fs_scandir_next(request) end do
    local name = entry:match "^(.*)%.md$"
    if name and not internal[name] then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

---Returns the text of a page.
---@param name string
---@return string? text nil if there is no such page
function M.read(name)
  local handle = name:find "^[%w%-]+$" and io.open(("%s/%s.md"):format(M.folder, name), "rb")
  if not handle then return nil end
  local text = handle:read "a"
  handle:close()
  return text
end

return M
