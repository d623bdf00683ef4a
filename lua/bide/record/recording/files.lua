---The files of recordings: whole lines, for their owner alone. Two processes never write into one file.

local core = require "bide.core"
local file_failure = require "bide.text.file_failure"
local luv = require "luv"
local replace_file = require "bide.record.replace_file"

local json, append = core.json, core.recording.append

local M = {}

---A file of lines. One that is opened for each line serves a fleet, which has more waits than descriptors.
---@class bide.RecordingFile
---@field path string
---@field descriptor integer? nil where the file is opened for each line
---@field locks bide.Locks? held as long as the file is written
local File = {}
File.__index = File

---For their owner alone.
local MODE <const> = tonumber("600", 8)

---Locks a file until it is closed or the process ends.
---@return bide.Locks?
---@return string? mistake
local function lock(path)
  local locks, failure = require("bide.sqlite").locks(luv.fs_realpath(path) or path)
  if not locks then return nil, ("%s: %s"):format(path, failure.message) end
  if not locks:take(0) then return nil, path .. ": another process is recording into it" end
  return locks
end

---Makes an open file one for its owner alone, and empties it once no other process can be writing into it. A device or a
---pipe has nothing to lose.
---@return bide.Locks? locks
---@return string? mistake
local function claim(path, descriptor)
  local stat, mistake = luv.fs_fstat(descriptor)
  if not stat or stat.type ~= "file" then return nil, mistake end
  luv.fs_fchmod(descriptor, MODE) -- it may have been there for others
  local locks
  locks, mistake = lock(path)
  if not locks then return nil, mistake end
  local _, failure = luv.fs_ftruncate(descriptor, 0)
  return locks, failure
end

---Opens a file for the lines of one wait.
---@param path string
---@return bide.RecordingFile?
---@return string? mistake
function M.open(path)
  local descriptor, mistake = luv.fs_open(path, "a", MODE)
  if not descriptor then return nil, file_failure.named(mistake) end
  local locks
  locks, mistake = claim(path, descriptor)
  if not mistake then return setmetatable({ path = path, descriptor = descriptor, locks = locks }, File) end
  luv.fs_close(descriptor)
  return nil, mistake
end

---Returns a file that is opened for each line.
---@param path string
---@return bide.RecordingFile
function M.at(path)
  return setmetatable({ path = path }, File)
end

---Makes the file, which must not be there: another process may be recording into its folder.
---@return string? mistake
function File:create()
  local descriptor, mistake = luv.fs_open(self.path, "wx", MODE)
  if not descriptor then return file_failure.named(mistake) end
  luv.fs_close(descriptor)
end

---Takes back what was written of a line, whose writer is alone.
---@param descriptor integer
---@param mistake string
---@param written integer
---@return string mistake what to say of it
function M.take_back(descriptor, mistake, written)
  if written == 0 then return mistake end
  local stat, failure = luv.fs_fstat(descriptor)
  if stat then stat, failure = luv.fs_ftruncate(descriptor, math.max(stat.size - written, 0)) end
  return stat and mistake or ("%s; its last line is cut: %s"):format(mistake, failure)
end

---Writes a whole line with one call, or takes back what was written of it.
---@param line string|bide.RecordedForm a form has made the line
---@return string? mistake
function File:append(line)
  local descriptor, mistake = self.descriptor, nil
  if not descriptor then descriptor, mistake = luv.fs_open(self.path, "a", MODE) end
  if not descriptor then return file_failure.named(mistake) end
  local written
  written, mistake = append(descriptor, line)
  if mistake then mistake = M.take_back(descriptor, mistake, written) end
  if not self.descriptor then luv.fs_close(descriptor) end
  return mistake
end

---Replaces the file by one with all secrets redacted.
---@param mask bide.SecretMask
---@return string? mistake beginning with the path
function File:redact(mask)
  local _, mistake = replace_file(self.path, function(descriptor)
    for line in io.lines(self.path) do
      local document, failure = json.read(line)
      if not document then return tostring(failure) end
      local text = document:json { redact = mask } .. "\n"
      local written, why = luv.fs_write(descriptor, text)
      if written ~= #text then return why or "the disk is full" end
    end
  end, true)
  return mistake
end

function File:close()
  if self.descriptor then luv.fs_close(self.descriptor) end
  self.descriptor, self.locks = nil, nil
end

return M
