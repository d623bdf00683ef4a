---Collects what people want to know about one attempt: how often something was retried, and during what the deadline
---cut it. The note of the attempt's history entry contains it. If all tries of a request failed, its operation error
---contains their number.

local core = require "bide.core"
local tables = require "bide.text.tables"

local M = {}

---The report of each task: `retries`, `remark`, `lack`, `repeated`, `odd`, `caution`, and its notes as a list. Most tasks have
---none.
local report_of = setmetatable({}, { __mode = "k" })

---True once there was a report or an announced note. Most waits have none, and look for none.
M.are_any = false

---The tries of responses.
local tries_of = setmetatable({}, { __mode = "k" })

---The most notes of an attempt.
local MOST_NOTES = 4

---Returns the report of the running task; nil outside of all tasks.
local function report()
  local task = core.task.current()
  if not task then return nil end
  M.are_any, report_of[task] = true, report_of[task] or {}
  return report_of[task]
end

---Makes a task that the running one has started share its report.
---@param child bide.Task
function M.inherit(child)
  report_of[child] = report()
end

---Counts a retry of the running task.
function M.add_retry()
  local own = report()
  if own then own.retries = (own.retries or 0) + 1 end
end

---Sets the remark of the running task, in place of an earlier one.
---@param remark string?
function M.remark(remark)
  local own = report()
  if own then own.remark = remark end
end

---Adds a note to the report of the running task, unless it is there already.
---@param text string?
function M.note(text)
  local own = text and report()
  if not own or #own == MOST_NOTES or tables.has(own, text) then return end
  own[#own + 1] = text
end

---Sets what a person has to know of the running attempt if it is the one that succeeds.
---@param words string
function M.caution(words)
  local own = report()
  if own then own.caution = words end
end

---Adds the note of an answer whose text has another value than the one that was read, and keeps which members were given
---twice in it with different values.
---@param text string?
---@param repeated bide.json.Repeated?
function M.repaired(text, repeated)
  M.note(text)
  local own = repeated and report()
  if not own then return end
  local is_whole = repeated ~= true and own.repeated ~= true
  own.repeated = not is_whole and true or (own.repeated or "") .. repeated
end

---A member of an answer that is not what the model says, and the names that lead there.
---@alias bide.OddMember { names: string[], words: string }

---Reports whether an answer that the running task has seen gives a member twice with different values.
---@param member string
---@return boolean
function M.is_repeated(member)
  local own = report_of[core.task.current()]
  local repeated = own and own.repeated
  return repeated == true or repeated ~= nil and ("\0" .. repeated):find(("\0%s\0"):format(member), 1, true) ~= nil
end

---Returns why nothing can be decided by a member.
---@param member string which is_repeated
function M.words_of_repeated(member)
  return ("%s is there twice in the answer, with different values"):format(member)
end

---Cautions of an output that an operation has made itself, out of an answer with a member twice: conditions cannot know what it
---has read.
function M.caution_of_made_output()
  local own = report_of[core.task.current()]
  local repeated = own and own.repeated
  if not repeated or own.caution then return end
  local member = type(repeated) == "string" and repeated:match "^[^%z]*" or "a member"
  own.caution = M.words_of_repeated(member) .. ", and the operation may have read either"
end

---Adds the note of a member of an answer that is not what the model says, and keeps which member that is.
---@param names string[] that lead to the member
---@param words string
function M.odd(names, words)
  M.note(words)
  local own, key = report(), table.concat(names, "\0")
  if not own then return end
  own.odd = own.odd or {}
  if own.odd[key] then return end
  own.odd[key] = true
  table.insert(own.odd, { names = names, words = words })
end

---Returns the members of answers that the running task has seen, of which no condition can be asked.
---@return bide.json.Repeated? repeated those that were given twice with different values
---@return bide.OddMember[]? odd those that are not what the model says
function M.doubts()
  local own = report_of[core.task.current()]
  if own then return own.repeated, own.odd end
end

---The note for the attempt that ends next.
local announced

---Adds a note to the report of the attempt that ends next, whichever task runs: of what all waits share.
---@param text string
function M.announce(text)
  M.are_any, announced = true, text
end

---Sets what bide itself has none of for the running task, which waits for it; nil once the task has it.
---@param lack string?
function M.lack(lack)
  local own = report()
  if not own then return end
  own.lack = lack
  if lack then M.note("waited, since bide had no " .. lack) end
end

---Sets what the running task waits for and bide itself has to get first, as `lack` does; no note says it of an attempt that
---gets it.
---@param lack string?
function M.expect(lack)
  local own = report()
  if own then own.lack = lack end
end

---Sets the line in which the running task ended, before it had sent anything: the rate and the host; false once it was
---admitted from one, since it has then sent something.
---@param words string|false
function M.queue(words)
  local own = report()
  if own and own.queue ~= false then own.queue = words end
end

---Joins two notes.
---@param first string?
---@param second string?
---@return string?
function M.join(first, second)
  return first and second and ("%s; %s"):format(first, second) or first or second
end

---Returns the report of a task that has ended.
---@param task bide.Task
---@return string? note how often it retried, its remark and its notes; nil if there is none
---@return string? lack what it was waiting for, of what bide lacked
---@return string? queue the line in which it ended before it had sent anything
---@return string? remark
---@return string? caution
function M.of_task(task)
  local own = report_of[task] or announced and {}
  if not own then return nil end
  own[#own + 1], announced = announced, nil
  local retries = own.retries and ("%d %s"):format(own.retries, own.retries == 1 and "retry" or "retries")
  return M.join(M.join(retries, own.remark), own[1] and table.concat(own, "; ")), own.lack, own.queue or nil, own.remark,
    own.caution
end

---Records how many tries it took to get a response, for its operation error.
---@param response bide.http.Response
---@param tries integer
function M.remember(response, tries)
  tries_of[response] = tries > 1 and tries or nil
end

---@param response any
---@return integer? tries nil if it took one
function M.of_response(response)
  return tries_of[response]
end

---Returns a copy of an operation error with its number of tries; the error itself if that is one.
---@param failure bide.OperationError
---@param tries integer?
---@return bide.OperationError
function M.with_tries(failure, tries)
  if not tries or tries < 2 then return failure end
  local copy = setmetatable({}, getmetatable(failure))
  for name, value in next, failure do copy[name] = value end
  copy.tries = tries
  local said = type(failure.message) == "string" and failure.message .. ", " or ""
  copy.message = ("%safter %d tries"):format(said, tries)
  return copy
end

return M
