---Reads a switch of the environment or a profile: true or false, in any case. Another word is a mistake: with `yes` for
---FIPS, a request would go to the usual endpoint.

local option = require "bide.text.option"

---@param name string for the mistake
---@param text string? nil if it is unset
---@return boolean? is_on
---@return string? mistake
return function(name, text)
  local word = (text or ""):lower()
  if word == "true" then return true end
  if word == "false" or word == "" then return false end
  return nil, ("%s: %s"):format(name, option.expected("true or false", text))
end
