---Files without a disk: those of bundles, which came with waits from a store. Each has a path below the root of its bundle,
---and finds the modules of its own folder there before others. bide's own modules are always bide's.

local of_disk = require

local M = {}

---@type table<string, string>
local text_of = {}

---Adds the files of a bundle.
---@param root string that no path of a disk begins with
---@param files table<string, string> their texts, by their names within it
function M.add(root, files)
  for name, text in pairs(files) do text_of[root .. "/" .. name] = text end
end

---Returns the text of a file; nil if it is not one of a bundle.
---@param path string
---@return string?
function M.read(path)
  return text_of[path]
end

---Returns the file of a module in a folder of a bundle.
---@param folder string
---@param name string
---@return string? file
function M.find(folder, name)
  local path = folder .. "/" .. name:gsub("%.", "/")
  for _, file in ipairs { path .. ".lua", path .. "/init.lua" } do
    if text_of[file] then return file end
  end
end

local function new_loader(folder, environment)
  local loaded = {}
  return function(name)
    local is_own = type(name) == "string" and name ~= "bide" and not name:find "^bide%."
    local file = is_own and M.find(folder, name)
    if not file then return of_disk(name) end
    if loaded[name] == nil then
      local compiled, mistake = load(text_of[file], "@" .. file, "t", environment)
      if not compiled then error(mistake, 2) end
      local value = compiled(name, file)
      loaded[name] = value == nil or value
    end
    return loaded[name]
  end
end

---Returns the globals of a file of a bundle: those of Lua, and a `require` of its own. What it sets stays with it, so that
---two bundles with modules of one name do not share them.
---@param file string
---@return table
function M.globals(file)
  local environment = setmetatable({}, { __index = _G })
  environment.require = new_loader(file:match "^(.*)/[^/]*$", environment)
  return environment
end

return M
