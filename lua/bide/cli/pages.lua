---The pages of the documentation, which are installed beside bide: `bide help recipes` prints docs/recipes.md.

local beside = require "bide.text.beside"
local luv = require "luv"

local M = {}

---The folder of the pages.
M.folder = beside.folder "docs"

---The pages on changing bide itself.
local internal = { architecture = true, CONTRIBUTING = true, CHANGELOG = true, README = true, ["when-not-to-add"] = true }

---The folders below it with pages for users, whose names differ from all others.
local folders = { "", "how-to/", "reference/", "explanation/" }

---Returns the names of the pages for users, sorted.
---@return string[]
function M.names()
  local names = {}
  for _, folder in ipairs(folders) do
    local request = luv.fs_scandir(("%s/%s"):format(M.folder, folder))
    for entry in function() return request and luv.fs_scandir_next(request) end do
      local name = entry:match "^(.*)%.md$"
      if name and not internal[name] then names[#names + 1] = name end
    end
  end
  table.sort(names)
  return names
end

---Returns the text of a page.
---@param name string
---@return string? text nil if there is no such page
function M.read(name)
  if not name:find "^[%w%-]+$" then return nil end
  for _, folder in ipairs(folders) do
    local handle <close> = io.open(("%s/%s%s.md"):format(M.folder, folder, name), "rb")
    if handle then return handle:read "a" end
  end
  return nil
end

return M
