---The journal: a file that outlives the process, with every wait, and every request that must be made at most once. It
---is a database of SQLite; no function here blocks the loop while another process has it locked.

local again = require "bide.task.again"
local core = require "bide.core"
local luv = require "luv"
local files = require "bide.record.journal.files"
local schema = require "bide.record.journal.schema"
local shown = require "bide.text.shown"
local sqlite = require "bide.sqlite"

local loop = core.loop

local M = {
  ---@type string? the file that the command line names
  default = nil,
  ---@type boolean true if no file can be made, opened or removed after a journal is open
  is_confined = false,
}

---In milliseconds, the time for which a journal may be locked until that is reported, and the pause between two tries.
local LONGEST_LOCK, PAUSE = 5000, 20

---@class bide.Journal
---@field file string
---@field word string? what it is called in messages, if not a journal
---@field owner integer the number of the lock that shows that this process is running
---@field database bide.Database
---@field locks bide.Locks
---@field path string without links
---@field place { dev: integer, ino: integer } which file it is
---@field check_at integer the time of the next check that the path is still that of the file
---@field posted bide.journal.Record[] the records to write as soon as possible
---@field failed? boolean whether the last write failed, which was reported
---@field try_at? integer the time of the next try after that
local Journal = {}
Journal.__index = Journal

---The class of a failure of SQLite that is raised within a transaction.
local Failure = {}

local function raise(failure)
  error(setmetatable(failure, Failure), 0)
end

local words = {
  busy = "it is locked by another process", foreign = "it is not a journal: it is not an SQLite database",
  full = "the disk is full", ["read-only"] = "it cannot be written",
}

---@param word string? what the file is called, if not a journal
local function describe(file, failure, word)
  local text = words[failure.kind] or failure.message
  if failure.kind == "statement" then text = "its tables are not those of its version: " .. text end
  if word then text = text:gsub("^it is not a journal", "it is not a " .. word) end
  return ("the %s %s: %s"):format(word or "journal", file, text)
end

-- ---- transactions -----------------------------------------------------------------

local function query_of(database)
  return function(sql, ...)
    local rows, failure = database:query(sql, ...)
    if not rows then raise(failure) end
    return rows
  end
end

---The milliseconds between two checks of the path; a durable transaction makes one in any case.
local INTERVAL = 1000

---Returns the failure if the file was removed or replaced: nothing that is written to it then is ever found.
---@param durable boolean
---@return bide.sqlite.Failure?
local function failure_of_place(journal, durable)
  if M.is_confined or not durable and loop.now() < journal.check_at then return nil end
  journal.check_at = loop.now() + INTERVAL
  local now, place = luv.fs_stat(journal.path), journal.place
  if now and now.ino == place.ino and now.dev == place.dev then return nil end
  return { kind = "removed", message = "it was removed, or replaced by another file" }
end

---Tries a transaction once. A durable one waits for the disk, and is counted in the file of the locks.
local function try(journal, f, durable)
  if journal.closed then return nil, { kind = "closed", message = "it was closed" } end
  local database, query, count = journal.database, journal.query, nil
  local removed = failure_of_place(journal, durable)
  if removed then return nil, removed end
  local ok, result, failure = pcall(function()
    query("PRAGMA synchronous = " .. (durable and "FULL" or "NORMAL"))
    return database:transact(function()
      local given = f(query) or true
      count = durable and files.count_durable(query) or nil
      return given
    end)
  end)
  if ok and result and count then files.note_count(journal.locks, count) end
  if ok then return result, failure end
  if getmetatable(result) ~= Failure then error(result, 0) end
  return nil, result
end

---Repeats a transaction while another process has the file locked.
local function patiently(f)
  local deadline = loop.update() + LONGEST_LOCK
  return again(function()
    local result, failure = f()
    if result or failure.kind ~= "busy" or loop.update() > deadline then return nil, result, failure end
    return PAUSE
  end)
end

---Runs f(query) as a transaction, in code that may wait; query(sql, ...) returns rows. f may be called more than once:
---what it did before it failed is undone.
---@param f fun(query: fun(sql: string, ...): table[]): any
---@param durable? boolean whether it must survive a loss of power, and so wait for the disk
---@return any result what f returned, or true
---@return string? mistake
---@return string? kind of the failure, "wrong" after Journal.refuse
function Journal:transact(f, durable)
  local result, failure = patiently(function() return try(self, f, durable or false) end)
  if not result then return nil, describe(self.file, failure, self.word), failure.kind end
  return result
end

---Undoes the running transaction, with a mistake as the reason.
---@param format string
---@param ... any
function Journal.refuse(format, ...)
  raise { kind = "wrong", message = format:format(...) }
end

---The milliseconds until a failed write is tried again.
local RETRY = 1000

local function warn(journal, failure)
  if journal.failed then return end
  journal.failed = true
  shown.complain(("warning: %s; the wait continues, and cannot be resumed as it is now")
    :format(describe(journal.file, failure, journal.word)))
end

