---The journal: a file that outlives the process, with every wait and every request that must be
---made once. SQLite keeps it; nothing in here blocks the loop while another process has it locked.

local await = require "bide.tasks.await"
local core = require "bide.core"
local luv = require "luv"
local schema = require "bide.journal.schema"
local shown = require "bide.shown"
local store = require "bide.store"

local loop = core.loop

local M = {
  ---@type string? the file that the command line names
  default = nil,
  ---@type boolean whether no file can be made, opened or removed once a journal is open
  is_confined = false,
}

---How long, in milliseconds, a journal may be locked until that is told, and how often to try.
local PATIENCE, PAUSE = 5000, 20

---@class bide.Journal
---@field file string
---@field owner integer the number of the lock that says that this process lives
---@field database bide.Database
---@field locks bide.Locks
---@field posted function[] what is to be written as soon as it can be
local Journal = {}
Journal.__index = Journal

---A failure of the store, as it is raised within a transaction.
local Failure = {}

local function raise(failure)
  error(setmetatable(failure, Failure), 0)
end

local words = {
  busy = "it is locked by another process", foreign = "it is no journal: it is not an SQLite database",
  full = "the disk is full", ["read-only"] = "it cannot be written",
}

local function describe(file, failure)
  local text = words[failure.kind]
  return ("the journal %s: %s"):format(file, text or failure.message)
end

-- ---- transactions -----------------------------------------------------------------

local function query_of(database)
  return function(sql, ...)
    local rows, failure = database:query(sql, ...)
    if not rows then raise(failure) end
    return rows
  end
end

---One try. What must survive the loss of power waits for the disk.
local function try(journal, f, durable)
  local database, query = journal.database, journal.query
  local ok, result, failure = pcall(function()
    query("PRAGMA synchronous = " .. (durable and "FULL" or "NORMAL"))
    return database:transact(function() return f(query) or true end)
  end)
  if ok then return result, failure end
  if getmetatable(result) ~= Failure then error(result, 0) end
  return nil, result
end

---Tries again and again while another process has the file locked.
local function patiently(f)
  local deadline = loop.update() + PATIENCE
  while true do
    local result, failure = f()
    if result or failure.kind ~= "busy" or loop.update() > deadline then return result, failure end
    await(loop.now() + PAUSE, function() end)
  end
end

---Runs f(query) as a transaction; query(sql, ...) gives rows. It may be called where waiting is
---allowed, and more than once: what it did before it failed is undone.
---@param f fun(query: fun(sql: string, ...): table[]): any
---@param durable? boolean whether it must survive a loss of power, and so waits for the disk
---@return any result what f returned, or true
---@return string? mistake
function Journal:transact(f, durable)
  local result, failure = patiently(function() return try(self, f, durable or false) end)
  if not result then return nil, describe(self.file, failure) end
  return result
end

---Ends a transaction for a reason of its own: it is undone, and that is its mistake.
---@param format string
---@param ... any
function Journal.refuse(format, ...)
  raise { kind = "wrong", message = format:format(...) }
end

local function warn(journal, failure)
  if journal.warned then return end
  journal.warned = true
  shown.warn(("%s; the wait goes on, and cannot be resumed as it is now"):format(describe(journal.file, failure)))
end

---Writes what was posted. Where it is locked an alarm brings it back here; where it cannot be
---written at all that is told once, and the waits go on.
local function flush(journal)
  local posted = journal.posted
  if #posted == 0 then return end
  local written, failure = try(journal, function(query)
    for _, f in ipairs(posted) do f(query) end
  end, false)
  if not written and failure.kind == "busy" then return journal.alarm:start(loop.update() + PAUSE) end
  journal.posted = {}
  if not written then warn(journal, failure) end
end

---Writes at once, or as soon as the file is free: for callers that may not wait.
---@param f fun(query: fun(sql: string, ...): table[])
function Journal:post(f)
  table.insert(self.posted, f)
  flush(self)
end

---Lets go of the file, once all that was posted is written or the patience is over.
function Journal:close()
  local deadline = loop.update() + PATIENCE
  while #self.posted > 0 and loop.update() < deadline do
    await(loop.now() + PAUSE, function() end)
  end
  if #self.posted > 0 then warn(self, { kind = "busy" }) end
  self.closed = true
  self.alarm:stop()
  self.database:close()
  self.locks:close()
end

---Whether the process lives that took a lock.
---@param owner integer?
---@return boolean
function Journal:is_alive(owner)
  return owner ~= nil and (owner == self.owner or self.locks:is_taken(owner) == true)
end

-- ---- opening ----------------------------------------------------------------------

local function system_text(mistake)
  return (mistake:gsub("^%w+: (.-): .*$", "%1"))
end

---A new file is its owner's alone from the beginning.
local function create(file)
  local handle, mistake = luv.fs_open(file, "wx", tonumber("600", 8))
  if not handle then return mistake:find "^EEXIST" == nil and system_text(mistake) or nil end
  luv.fs_close(handle)
end

