---A journal as a spec looks into it, or meddles with it.

local sqlite = require "bide.sqlite"

local M = {}

---Runs statements on a journal that no process has open for long; fails where they do.
---@param file string
---@param sql string
---@param ... any
---@return table[] rows
function M.query(file, sql, ...)
  local database = assert(sqlite.open(file))
  local rows, failure = database:query(sql, ...)
  database:close()
  return rows or error(failure.message, 2)
end

---The bytes of the journal and of all the files that belong to it.
---@param file string
---@return string
function M.bytes(file)
  local texts = {}
  for _, ending in ipairs { "", "-wal", "-shm", "-lock" } do
    local handle = io.open(file .. ending, "rb")
    texts[#texts + 1] = handle and handle:read "a" or ""
    if handle then handle:close() end
  end
  return table.concat(texts)
end

return M
