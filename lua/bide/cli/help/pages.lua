---The pages of the documentation, which bide has with it: `bide help recipes` prints docs/recipes.md.

local chunk = require "bide.recipe.file.chunk"
local own_files = require "bide.text.own_files"

local M = {}

---The folder of the pages.
M.folder = own_files.folder "docs"

---The pages on changing bide itself.
local internal = { architecture = true, CONTRIBUTING = true, CHANGELOG = true, README = true, ["when-not-to-add"] = true }

---The folders below it with pages for users, whose names differ from all others.
local folders = { "", "how-to/", "reference/", "explanation/" }

---Returns the names of the pages for users, sorted.
---@return string[]
function M.names()
  local names = {}
  for _, folder in ipairs(folders) do
    for _, entry in ipairs(own_files.names(("%s/%s"):format(M.folder, folder))) do
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
    local text = chunk.read(("%s/%s%s.md"):format(M.folder, folder, name))
    if text then return text end
  end
  return nil
end

return M
