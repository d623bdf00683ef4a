---Puts a whole text in place of a file: the file is never there in part.

local luv = require "luv"

---@param file string
---@param text string
---@return boolean? done
---@return string? mistake
return function(file, text)
  local temporary = ("%s.%d.tmp"):format(file, luv.os_getpid())
  local handle, mistake = io.open(temporary, "wb")
  if not handle then return nil, mistake end
  local written
  written, mistake = handle:write(text)
  local closed, why = handle:close()
  if written and closed and os.rename(temporary, file) then return true end
  os.remove(temporary)
  return nil, ("%s: %s"):format(file, mistake or why or "it cannot be replaced")
end
