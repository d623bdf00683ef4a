---Puts a whole text in place of a file: the file is never there in part. A device or a pipe is written into.

local luv = require "luv"

---@return boolean? done
---@return string? mistake
local function write(file, text)
  local handle, mistake = io.open(file, "wb")
  if not handle then return nil, mistake:sub(#file + 3) end
  local written, closed, why
  written, mistake = handle:write(text)
  closed, why = handle:close()
  return written and closed, mistake or why
end

---@param file string
---@param text string
---@return boolean? done
---@return string? mistake
return function(file, text)
  local found, target = luv.fs_stat(file), luv.fs_realpath(file) or file -- a link stays one
  local is_special = found and found.type ~= "file" and found.type ~= "directory"
  local temporary = is_special and target or ("%s.%d.tmp"):format(target, luv.os_getpid())
  local done, mistake = write(temporary, text)
  if done and not is_special then done, mistake = os.rename(temporary, target) end
  if done then return true end
  if not is_special then os.remove(temporary) end
  return nil, ("%s: %s"):format(file, mistake)
end
