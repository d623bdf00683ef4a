---Outcomes and events as JSON: members in the order people read them in, secrets
---taken out.

local core = require "bide.core"

local json = core.json

local M = {}

local attempt_members = { "attempt", "at", "duration", "state", "acceptor", "name", "error", "note", "delay" }

local outcome_members = {
  "waiter", "operation", "state", "reason", "acceptor", "name", "message", "attempts", "elapsed", "maxWait",
  "input", "output", "error", "seen", "history", "omitted", "traceback",
}

local compact = { redact = true, escape = true }
local indented = { redact = true, escape = true, indent = true }

---A text that is JSON already.
local Written = {}
Written.__index = Written

---Writes the members that are there, in their order, with `separator` between them.
local function write(members, values, options, separator)
  local texts = {}
  for _, name in ipairs(members) do
    local value = values[name]
    if value ~= nil then
      local text = getmetatable(value) == Written and value.text or assert(json.encode(value, options))
      texts[#texts + 1] = ("%q: %s"):format(name, text)
    end
  end
  return table.concat(texts, separator)
end

---An attempt is short: it stands on a line of its own, whatever surrounds it.
local function write_history(history, separator)
  local entries = {}
  for position, attempt in ipairs(history) do
    entries[position] = "{" .. write(attempt_members, attempt, compact, ", ") .. "}"
  end
  return setmetatable({ text = table.concat(entries, separator) }, Written)
end

---The outcome as a JSON document over several lines.
---@param record table
---@return string
function M.outcome(record)
  local history = write_history(record.history, ",\n  ")
  history.text = history.text == "" and "[]" or "[\n  " .. history.text .. "\n]"
  local values = setmetatable({ history = history }, { __index = record })
  return "{\n  " .. write(outcome_members, values, indented, ",\n"):gsub("\n", "\n  ") .. "\n}"
end

local function prepend(names, members)
  return table.move(members, 1, #members, #names + 1, names)
end

local event_members = {
  start = { "event", "wait", "time", "waiter", "operation", "maxWait", "input", "resumed" },
  attempt = prepend({ "event", "wait", "time" }, attempt_members),
  ["end"] = prepend({ "event", "wait", "time" }, outcome_members),
}

---The same record with its history as JSON on one line.
local function on_one_line(record, values)
  if record.history then
    values.history = write_history(record.history, ", ")
    values.history.text = "[" .. values.history.text .. "]"
  end
  return setmetatable(values, { __index = record })
end

local fleet_members = { "state", "message", "needed", "count", "succeeded", "failed", "cancelled", "outcomes" }

---The result of many waits as a JSON document, an outcome a line.
---@param record bide.FleetRecord
---@return string
function M.fleet(record)
  local lines = {}
  for position = 1, record.count do
    local branch = record.records[position]
    lines[position] = "{" .. write(outcome_members, on_one_line(branch, {}), compact, ", ") .. "}"
  end
  local outcomes = setmetatable({ text = "[\n    " .. table.concat(lines, ",\n    ") .. "\n  ]" }, Written)
  local values = setmetatable({ outcomes = outcomes }, { __index = record })
  return "{\n  " .. write(fleet_members, values, compact, ",\n  ") .. "\n}"
end

---An event as one line of JSON, without the line's end.
---@param event "start"|"attempt"|"end"
---@param wait string the identifier of the wait
---@param time string RFC 3339
---@param record table
---@return string
function M.event(event, wait, time, record)
  local values = on_one_line(record, { event = event, wait = wait, time = time })
  return "{" .. write(event_members[event], values, compact, ", ") .. "}"
end

return M
