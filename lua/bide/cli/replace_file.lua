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

---Writes a file of the user's own, and waits until it is on the disk.
---@return boolean? done
---@return string? mistake
local function write_durably(file, text)
  os.remove(file) -- of a process that was killed
  local descriptor, mistake = luv.fs_open(file, "wx", tonumber("600", 8))
  if not descriptor then return nil, mistake end
  local written, synced
  written, mistake = luv.fs_write(descriptor, text)
  if written then synced, mistake = luv.fs_fsync(descriptor) end
  luv.fs_close(descriptor)
  return written == #text and synced, mistake or "the disk is full"
end

---Makes the new name of a file durable.
local function sync_folder_of(file)
  local descriptor = luv.fs_open(file:match "^(.*/)[^/]*$" or ".", "r", 0)
  if not descriptor then return end
  luv.fs_fsync(descriptor)
  luv.fs_close(descriptor)
end

---@param file string
---@param text string
---@param is_durable? boolean whether the file has to survive a loss of power, and is for its owner alone
---@param keeps_mode? boolean whether it is for those for whom it was
---@return boolean? done
---@return string? mistake
return function(file, text, is_durable, keeps_mode)
  local found, target = luv.fs_stat(file), luv.fs_realpath(file) or file -- a link stays one
  local is_special = found and found.type ~= "file" and found.type ~= "directory"
  local temporary = is_special and target or ("%s.%d.tmp"):format(target, luv.os_getpid())
  local done, mistake = (is_durable and write_durably or write)(temporary, text)
  if done and keeps_mode and found and not is_special then done, mistake = luv.fs_chmod(temporary, found.mode & 4095) end
  if done and not is_special then done, mistake = os.rename(temporary, target) end
  if done and is_durable then sync_folder_of(target) end
  if done then return true end
  if not is_special then os.remove(temporary) end
  return nil, ("%s: %s"):format(file, mistake)
end
