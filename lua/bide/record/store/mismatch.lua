---Finds where a request differs from the one that has made the run of its submit token.

local core = require "bide.core"
local requests = require "bide.record.journal.requests"

local json = core.json

local M = {}

---The request that has made a run.
---@class bide.record.Made
---@field run integer
---@field queue string
---@field lane integer
---@field need integer
---@field keeps_going boolean
---@field jobs? integer
---@field waits integer

---@class bide.record.MadeWait
---@field waiter string
---@field input string JSON
---@field body string JSON, of its definition

---Returns the path in which two JSON texts differ.
---@param name string
---@return string?
local function difference(name, before, now)
  if before == now then return nil end
  local path = requests.difference(json.decode(before), json.decode(now))
  return path and (path == "" and name or path:sub(1, 1) == "[" and name .. path or ("%s.%s"):format(name, path)) or name
end

---@param before bide.record.MadeWait
---@param wait bide.record.NewWait
---@return string?
local function of_wait(before, wait)
  if before.waiter ~= wait.definition.waiter then return "waiter" end
  return difference("input", before.input, wait.input) or difference("options", before.body, wait.definition.body)
end

---@param made bide.record.Made
---@param run bide.record.NewRun
---@param page fun(after: integer): bide.record.MadeWait[]? its waits behind a position, some of them; nil if it failed
---@return string? path nil if nothing of it can be found in the store
local function find(made, run, page)
  local rows, first, count, path = {}, 1, 0, nil
  run.each(function(wait)
    count = count + 1
    if path or count > made.waits then return end
    if not rows[count - first + 1] then rows, first = page(count - 1) or {}, count end
    local before = rows[count - first + 1]
    local differs = before and of_wait(before, wait)
    if differs then path = made.waits > 1 and ("waits[%d].%s"):format(count, differs) or differs end
  end)
  if count ~= made.waits then return ("the number of waits (%d before, %d now)"):format(made.waits, count) end
  if made.queue ~= run.queue then return "queue" end
  if path then return path end
  if made.need ~= run.need then return "need" end
  if made.keeps_going ~= run.keeps_going then return "keepsGoing" end
  if made.jobs ~= run.jobs then return "jobs" end
  return made.lane ~= run.lane and "priority" or nil
end

---Returns the sentence that refuses the request. It reads all of the request's waits once more.
---@param made bide.record.Made
---@param run bide.record.NewRun
---@param page fun(after: integer): bide.record.MadeWait[]?
---@return string
function M.describe(made, run, page)
  return ("IdempotentParameterMismatch: run %d was submitted with this token, and is another request: %s differs")
    :format(made.run, find(made, run, page) or "the history or the token of a wait")
end

return M