local function all_written(journal)
  local posted = journal.posted
  journal.posted, journal.try_at = {}, nil
  for _, record in ipairs(posted) do
    record.is_posted = nil
    if record.written then record:written() end
  end
  if not journal.failed then return end
  journal.failed = nil
  shown.complain(("the journal %s can be written again: nothing is missing"):format(journal.file))
end

---Writes the posted records. If the file is locked, an alarm calls this function again. If it cannot be written, that is
---reported once, the waits continue, and the records are tried again with the next ones.
local function flush(journal)
  local posted = journal.posted
  if #posted == 0 then return end
  local written, failure = try(journal, function(query)
    for _, record in ipairs(posted) do record:write(query) end
  end, false)
  if written then return all_written(journal) end
  if failure.kind == "busy" then return journal.alarm:start(loop.update() + PAUSE) end
  warn(journal, failure)
  journal.try_at = loop.update() + RETRY
end

---A record that is written as soon as possible. It provides its contents only then.
---@class bide.journal.Record
---@field write fun(self: bide.journal.Record, query: fun(sql: string, ...): table[])
---@field written? fun(self: bide.journal.Record) called after that
---@field is_posted? boolean

---Writes a record at once, or as soon as the file can be written, for callers that may not wait. A record that is posted
---already is not posted twice.
---@param record bide.journal.Record
function Journal:post(record)
  if not record.is_posted then
    record.is_posted = true
    table.insert(self.posted, record)
  end
  if not self.try_at or loop.update() >= self.try_at then flush(self) end
end

