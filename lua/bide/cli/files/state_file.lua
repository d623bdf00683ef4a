---The file of `bide step --state FILE`: locked while a step is made, and replaced as a whole.

local again = require "bide.task.again"
local core = require "bide.core"
local file_failure = require "bide.text.file_failure"
local files = require "bide.record.journal.files"
local luv = require "luv"
local replace_file = require "bide.record.replace_file"
local sqlite = require "bide.sqlite"
local whole_file = require "bide.text.whole_file"

local M = {}

---In milliseconds, the time for which another step may have the file, and the pause between two tries.
local PATIENCE, PAUSE = 5000, 20

local NO_SUCH_FILE <const> = 2 -- ENOENT

---@class bide.cli.StateFile
---@field path string without links
---@field locks bide.Locks
---@field is_locked boolean whether no other step is being made
local StateFile = {}
StateFile.__index = StateFile

---Takes the lock, and waits some seconds for a step that has it.
local function lock(locks)
  local deadline = core.loop.update() + PATIENCE
  return again(function()
    local is_taken = locks:take(0)
    if is_taken or core.loop.update() > deadline then return nil, is_taken end
    return PAUSE
  end)
end

---Locks the file, which need not exist. The lock is in a file beside it, since each step replaces it, and ends with the
---process.
---@param file string
---@return bide.cli.StateFile?
---@return string? mistake
function M.open(file)
  local path = files.path(file)
  local stat = luv.fs_stat(path)
  if stat and stat.type ~= "file" then return nil, ("%s is not a file but a %s"):format(file, stat.type) end
  if not luv.fs_stat(path:match "^(.*/)" or ".") then return nil, file .. ": its folder does not exist" end
  local locks, failure = sqlite.locks(path .. "-lock")
  if not locks then return nil, ("%s-lock, the lock beside it: %s"):format(file, file_failure.lowered(failure.message)) end
  return setmetatable({ path = path, locks = locks, is_locked = lock(locks) }, StateFile)
end

---@return string? text nil without a mistake if there is no file
---@return string? mistake
function StateFile:read()
  local text, mistake, code = whole_file.read(self.path, whole_file.VALUE)
  return text, code ~= NO_SUCH_FILE and mistake or nil
end

---Replaces the file by a new one, which survives a loss of power.
---@param text string
---@return boolean? done
---@return string? mistake
function StateFile:write(text)
  return replace_file(self.path, text .. "\n", true)
end

return M
