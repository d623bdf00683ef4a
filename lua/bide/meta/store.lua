---@meta bide.store
---SQLite databases, and locks that end with their process. Nothing here waits: what another
---process holds is a failure of the kind "busy".

---@class bide.store
---@field version string of SQLite
local store = {}

---@class bide.store.Failure
---@field kind "busy"|"full"|"read-only"|"foreign"|"corrupt"|"failed"
---@field message string what SQLite or the system says

---@class bide.Database: userdata
local Database = {}

---Runs one statement to its end. It is prepared once and kept.
---@param sql string with a ? for each value
---@param ... string|number|boolean|nil
---@return table<string, any>[]? rows their columns by name; NULL is nil
---@return bide.store.Failure? failure
function Database:query(sql, ...) end

---Runs statements without parameters, and drops what they give.
---@param sql string
---@return true?
---@return bide.store.Failure? failure
function Database:script(sql) end

---Runs f as a transaction, which is undone where f raises, or where its task is stopped. f cannot wait.
---@generic T
---@param f fun(): T
---@return T? result what f returned
---@return bide.store.Failure? failure
function Database:transact(f) end

---How many rows the last statement changed that changes rows.
---@return integer
function Database:changes() end

---The id of the row that was inserted last.
---@return integer
function Database:last_row() end

---Has the files beside the database stay when it is closed.
function Database:keep_files() end

function Database:close() end

---Locks by number. Who holds one holds it until it closes the file or its process ends, however it ends.
---@class bide.Locks: userdata
local Locks = {}

---@param number integer 0 or more
---@return boolean? taken whether it was free
---@return bide.store.Failure? failure
function Locks:take(number) end

---Whether another holds it: another process, or another open of the file.
---@param number integer
---@return boolean?
---@return bide.store.Failure? failure
function Locks:is_taken(number) end

---Puts a short text at the beginning of the file.
---@param text string
---@return boolean written
function Locks:write(text) end

---The first bytes of the file, up to 64.
---@return string
function Locks:read() end

function Locks:close() end

---The effective user of this process.
---@return integer
function store.user() end

---Opens a database that exists; an empty file is an empty one. No part of its path may be a link.
---@param file string
---@return bide.Database?
---@return bide.store.Failure? failure
function store.open(file) end

---@param file string made, for its owner alone, where it is missing; no link, and nobody else's
---@return bide.Locks?
---@return bide.store.Failure? failure
function store.locks(file) end

return store
