---Returns a message of PostgreSQL's protocol, of either side: a letter, the length, the body.
---@param letter string
---@param body string
---@return string
return function(letter, body)
  return letter .. string.pack(">I4", #body + 4) .. body
end
