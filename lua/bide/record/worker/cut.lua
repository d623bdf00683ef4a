---Encodes outcomes and entries of histories without what is too large for a store: a note in its place has the size.

local core = require "bide.core"
local secret = require "bide.text.secret"
local stored_outcome = require "bide.record.stored_outcome"
local verbs = require "bide.record.store.verbs"

local json = core.json

local M = {}

---@param bytes integer
---@return string
local function note(bytes)
  local in_megabytes = bytes >= 100000
  return ("[left out: %.1f %s]"):format(bytes / (in_megabytes and 1e6 or 1e3), in_megabytes and "MB" or "kB")
end

---Returns what is left of a large error.
---@param failure userdata a document
---@return userdata document
local function short_error(failure, bytes)
  local members = failure:value()
  return json.document { type = members.type, status = members.status, message = note(bytes) }
end

---Returns an outcome as JSON. A large output is left out, with what conditions have seen of it; of a large error, the type and
---the status are left.
---@param record table
---@return string
function M.outcome(record)
  local text = stored_outcome.encode(record)
  if #text <= verbs.most.outcome then return text end
  local output, failure = record.output and #record.output:json() or 0, record.error and #record.error:json() or 0
  record.seen = nil
  if output > verbs.most.output then record.output = json.read(('"%s"'):format(note(output))) end
  if failure > verbs.most.output then record.error = short_error(record.error, failure) end
  return stored_outcome.encode(record)
end

---Returns an entry as JSON. Of a large error, the type and the status are left.
---@param wait bide.Wait
---@param entry table
---@return string
function M.entry(wait, entry)
  local mask = secret.of_entry(wait, entry)
  local text = assert(json.encode(entry, { redact = mask }))
  if #text <= verbs.most.entry then return text end
  local short = {}
  for name, value in pairs(entry) do short[name] = value end
  short.note = entry.note and #entry.note <= verbs.most.entry // 2 and entry.note or nil
  short.error = entry.error and short_error(entry.error, #text)
  return assert(json.encode(short, { redact = mask }))
end

return M