---SQLite would open what it may only read, and leave files beside it that nobody may write.
local function mistake_of_access(file)
  if not luv.fs_access(file, "R") then return "it cannot be read" end
  if not luv.fs_access(file, "W") then return "it cannot be written" end
  if not luv.fs_access(file:match "^(.*/)[^/]*$" or ".", "W") then
    return "its folder cannot be written, where its log belongs"
  end
end

---What speaks against the file; makes it where there is none.
local function mistake_of_file(file)
  local stat, mistake = luv.fs_stat(file)
  if stat and stat.type ~= "file" then return "it is no file but a " .. stat.type end
  if stat then return mistake_of_access(file) end
  if mistake:find "^ENOENT" then return create(file) end
  return system_text(mistake)
end

---A mode is told and not mended: what others could read, they may have read.
local function mistake_of_mode(file)
  local mode = assert(luv.fs_stat(file)).mode & tonumber("777", 8)
  if mode & tonumber("077", 8) ~= 0 then
    return ("others may read it (its mode is %03o); run: chmod 600 %s"):format(mode, file)
  end
end

local function is_empty(query)
  return query("SELECT count(*) AS count FROM sqlite_schema")[1].count == 0
end

local function make_schema(database, query)
  query "PRAGMA journal_mode = WAL"
  local made, failure = database:transact(function()
    if not is_empty(query) then return true end -- another process was quicker
    local created, mistake = database:script(schema.create)
    if not created then raise(mistake) end
    return true
  end)
  if not made then raise(failure) end
end

---What speaks against the database; makes a journal of an empty one.
local function check_schema(file, database, query)
  local application = query("PRAGMA application_id")[1].application_id
  local version = query("PRAGMA user_version")[1].user_version
  if application == schema.APPLICATION then
    return version ~= schema.VERSION
      and ("it is of version %d, and this bide reads version %d"):format(version, schema.VERSION) or mistake_of_mode(file)
  end
  if application ~= 0 or version ~= 0 or not is_empty(query) then
    return "it is no journal: it is a database of something else"
  end
  local mistake = mistake_of_mode(file)
  if mistake then return mistake end
  make_schema(database, query)
end

---Makes all files of the journal now, by a write that changes nothing, and has them stay.
local function confine(database, query)
  database:keep_files()
  query "PRAGMA temp_store = MEMORY"
  local written, failure = database:transact(function()
    query("PRAGMA user_version = " .. query("PRAGMA user_version")[1].user_version)
    return true
  end)
  if not written then raise(failure) end
end

---@return true?
---@return bide.store.Failure? failure
local function prepare(file, database)
  local query = query_of(database)
  local ok, mistake = pcall(function()
    local mistake = check_schema(file, database, query)
    if mistake then raise { kind = "wrong", message = mistake } end
    query "PRAGMA foreign_keys = ON"
    query "PRAGMA secure_delete = ON" -- what is forgotten is gone
    if M.is_confined then confine(database, query) end
  end)
  if ok then return true end
  if getmetatable(mistake) ~= Failure then error(mistake, 0) end
  return nil, mistake
end

---The lock that tells others that this process lives: a number that nobody else draws.
local function take_lock(locks)
  while true do
    local number = core.wait.random_seed() >> 2
    local taken, failure = locks:take(number)
    if taken == nil then return nil, failure end
    if taken then return number end
  end
end

---@param file string
---@return bide.Journal?
---@return bide.store.Failure? failure
local function open(file)
  local database, locks, failure, ok, owner
  database, failure = store.open(file)
  if not database then return nil, failure end
  ok, failure = patiently(function() return prepare(file, database) end)
  if ok then locks, failure = store.locks(file .. "-lock") end
  if locks then owner, failure = take_lock(locks) end
  if not owner then
    database:close()
    return nil, failure
  end
  local journal = setmetatable({
    file = file, database = database, query = query_of(database), locks = locks, owner = owner, posted = {},
  }, Journal)
  journal.alarm = loop.alarm(flush, journal)
  return journal
end

---Opens a journal, and makes it where there is none. Call it where waiting is allowed.
---@param file string
---@param must_exist? boolean
---@return bide.Journal?
---@return string? mistake
function M.open(file, must_exist)
  if must_exist and not luv.fs_stat(file) then return nil, describe(file, { kind = "wrong", message = "no such file" }) end
  local mistake = mistake_of_file(file)
  if mistake then return nil, describe(file, { kind = "wrong", message = mistake }) end
  local journal, failure = open(file)
  if not journal then return nil, describe(file, failure) end
  return journal
end

local open_ones = {}

---The journal that this process shares, opened with its first use: that of a file, of the command
---line, or of BIDE_JOURNAL.
---@param file? string
---@return bide.Journal?
---@return string? mistake
function M.shared(file)
  file = file or M.default or os.getenv "BIDE_JOURNAL"
  if not file or file == "" then return nil, "no journal is given: --journal FILE, BIDE_JOURNAL, or the option journal" end
  if open_ones[file] and not open_ones[file].closed then return open_ones[file] end
  local journal, mistake = M.open(file)
  if not journal then return nil, mistake end
  local other = open_ones[file] -- that another task has opened meanwhile
  if other and not other.closed then
    journal:close()
    return other
  end
  open_ones[file] = journal
  return journal
end

return M
