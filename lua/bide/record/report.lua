---Writes outcomes and events as JSON, with the members in reading order and without secrets.

local core = require "bide.core"
local duration = require "bide.text.duration"
local secret = require "bide.text.secret"
local tables = require "bide.text.tables"

local json = core.json

local M = {}

local attempt_members = { "attempt", "at", "duration", "state", "acceptor", "name", "error", "note", "delay", "woken" }

local outcome_members = {
  "branch", "waiter", "operation", "state", "reason", "acceptor", "name", "message", "attempts", "elapsed", "maxWait",
  "input", "output", "error", "seen", "history", "omitted", "warnings", "traceback",
  "partial",
}

---A text that is already JSON.
local Written = {}
Written.__index = Written

---Returns the encoding options of the members of a record. Secrets are left out unless they are to be shown.
---@param mask bide.SecretMask|false
---@param indent? boolean
local function ways(mask, indent)
  return {
    any = { redact = mask, escape = true, indent = indent },
    input = { redact = mask, escape = true, indent = indent, input = true },
  }
end

---Writes the members that are set, in their order, with `separator` between them.
local function write(members, values, how, separator)
  local texts = {}
  for _, name in ipairs(members) do
    local value = values[name]
    if value ~= nil then
      local text = getmetatable(value) == Written and value.text or assert(json.encode(value, how[name] or how.any))
      texts[#texts + 1] = ("%q: %s"):format(name, text)
    end
  end
  return table.concat(texts, separator)
end

---Writes the history. An attempt is short and takes one line, even in an indented document.
local function write_history(history, how, separator)
  local entries = {}
  for position, attempt in ipairs(history) do
    entries[position] = "{" .. write(attempt_members, attempt, how, ", ") .. "}"
  end
  return setmetatable({ text = table.concat(entries, separator) }, Written)
end

---Returns the mask of a record for printing, or false, and its members.
local function printed(record)
  return not secret.are_shown and secret.of(record), secret.clear(record)
end

---Returns the outcome as an indented JSON document.
---@param record table
---@return string
function M.outcome(record)
  local mask, members = printed(record)
  local history = write_history(record.history, ways(mask), ",\n  ")
  history.text = history.text == "" and "[]" or "[\n  " .. history.text .. "\n]"
  local values = setmetatable({ history = history }, { __index = members })
  return "{\n  " .. write(outcome_members, values, ways(mask, true), ",\n"):gsub("\n", "\n  ") .. "\n}"
end

local event_members = {
  start = { "event", "wait", "time", "branch", "waiter", "operation", "maxWait", "input", "resumed" },
  attempt = tables.joined({ "event", "wait", "time", "branch" }, attempt_members),
  ["end"] = tables.joined({ "event", "wait", "time" }, outcome_members),
}

---Returns the record with its history as JSON on one line.
local function on_one_line(record, values, how)
  if record.history then
    values.history = write_history(record.history, how, ", ")
    values.history.text = "[" .. values.history.text .. "]"
  end
  return setmetatable(values, { __index = record })
end

local fleet_members = { "state", "message", "needed", "count", "succeeded", "failed", "cancelled", "outcomes" }

---Returns the result of a fleet as a JSON document with one outcome a line.
---@param record bide.FleetRecord
---@param names? string[] of the branches
---@return string
function M.fleet(record, names)
  local lines = {}
  for position = 1, record.count do
    local mask, members = printed(record.records[position])
    local how = ways(mask)
    local values = on_one_line(members, { branch = names and names[position] }, how)
    lines[position] = "{" .. write(outcome_members, values, how, ", ") .. "}"
  end
  local outcomes = setmetatable({ text = "[\n    " .. table.concat(lines, ",\n    ") .. "\n  ]" }, Written)
  local values = setmetatable({ outcomes = outcomes }, { __index = record })
  return "{\n  " .. write(fleet_members, values, ways(not secret.are_shown and secret.any()), ",\n  ") .. "\n}"
end

---Returns plain records as a JSON list, one a line.
---@param rows table[]
---@param members string[] their names, in their order
---@return string
function M.rows(rows, members)
  local lines, how = {}, { any = { escape = true } }
  for position, row in ipairs(rows) do lines[position] = "\n  {" .. write(members, row, how, ", ") .. "}" end
  return "[" .. table.concat(lines, ",") .. (#lines > 0 and "\n]" or "]")
end

---Returns the result of a step as one line of JSON, without the line break.
---@param record table
---@param next integer? milliseconds until the next step; nil if the wait has ended
---@param state string? for the next step, if no file has it
---@return string
function M.step(record, next, state)
  local mask, members = printed(record)
  local how = ways(mask)
  local values = {
    outcome = setmetatable({ text = "{" .. write(outcome_members, on_one_line(members, {}, how), how, ", ") .. "}" }, Written),
    next = next and duration.seconds(next), state = state,
  }
  return "{" .. write({ "outcome", "next", "state" }, values, { any = { escape = true } }, ", ") .. "}"
end

---Returns an event as one line of JSON, without the line break, and always without secrets.
---@param event "start"|"attempt"|"end"
---@param wait string the identifier of the wait
---@param time string RFC 3339
---@param record table
---@param branch? string its name
---@return string
function M.event(event, wait, time, record, branch)
  local how = ways(secret.of(record))
  local values = on_one_line(record, { event = event, wait = wait, time = time, branch = branch }, how)
  return "{" .. write(event_members[event], values, how, ", ") .. "}"
end

return M
