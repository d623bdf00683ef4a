---Whether a file is within a folder once all links are followed.

local luv = require "luv"

---@param folder string
---@param file string
---@return boolean
return function(folder, file)
  local root, path = luv.fs_realpath(folder), luv.fs_realpath(file)
  if not root or not path then return false end
  if root ~= "/" then root = root .. "/" end
  return path:sub(1, #root) == root
end
