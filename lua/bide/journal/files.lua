---The files of a journal: the database, its log, the index of that, and the locks. All of them are their
---owner's alone, since whoever could write one could make up what was asked and answered.

local fingerprint = require("bide.journal.sources").fingerprint
local luv = require "luv"
local store = require "bide.store"

local M = {}

local function bits(octal) return tonumber(octal, 8) end

local function system_text(mistake)
  return (mistake:gsub("^%w+: (.-): .*$", "%1"))
end

---A new file is its owner's alone from the beginning.
local function create(file)
  local handle, mistake = luv.fs_open(file, "wx", bits "600")
  if not handle then return mistake:find "^EEXIST" == nil and system_text(mistake) or nil end
  luv.fs_close(handle)
end

local function folder_of(file)
  return file:match "^(.*/)[^/]*$" or "."
end

---In a folder that anybody may write, and that is not sticky, anybody may put another file in the journal's place.
local function mistake_of_folder(folder)
  local stat, mistake = luv.fs_stat(folder)
  if not stat then return system_text(mistake) end
  if stat.mode & bits "1002" == bits "0002" then
    return ("anybody may replace the files in its folder (its mode is %03o); run: chmod o-w %s")
      :format(stat.mode & bits "777", folder)
  end
end

---SQLite would open what it may only read, and leave files beside it that nobody may write.
local function mistake_of_access(file)
  if not luv.fs_access(file, "R") then return "it cannot be read" end
  if not luv.fs_access(file, "W") then return "it cannot be written" end
  if not luv.fs_access(folder_of(file), "W") then return "its folder cannot be written, where its log belongs" end
end

local function mistake_of_owner(stat)
  if stat.type ~= "file" then return "it is not a file but a " .. stat.type end
  if stat.uid ~= store.user() then
    return ("it belongs to user %d, and bide runs as user %d; use a journal of your own"):format(stat.uid, store.user())
  end
end

---What speaks against the log and its index, where they are there.
---@param file string
---@return string? mistake
function M.mistake_beside(file)
  for _, ending in ipairs { "-wal", "-shm" } do
    local stat = luv.fs_lstat(file .. ending)
    local mistake = stat and mistake_of_owner(stat)
    if mistake then return ("its file %s: %s"):format(ending, mistake) end
  end
end

---What speaks against the database; makes it where there is none.
---@param file string
---@return string? mistake
---@return boolean? is_new
function M.mistake(file)
  local stat, failure = luv.fs_lstat(file)
  if not stat and not failure:find "^ENOENT" then return system_text(failure) end
  local mistake = mistake_of_folder(folder_of(file)) or not stat and create(file)
  if mistake then return mistake end
  return mistake_of_owner(stat or assert(luv.fs_lstat(file))) or mistake_of_access(file) or M.mistake_beside(file), not stat
end

---A mode is reported and not mended: what others could read, they may have read.
---@param file string
---@return string? mistake
function M.mistake_of_mode(file)
  local mode = assert(luv.fs_stat(file)).mode & bits "777"
  if mode & bits "077" ~= 0 then
    return ("others may read it (its mode is %03o); run: chmod 600 %s"):format(mode, file)
  end
end

---The path without links, so that one journal has one log and one file of locks under all its names.
---@param file string
---@return string
function M.path(file)
  local whole = luv.fs_realpath(file)
  if whole then return whole end
  local folder, name = luv.fs_realpath(folder_of(file)), file:match "[^/]*$"
  return folder and folder .. "/" .. name or file
end

-- ---- what the disk has -----------------------------------------------------------------------

-- Finds out whether the database has lost anything. SQLite silently drops what stands in its log behind a damaged place,
-- and a wait that was begun would be begun once more. So all transactions that waited for the disk are counted twice: in
-- the database, and, once they are there, in the file of the locks. A database that counts fewer has lost some.

local function text_of(count)
  local number = ("%020d"):format(count)
  return ("bide-witness %s %s\n"):format(number, fingerprint(number))
end

---Counts the transaction that runs.
---@param query fun(sql: string, ...): table[]
---@return integer?
function M.count_durable(query)
  query "UPDATE durable SET count = count + 1"
  local row = query("SELECT count FROM durable")[1]
  return row and math.tointeger(row.count)
end

---Notes the count. A note that cannot be written only makes the witness know less.
---@param locks bide.Locks
---@param count integer
function M.note_count(locks, count)
  locks:write(text_of(count))
end

---@param locks bide.Locks
---@return integer? count 0 where nothing was noted
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
---@param noted integer what was noted before the database was opened
---@return string? mistake
function M.mistake_of_count(file, query, noted)
  local row = query("SELECT count FROM durable")[1]
  local count = row and math.tointeger(row.count)
  if not count then return "it is broken: durable.count: expected a whole number" end
  return count < noted and M.loss(file) or nil
end

return M
