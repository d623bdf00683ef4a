---The rows of a store as a person or a script reads them.

local option = require "bide.text.option"
local tables = require "bide.text.tables"
local verbs = require "bide.record.store.verbs"

local M = {}

---@param microseconds integer? since 1970
---@return string? RFC 3339
function M.time(microseconds)
  return microseconds and os.date("!%Y-%m-%dT%H:%M:%SZ", microseconds // 1000000) --[[@as string]]
end

---A run of a store.
---@class bide.store.Run
---@field run integer its number
---@field state "open"|"success"|"failure"
---@field queue string
---@field waiter string of its first wait
---@field recipe string
---@field began string RFC 3339
---@field deadline string
---@field ended string?
---@field waits integer how many it has
---@field open integer of them, which have not ended
---@field succeeded integer
---@field failed integer
---@field cancelled integer
---@field attempts integer

---@param row bide.record.RunRow
---@return bide.store.Run
function M.run(row)
  return {
    run = row.run, state = row.state or "open", queue = row.queue, waiter = row.waiter or "?", recipe = row.recipe or "?",
    began = M.time(row.began), deadline = M.time(row.deadline), ended = M.time(row.ended), waits = row.waits, open = row.open,
    succeeded = row.succeeded, failed = row.failed, cancelled = row.cancelled, attempts = row.attempts,
  }
end

---Lists runs of one store. That a queue has none is said only of one that the store has: a name that is misspelt has none, too.
---@param store bide.Store
---@param filter { state: "open"|"ended"|nil, queue: string?, limit: integer?, after: integer? }
---@return bide.record.Listed? listed
---@return bide.record.Failure? failure
local function list(store, filter)
  local found, failure = store:list(tables.merged({ what = "runs" }, filter))
  if not found or #found.runs + #found.broken > 0 or not filter.queue then return found, failure end
  local queues
  queues, failure = store:list { what = "queues" }
  if not queues then return nil, failure end
  local known = { default = true }
  for _, row in ipairs(queues.queues) do known[row.name] = true end
  if known[filter.queue] then return found end
  return nil, verbs.failure("refused", "the queue %s: %s", filter.queue,
    option.unknown("queue", filter.queue, option.sorted_names(known)))
end

---Lists the runs of stores, those with lower numbers first, which those of lower cells have.
---@param cells bide.record.Cells
---@param filter { state: "open"|"ended"|nil, queue: string?, limit: integer?, after: integer? }
---@return bide.record.Listed? listed
---@return bide.record.Failure? failure
function M.list(cells, filter)
  local listed = { runs = {}, broken = {} }
  local done, failure = cells:each(function(store)
    local limit = (filter.limit or 100) - #listed.runs - #listed.broken
    if limit == 0 then return true end
    local found, failure = list(store, tables.merged(filter, { limit = limit }))
    if not found then return nil, failure end
    tables.append(listed.runs, found.runs)
    tables.append(listed.broken, found.broken)
    return true
  end)
  return done and listed, failure
end

return M
