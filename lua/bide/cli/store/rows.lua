---The rows of a store as a person or a script reads them.

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

return M
