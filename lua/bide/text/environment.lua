---Returns a variable of the environment; nil if it is empty, which counts as unset.
---@param name string
---@return string?
return function(name)
  local value = os.getenv(name)
  return value ~= "" and value or nil
end
