---Checks the files of a journal: the database, its log, the index of the log, and the locks. Only their owner may use
---them, since another user could forge requests and answers.

local fingerprint = require("bide.record.journal.sources").fingerprint
local file_failure = require "bide.text.file_failure"
local luv = require "luv"
local sqlite = require "bide.sqlite"

local M = {}

local function bits(octal) return tonumber(octal, 8) end

---Creates a file that is private to its owner from the beginning, unless it exists; returns why it cannot.
local function create(file)
  local handle, mistake = luv.fs_open(file, "wx", bits "600")
  if not handle then return mistake:find "^EEXIST" == nil and file_failure.reason(mistake) or nil end
  luv.fs_close(handle)
end

local function folder_of(file)
  return file:match "^(.*/)[^/]*$" or "."
end

---Returns what is wrong with the folder of a file: if every user may write to it and it is not sticky, every user may replace
---the journal.
---@param file string
---@return string? mistake
function M.mistake_of_folder(file)
  local folder = folder_of(file)
  local stat, mistake, code = luv.fs_stat(folder)
  if not stat then return code == "ENOENT" and "its folder does not exist" or file_failure.reason(mistake) end
  if stat.mode & bits "1002" == bits "0002" then
    return ("every user may replace the files in its folder (its mode is %03o); run: chmod o-w %s")
      :format(stat.mode & bits "777", folder)
  end
end

---Returns what is wrong with the rights to a file. SQLite would open a file that it can only read, and leave files beside
---it that no user may write.
local function mistake_of_access(file)
  if not luv.fs_access(file, "R") then return "it cannot be read" end
  if not luv.fs_access(file, "W") then return "it cannot be written" end
  if not luv.fs_access(folder_of(file), "W") then return "its folder cannot be written, where its log belongs" end
end

local function mistake_of_owner(stat)
  if stat.type ~= "file" then return "it is not a file but a " .. stat.type end
  if stat.uid ~= sqlite.user() then
    return ("it belongs to user %d, and bide runs as user %d; use a file of your own"):format(stat.uid, sqlite.user())
  end
end

---Returns what is wrong with the log and its index, if they exist.
---@param file string
---@return string? mistake
function M.mistake_beside(file)
  for _, ending in ipairs { "-wal", "-shm" } do
    local stat = luv.fs_lstat(file .. ending)
    local mistake = stat and mistake_of_owner(stat)
    if mistake then return ("its file %s: %s"):format(ending, mistake) end
  end
end

---Returns what is wrong with the database; creates it if it does not exist.
---@param file string
---@return string? mistake
---@return boolean? is_new
function M.mistake(file)
  local stat, failure = luv.fs_lstat(file)
  if not stat and not failure:find "^ENOENT" then return file_failure.reason(failure) end
  local mistake = M.mistake_of_folder(file) or not stat and create(file)
  if mistake then return mistake end
  return mistake_of_owner(stat or assert(luv.fs_lstat(file))) or mistake_of_access(file) or M.mistake_beside(file), not stat
end

---Returns what is wrong with the owner or the mode of a file. A wrong mode is reported and not repaired, since others may
---have read the file already.
---@param file string
---@return string? mistake
function M.mistake_of_mode(file)
  local mode = assert(luv.fs_stat(file)).mode & bits "777"
  if mode & bits "077" ~= 0 then
    return ("others may read it (its mode is %03o); run: chmod 600 %s"):format(mode, file)
  end
end

---Returns the path without links, so that a journal has one log and one file of locks under all its names.
---@param file string
---@return string
function M.path(file)
  local whole = luv.fs_realpath(file)
  if whole then return whole end
  local folder, name = luv.fs_realpath(folder_of(file)), file:match "[^/]*$"
  return folder and folder .. "/" .. name or file
end

-- ---- what the disk has -----------------------------------------------------------------------

-- Detects that the database has lost transactions. SQLite silently drops everything after a damaged place in its log, and
-- a wait that was begun would be begun again. So all durable transactions are counted twice: in the database, and, once
-- they are on the disk, in the file of the locks. A database with a lower count has lost some.

local function text_of(count)
  local number = ("%020d"):format(count)
  return ("bide-witness %s %s\n"):format(number, fingerprint(number))
end

---Counts the running transaction.
---@param query fun(sql: string, ...): table[]
---@return integer?
function M.count_durable(query)
  query "UPDATE durable SET count = count + 1"
  local row = query("SELECT count FROM durable")[1]
  return row and math.tointeger(row.count)
end

---Writes the count into the file of the locks. If that fails, fewer losses can be detected.
---@param locks bide.Locks
---@param count integer
function M.note_count(locks, count)
  locks:write(text_of(count))
end

---@param locks bide.Locks
---@return integer? count 0 if none was written
---@return string? mistake
function M.noted_count(locks)
  local text = locks:read()
  if not text:find "[^\0]" then return 0 end
  local count = math.tointeger(tonumber(text:match "^bide%-witness (%d+) "))
  if count and text:sub(1, #text_of(count)) == text_of(count) then return count end
  return nil, "its file -lock is damaged: it does not say how much the journal must hold; remove it if the journal is whole"
end

---@param file string
---@return string
function M.loss(file)
  return ("it is damaged: what was written to it is missing; move it away with its files %s-*, or, where it is an older "
    .. "copy that is meant, remove %s-lock"):format(file, file)
end

---@param file string
---@param query fun(sql: string, ...): table[]
---@param noted integer the count in the file of the locks, from before the database was opened
---@return string? mistake
function M.mistake_of_count(file, query, noted)
  local row = query("SELECT count FROM durable")[1]
  local count = row and math.tointeger(row.count)
  if not count then return "it is broken: durable.count: expected a whole number" end
  return count < noted and M.loss(file) or nil
end

return M
