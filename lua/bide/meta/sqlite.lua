---@meta bide.sqlite
---SQLite databases, and locks that end with their process. No function waits: if another process holds a lock, that is a
---failure of the kind "busy".

---@class bide.sqlite
---@field version string of SQLite
local sqlite = {}

---@class bide.sqlite.Failure
---@field kind "busy"|"full"|"read-only"|"foreign"|"corrupt"|"statement"|"failed" "statement": it does not fit the tables
---@field message string the words of SQLite or the system

---@class bide.Database: userdata
local Database = {}

---Runs one statement to its end. The statement is prepared once and kept.
---@param sql string with a ? for each value
---@param ... string|number|boolean|nil
---@return table<string, any>[]? rows their columns by name; NULL is nil
---@return bide.sqlite.Failure? failure
function Database:query(sql, ...) end

---Runs statements without parameters, and discards their results.
---@param sql string
---@return true?
---@return bide.sqlite.Failure? failure
function Database:script(sql) end

---Runs f as a transaction, which is undone if f raises an error or its task is stopped. f cannot wait.
---@generic T
---@param f fun(): T
---@return T? result what f returned
---@return bide.sqlite.Failure? failure
function Database:transact(f) end

---Returns the number of rows changed by the last statement that changes rows.
---@return integer
function Database:changes() end

---Returns the id of the row that was inserted last.
---@return integer
function Database:last_row() end

---Makes the files beside the database stay when it is closed.
function Database:keep_files() end

function Database:close() end

---Locks by number. A lock is held until its holder closes the file or its process ends, for whatever reason.
---@class bide.Locks: userdata
local Locks = {}

---@param number integer 0 or more
---@return boolean? taken whether it was free
---@return bide.sqlite.Failure? failure
function Locks:take(number) end

---Reports whether a lock is held by another process, or by another open of the file.
---@param number integer
---@return boolean?
---@return bide.sqlite.Failure? failure
function Locks:is_taken(number) end

---Writes a short text at the beginning of the file.
---@param text string
---@return boolean written
function Locks:write(text) end

---Returns the first bytes of the file, up to 64.
---@return string
function Locks:read() end

function Locks:close() end

---Returns the effective user of this process.
---@return integer
function sqlite.user() end

---Opens an existing database; an empty file is an empty database. No part of its path may be a link.
---@param file string
---@return bide.Database?
---@return bide.sqlite.Failure? failure
function sqlite.open(file) end

---@param file string created as private to its owner if it is missing; not a link, and not another user's
---@return bide.Locks?
---@return bide.sqlite.Failure? failure
function sqlite.locks(file) end

return sqlite
