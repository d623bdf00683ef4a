---Whether a path is within a folder once all links are followed, whether there is a file or not: what a link
---outside of the folder leads to is outside, and so is what cannot be followed.

local luv = require "luv"

local function is_below(folder, path)
  return folder == "/" or path == folder or path:sub(1, #folder + 1) == folder .. "/"
end

---The folder that a path is in, and the name that it has there.
local function split(path)
  local folder, name = path:match("^(.-)/*([^/]+)/*$")
  if not name then return nil end
  return folder ~= "" and folder or path:sub(1, 1) == "/" and "/" or ".", name
end

---@param folder string
---@param path string
---@return boolean
return function(folder, path)
  local root = luv.fs_realpath(folder)
  local real = luv.fs_realpath(path)
  while root and not real do
    local parent, name = split(path)
    if not parent or name == ".." or luv.fs_lstat(parent .. "/" .. name) then return false end
    path, real = parent, luv.fs_realpath(parent)
  end
  return root ~= nil and is_below(root, real)
end
