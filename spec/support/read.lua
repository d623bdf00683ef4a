---Returns the text of a file.
---@param path string
---@return string
return function(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end
