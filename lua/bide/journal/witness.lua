---Finds out whether the database has lost anything. SQLite silently drops what stands in its log behind a damaged place,
---and a wait that was begun would be begun once more. So all transactions that waited for the disk are counted twice: in
---the database, and, once they are there, in the file of the locks. A database that counts fewer has lost some.

local fingerprint = require "bide.journal.fingerprint"

local M = {}

local function text_of(count)
  local number = ("%020d"):format(count)
  return ("bide-witness %s %s\n"):format(number, fingerprint(number))
end

---Counts the transaction that runs.
---@param query fun(sql: string, ...): table[]
---@return integer?
function M.count(query)
  query "UPDATE durable SET count = count + 1"
  local row = query("SELECT count FROM durable")[1]
  return row and math.tointeger(row.count)
end

---Notes the count. A note that cannot be written only makes the witness know less.
---@param locks bide.Locks
---@param count integer
function M.note(locks, count)
  locks:write(text_of(count))
end

---@param locks bide.Locks
---@return integer? count 0 where nothing was noted
---@return string? mistake
function M.noted(locks)
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
function M.mistake(file, query, noted)
  local row = query("SELECT count FROM durable")[1]
  local count = row and math.tointeger(row.count)
  if not count then return "it is broken: durable.count: expected a whole number" end
  return count < noted and M.loss(file) or nil
end

return M
