---What happened within one attempt that people want to read of: how often something was tried again, and what
---it was cut in. The note of the attempt's history entry tells it, and of tries that have all failed the
---operation error that is left.

local core = require "bide.core"

local M = {}

---What a task has to say: `retries`, `remark`, and its notes as a list; most tasks have nothing.
local story_of = setmetatable({}, { __mode = "k" })

---Tries by response.
local tries_of = setmetatable({}, { __mode = "k" })

---More notes help nobody.
local MOST_NOTES = 4

---The story of the task that runs, nil outside of all tasks.
local function story()
  local task = core.task.current()
  if not task then return nil end
  story_of[task] = story_of[task] or {}
  return story_of[task]
end

---Lets a task that the running one has started tell its story as a part of that one's.
---@param child bide.Task
function M.inherit(child)
  story_of[child] = story()
end

---Counts a retry of the task that runs.
function M.add_retry()
  local told = story()
  if told then told.retries = (told.retries or 0) + 1 end
end

---Lets the attempt of the task that runs say something, in place of what it said before.
---@param remark string?
function M.remark(remark)
  local told = story()
  if told then told.remark = remark end
end

---Lets the attempt of the task that runs say something beside all else, once.
---@param text string?
function M.note(text)
  local told = text and story()
  if not told or #told == MOST_NOTES then return end
  for _, earlier in ipairs(told) do
    if earlier == text then return end
  end
  told[#told + 1] = text
end

---Two notes as one.
---@param first string?
---@param second string?
---@return string?
function M.join(first, second)
  return first and second and ("%s; %s"):format(first, second) or first or second
end

---What is to be said of a task: how often it retried, its remark and its notes; nil for nothing.
---@param task bide.Task
---@return string?
function M.of_task(task)
  local told = story_of[task]
  if not told then return nil end
  local retries = told.retries and ("%d %s"):format(told.retries, told.retries == 1 and "retry" or "retries")
  return M.join(M.join(retries, told.remark), told[1] and table.concat(told, "; "))
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
