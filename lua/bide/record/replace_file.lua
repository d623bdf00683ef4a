---Puts something whole in place of a file: the file is never there in part. A device or a pipe is written into.

local file_failure = require "bide.text.file_failure"
local luv = require "luv"

---@return boolean? done
---@return string? mistake
local function write(file, text)
  local handle, mistake = file_failure.open(file, "wb")
  if not handle then return nil, mistake:sub(#file + 3) end
  local written, closed, why
  written, mistake = handle:write(text)
  closed, why = handle:close()
  return written and closed, mistake or why
end

---Writes a file of the user's own, and waits until it is on the disk.
---@param file string
---@param content string|fun(descriptor: integer): string?
---@return boolean? done
---@return string? mistake
local function write_durably(file, content)
  os.remove(file) -- of a process that was killed
  local descriptor, mistake = luv.fs_open(file, "wx", tonumber("600", 8))
  if not descriptor then return nil, mistake end
  if type(content) == "function" then
    mistake = content(descriptor)
  else
    local written
    written, mistake = luv.fs_write(descriptor, content)
    if written and written < #content then mistake = "the disk is full" end
  end
  if not mistake then
    local _, failure = luv.fs_fsync(descriptor)
    mistake = failure
  end
  luv.fs_close(descriptor)
  return not mistake, mistake
end

---Makes the new name of a file durable.
local function sync_folder_of(file)
  local descriptor = luv.fs_open(file:match "^(.*/)[^/]*$" or ".", "r", 0)
  if not descriptor then return end
  luv.fs_fsync(descriptor)
  luv.fs_close(descriptor)
end

---@param file string
---@param content string|fun(descriptor: integer): string? the text; or, where it has to be durable, what writes it, and
---returns its mistake
---@param is_durable? boolean whether the file has to survive a loss of power, and is for its owner alone
---@param keeps_mode? boolean whether it is for those for whom it was
---@return boolean? done
---@return string? mistake
return function(file, content, is_durable, keeps_mode)
  local found, target = luv.fs_stat(file), luv.fs_realpath(file) or file -- a link stays one
  local is_special = found and found.type ~= "file" and found.type ~= "directory"
  if is_special and is_durable then return nil, ("%s is not a file but a %s"):format(file, found.type) end
  local temporary = is_special and target or ("%s.%d.tmp"):format(target, luv.os_getpid())
  local done, mistake = (is_durable and write_durably or write)(temporary, content)
  if done and keeps_mode and found and not is_special then done, mistake = luv.fs_chmod(temporary, found.mode & 4095) end
  if done and not is_special then done, mistake = os.rename(temporary, target) end
  if done and is_durable then sync_folder_of(target) end
  if done then return true end
  if not is_special then os.remove(temporary) end
  return nil, ("%s: %s"):format(file, mistake)
end
