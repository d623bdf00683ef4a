---How often something was tried within one attempt, told where people read of it: in the note of the
---attempt's history entry, and in the operation error that is left when all tries have failed.

local core = require "bide.core"

local M = {}

---Retries by task, and tries by response; most attempts have neither.
local retries_of = setmetatable({}, { __mode = "k" })
local tries_of = setmetatable({}, { __mode = "k" })

---Counts retries of the task that runs.
---@param count integer
function M.add_retries(count)
  local task = core.task.current()
  if task and count > 0 then retries_of[task] = (retries_of[task] or 0) + count end
end

---How often a task retried; nil for never.
---@param task bide.Task
---@return integer?
function M.of_task(task)
  return retries_of[task]
end

---The note of an attempt: how often it retried, before what else is to be said.
---@param retries integer?
---@param note string?
---@return string?
function M.note(retries, note)
  if not retries then return note end
  local text = ("%d %s"):format(retries, retries == 1 and "retry" or "retries")
  return note and ("%s; %s"):format(text, note) or text
end

---Remembers how many tries a response is the last of; its operation error will tell.
---@param response bide.http.Response
---@param tries integer
function M.remember(response, tries)
  tries_of[response] = tries > 1 and tries or nil
end

---@param response any
---@return integer? tries nil where it was one
function M.of_response(response)
  return tries_of[response]
end

---A copy of an operation error that says how many tries it took; the error itself for one.
---@param failure bide.OperationError
---@param tries integer?
---@return bide.OperationError
function M.tell(failure, tries)
  if not tries or tries < 2 then return failure end
  local told = setmetatable({}, getmetatable(failure))
  for name, value in next, failure do told[name] = value end
  told.tries = tries
  local said = type(failure.message) == "string" and failure.message .. ", " or ""
  told.message = ("%safter %d tries"):format(said, tries)
  return told
end

return M