---Writes all posted records. Repeats that, if necessary, until the time for it is over.
---@return boolean written
function Journal:settle()
  local deadline = loop.update() + LONGEST_LOCK
  self.try_at = nil
  flush(self)
  again(function() return #self.posted > 0 and not self.try_at and loop.update() < deadline and PAUSE or nil end)
  if #self.posted > 0 then warn(self, { kind = "busy" }) end
  return #self.posted == 0
end

---Merges the log into the database, so that nothing slow is left for the end of the process.
function Journal:checkpoint()
  self.database:query "PRAGMA wal_checkpoint(TRUNCATE)"
  self.database:query "UPDATE durable SET count = count + 1" -- the first record of a new log waits for the disk
end

---Closes the file, after all posted records are written or the time for that is over.
function Journal:close()
  self:settle()
  self.closed = true
  self.alarm:stop()
  self.database:close()
  self.locks:close()
end

---Reports whether the process that took a lock is running; false for a value that is not the number of a lock.
---@param owner any
---@return boolean
function Journal:is_alive(owner)
  if math.type(owner) ~= "integer" or owner < 0 or owner == math.maxinteger then return false end
  return (owner == self.owner or self.locks:is_taken(owner) == true)
end

-- ---- opening ----------------------------------------------------------------------

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

local function version_of(query)
  return query("PRAGMA user_version")[1].user_version
end

---Upgrades a journal of an older version.
---@param wanted integer
local function upgrade(database, query, wanted)
  local made, failure = database:transact(function()
    for version = version_of(query), wanted - 1 do
      local changed, mistake = database:script(("%s PRAGMA user_version = %d;"):format(schema.upgrades[version], version + 1))
      if not changed then raise(mistake) end
    end
    return true
  end)
  if not made then raise(failure) end
end

---Returns the mistake if there is anything that runs code of its own when a journal is read or written. SQLite makes of a
---row what its text says, whatever the row says of itself.
local function mistake_of_objects(query)
  local found = query [[
    SELECT iif(type IN ('view', 'trigger'), type, iif(sql LIKE 'CREATE VIRTUAL%', 'virtual table', 'object')) AS kind, name
    FROM sqlite_schema
    WHERE (type IS 'table' AND sql LIKE 'CREATE TABLE %' OR type IS 'index' AND (sql IS NULL OR sql LIKE 'CREATE INDEX %'))
      IS NOT TRUE
    ORDER BY name]][1]
  return found and ("it has the %s %s, which bide does not make"):format(found.kind, shown.line(tostring(found.name)))
end

---@param wanted integer the least version that the caller needs
local function check_version(file, database, query, version, wanted)
  if version ~= schema.WITH_STORE and not schema.upgrades[version] then
    return ("it is of version %d, and this bide reads version %d"):format(version, schema.WITH_STORE)
  end
  local mistake = files.mistake_of_mode(file) or mistake_of_objects(query)
  if mistake then return mistake end
  if version < wanted then upgrade(database, query, wanted) end
end

---Returns what is wrong with a database; makes a journal of an empty one. Another process may be making one, all in one
---transaction, so the mark is read last: without it, what was read before is of before.
local function check_schema(file, database, query, wanted)
  local version, has_nothing = version_of(query), is_empty(query)
  local application = query("PRAGMA application_id")[1].application_id
  if application == schema.APPLICATION then return check_version(file, database, query, version_of(query), wanted) end
  if application ~= 0 or version ~= 0 or not has_nothing then
    return "it is not a journal: it is a database of something else"
  end
  local mistake = files.mistake_of_mode(file)
  if mistake then return mistake end
  make_schema(database, query)
  if schema.VERSION < wanted then upgrade(database, query, wanted) end
end

---Creates all files of the journal now, by a write that changes nothing, and makes SQLite keep them.
local function confine(database, query)
  database:keep_files()
  query "PRAGMA temp_store = MEMORY"
  local written, failure = database:transact(function()
    query("PRAGMA user_version = " .. version_of(query))
    return true
  end)
  if not written then raise(failure) end
end

---@param wanted integer the least version of the schema
---@return true?
---@return bide.sqlite.Failure? failure
local function prepare(file, database, noted, wanted)
  local query = query_of(database)
  local ok, mistake = pcall(function()
    local mistake = noted > 0 and is_empty(query) and files.loss(file) or check_schema(file, database, query, wanted)
      or files.mistake_of_count(file, query, noted)
    if mistake then raise { kind = "wrong", message = mistake } end
    query "PRAGMA foreign_keys = ON"
    query "PRAGMA secure_delete = ON" -- what is forgotten is gone
    if M.is_confined then confine(database, query) end
  end)
  if ok then return true end
  if getmetatable(mistake) ~= Failure then error(mistake, 0) end
  return nil, mistake
end

---Takes a lock that shows others that this process is running: a random number.
---@param locks bide.Locks
---@return integer?
---@return bide.sqlite.Failure? failure
function M.take_lock(locks)
  while true do
    local number = core.wait.random_seed() >> 2
    local taken, failure = locks:take(number)
    if taken == nil then return nil, failure end
    if taken then return number end
  end
end

local function wrong(message)
  return { kind = "wrong", message = message }
end

---Opens the file of the locks, and reads the count of transactions in it.
---@return bide.Locks?
---@return integer|bide.sqlite.Failure noted or failure
local function open_locks(path, is_new)
  local locks, failure = sqlite.locks(path .. "-lock")
  if not locks then return nil, wrong("its file -lock: " .. failure.message) end
  if is_new then files.note_count(locks, 0) end
  local noted, mistake = files.noted_count(locks)
  if noted then return locks, noted end
  locks:close()
  return nil, wrong(mistake)
end

---@return bide.Database?
---@return bide.sqlite.Failure? failure
local function open_database(file, path, noted, wanted)
  local database, failure = sqlite.open(path)
  if not database then return nil, failure end
  local ok
  ok, failure = patiently(function() return prepare(file, database, noted, wanted) end)
  local mistake = ok and files.mistake_beside(path)
  if ok and not mistake then return database end
  database:close()
  return nil, failure or wrong(mistake)
end

---Opens the database and the file of the locks. An existing file of locks is read first, for its count of transactions; a
---missing one is made last, since the database may turn out not to be a journal.
---@return bide.Database?
---@return bide.Locks|bide.sqlite.Failure locks or failure
local function open_both(file, path, is_new, wanted)
  local locks, noted, database, failure
  if luv.fs_lstat(path .. "-lock") then
    locks, noted = open_locks(path, is_new)
    if not locks then return nil, noted end
  end
  database, failure = open_database(file, path, noted or 0, wanted)
  if database and not locks then locks, failure = open_locks(path, is_new) end
  if database and locks then return database, locks end
  if database then database:close() end
  if locks then locks:close() end
  return nil, failure
end

---@param file string as the user named it
---@param path string without links
---@param is_new boolean
---@param wanted integer the least version of the schema
---@return bide.Journal?
---@return bide.sqlite.Failure? failure
local function open(file, path, is_new, wanted)
  local database, locks = open_both(file, path, is_new, wanted)
  if not database then return nil, locks end
  local owner, failure = M.take_lock(locks)
  if not owner then
    database:close()
    locks:close()
    return nil, failure
  end
  local journal = setmetatable({
    file = file, database = database, query = query_of(database), locks = locks, owner = owner, posted = {},
    path = path, place = luv.fs_stat(path) or {}, check_at = 0,
  }, Journal)
  journal.alarm = loop.alarm(flush, journal)
  return journal
end

---@param word? string what the file is called in messages
local function open_file(file, must_exist, wanted, word)
  local known = must_exist and luv.fs_stat(file)
  if must_exist and not known then return nil, describe(file, wrong "no such file", word) end
  local path = files.path(file)
  local mistake, is_new = files.mistake(path)
  if not mistake and known and known.size == 0 then mistake = files.mistake_of_mode(file) or "the file is empty" end
  if mistake then return nil, describe(file, wrong(mistake), word) end
  local journal, failure = open(file, path, is_new or false, wanted)
  if not journal then return nil, describe(file, failure, word) end
  journal.word = word
  return journal
end

---Opens a journal, and creates it if it does not exist. The caller must be allowed to wait.
---@param file string
---@param must_exist? boolean
---@return bide.Journal?
---@return string? mistake
function M.open(file, must_exist)
  return open_file(file, must_exist, schema.VERSION)
end

---Opens a journal that has the tables of a store, and adds them if it does not.
---@param file string
---@param must_exist? boolean
---@return bide.Journal?
---@return string? mistake
function M.open_store(file, must_exist)
  return open_file(file, must_exist, schema.WITH_STORE, "store")
end

local open_ones = {}

---Returns the journal of this process, and opens it on the first call: the given file, that of the command line, or that
---of BIDE_JOURNAL.
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
