---The exclusive or of two texts, by which proofs of a password hide the key that they prove.

---Returns the exclusive or of each byte.
---@param one string
---@param other string as long as `one`
---@return string
return function(one, other)
  local bytes = {}
  for position = 1, #one do bytes[position] = string.char(one:byte(position) ~ other:byte(position)) end
  return table.concat(bytes)
end
