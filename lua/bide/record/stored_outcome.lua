---An outcome as it is written into a record, without its secrets, and as it is read again.

local core = require "bide.core"
local secret = require "bide.text.secret"
local tables = require "bide.text.tables"

local json = core.json

local M = {}

---Returns an outcome as JSON.
---@param record table
---@return string
function M.encode(record)
  return assert(json.encode(record, { redact = secret.of(record) }))
end

---The members that stay documents, so that their own members keep their order.
local documents = {}
for _, name in ipairs { "input", "output", "error" } do
  documents[name] = assert(core.jmespath.compile(name))
end

---Returns the record of an outcome. It has no mask of secrets yet.
---@param whole userdata a document
---@param record? table its value, where it is known
---@return table record
function M.decode(whole, record)
  record = record or whole:value()
  for name, expression in pairs(documents) do
    if record[name] ~= nil then record[name] = expression:query(whole) end
  end
  for position, one in ipairs(record.seen or {}) do
    one.value = assert(core.jmespath.compile(("seen[%d].value"):format(position - 1))):query(whole)
  end
  return record
end

---Returns an entry of a history.
---@param text string JSON
---@return table
function M.decode_entry(text)
  local entry = assert(json.read(text)):value()
  entry.error = entry.error and json.document(entry.error)
  return entry
end

---Reports whether two inputs are one. Secrets are left out of both, and may be renewed.
---@param one any
---@param other any
---@return boolean
function M.is_same_input(one, other)
  for _, text in ipairs { one, other } do
    if type(text) == "string" and secret.is_masked(text) then return true end
  end
  if type(one) ~= "table" or type(other) ~= "table" then return one == other end
  for name in pairs(tables.merged(one, other)) do
    if not M.is_same_input(one[name], other[name]) then return false end
  end
  return true
end

return M
