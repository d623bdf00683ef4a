---The reasons for which waits end, a row for each: its exit code, its kind in JUnit's form, and the sentence that explains it.

local core = require "bide.core"
local counted = require "bide.text.counted"
local duration = require "bide.text.duration"
local matchers = require "bide.recipe.waiter.matchers"
local option = require "bide.text.option"
local evidence = require "bide.wait.evidence"
local shown_value = require "bide.wait.shown_value"
local streak = require "bide.recipe.waiter.streak"
local tables = require "bide.text.tables"

local M = {}

-- ---- what is said of a wait -------------------------------------------------------------------

local function effort(wait)
  return ("after %s in %s"):format(counted(wait:made(), "attempt"), duration.format(wait.elapsed))
end

---Returns the words for what the deciding acceptor observed.
local function why_acceptor(wait, acceptor, seen)
  local kind, value = matchers.of(acceptor.matcher)
  local failure = wait.error and evidence.of_error(wait:failure()) or nil
  local words = kind.describe and kind.describe(value, failure, wait)
  if words == matchers.SUCCEEDED then return seen:fact() end
  return words or failure and "the operation answered with the error " .. failure or seen:of_match(acceptor)
end

---The text that an acceptor's own message gives: a string, or strings in a list.
local function own_message(wait, acceptor, mask)
  local path = matchers.message_of(acceptor, wait.input)
  if not path then return nil end
  if wait.error then
    local message = wait:failure().message
    return type(message) == "string" and message ~= "" and message or nil
  end
  return shown_value.text_at(path, wait.output, mask)
end

---The part of an attempt that a script must have held the loop to be named as a cause.
local WORTH_A_WORD = 0.1

---Says why an attempt of `length` milliseconds had no answer when it was cut: its own script or another one ran without
---waiting, or nothing came.
local function words_of_silence(wait, length)
  local held, holder = core.task.hold(wait.state:began())
  if holder == wait then return ": its script ran without waiting" end
  if not held or held < length * WORTH_A_WORD then return " without an answer" end
  return (" without an answer; %s ran for %s of them without waiting"):format(
    holder and "a script of " .. holder.waiter.name or "a script", duration.format(math.min(held, length)))
end

---Returns the words for a wait of which no attempt was answered: what the operation remarked, or how the attempt was cut.
local function nothing_seen(wait)
  if wait.remark then return wait.remark end
  if wait.elapsed < wait.max_wait or wait:made() == 0 or wait.lack then return "nothing was seen" end
  if wait:made() == wait.resumed then return "nothing was seen: no further attempt was made in time" end
  local left = wait.max_wait - (wait.state:began() - wait.state:started())
  if left <= 0 then return ("nothing was seen: attempt %d came too late"):format(wait:made()) end
  local note = wait.note and (" (%s)"):format(wait.note) or ""
  return ("nothing was seen: attempt %d was cut off after %s%s%s"):format(
    wait:made(), duration.format(left), words_of_silence(wait, left), note)
end

---Returns the --until of the command line that do not hold for the last output; nil if there is none.
local function unmet(wait)
  local options = {}
  for _, acceptor in ipairs(wait.waiter.acceptors) do
    for _, part in ipairs(acceptor.option and acceptor.state == "success" and matchers.parts(acceptor) or {}) do
      if not wait.output or wait.error or not matchers.holds(part, wait.output) then options[#options + 1] = part.option end
    end
  end
  return #options > 0 and "unmet: " .. table.concat(options, ", ") or nil
end

---Reports whether an input, or an option, asks about the body of answers.
local function asks_about_body(wait, input)
  for name, member in pairs(wait.waiter.inputs) do
    if member.asks and input[name] ~= nil then return true end
  end
  for _, acceptor in ipairs(wait.waiter.acceptors) do
    if acceptor.matcher.conditions then return true end
  end
  return false
end

---Returns how the body of an error is looked at, where somebody asks about the bodies of answers: `status=2xx,503`.
local function advice_on_status(wait)
  local failure, declared = wait:failure(), (wait.waiter.inputs or {}).status
  local status = failure and failure.status
  local is_error = math.type(status) == "integer" and not require("bide.error_class").is_broken_answer(failure)
  if not is_error or not declared or declared.type ~= "list" then return nil end
  local input = wait.input:value()
  if not asks_about_body(wait, input) then return nil end
  local statuses = tables.joined(input.status)
  statuses[#statuses + 1] = ("%d"):format(status)
  return ("to look into its body, take it for an answer: status=%s"):format(table.concat(statuses, ","))
end

---Returns the words for the last observation, with what the operation remarked, and for what acceptors require if that can
---never match.
local function last_seen(wait, seen)
  local words = seen:line(wait:failure())
  if not words then return nothing_seen(wait) end
  local hold = streak.broken_off(wait.state)
  local parts = { ("last seen: %s%s"):format(words, hold and ", " .. hold or "") }
  parts[#parts + 1] = wait.remark or nil
  parts[#parts + 1] = seen:reason()
  parts[#parts + 1] = not hold and unmet(wait) or nil
  parts[#parts + 1] = advice_on_status(wait)
  parts[#parts + 1] = seen:mismatches()
  return table.concat(parts, "; ")
end

---An option of the wait, as its caller writes it.
local function name_option(wait, ...)
  return wait.limits.name_option(...)
end

---Returns the option --retry-on that means an error by its status, or by its type in other letters; nil if there is none.
local function misnamed(wait, failure)
  local name, status = require("bide.error_class").name_of(failure), tostring(failure.status)
  for _, acceptor in ipairs(wait.waiter.acceptors) do
    local given = acceptor.option and acceptor.matcher.errorType
    if given and (given == status or given:gsub("%W", ""):lower() == name:lower()) then return acceptor.option end
  end
end

---Returns advice on an error that no acceptor matched; nil if there is none.
local function hint(wait, failure)
  local misspelt, error_class = misnamed(wait, failure), require "bide.error_class"
  if misspelt then return ("%s is another type: write %s"):format(misspelt, name_option(wait, "retryOn", failure.type)) end
  if error_class.is_transient(failure) then
    return ("transient: add %s, or a retry acceptor"):format(name_option(wait, "tolerate", "1m"))
  end
  if error_class.is_certificate(failure) then
    return ("a wrong certificate is final; %s waits for it"):format(name_option(wait, "retryOn", failure.type))
  end
end

-- ---- sentences --------------------------------------------------------------------------------

local function by_acceptor(wait, record, seen)
  local acceptor = wait.waiter.acceptors[record.acceptor]
  local verb = record.state == "success" and "succeeded" or "failed"
  if record.name then verb = ("%s (%s)"):format(verb, record.name) end
  local hold = record.state == "success" and streak.held(wait.state)
  local why = own_message(wait, acceptor, seen.mask)
  if not why then
    local reason = record.state == "failure" and seen:reason()
    why = why_acceptor(wait, acceptor, seen) .. (reason and ": " .. reason or "")
  end
  return ("%s %s %s: %s%s%s"):format(record.waiter, verb, effort(wait), why,
    acceptor.option and (" (%s)"):format(acceptor.option) or "", hold and ", " .. hold or "")
end

local function by_unmatched_error(wait, record)
  local failure, used_up = wait:failure(), streak.used_up(wait.state)
  local advice = not used_up and (hint(wait, failure) or advice_on_status(wait))
  return ("%s failed %s: no acceptor matched the error %s%s"):format(record.waiter, effort(wait),
    evidence.of_error(failure), used_up or advice and (" (%s)"):format(advice) or "")
end

local function by_max_attempts(wait, record, seen)
  return ("%s gave up %s (%s); %s"):format(record.waiter, effort(wait),
    name_option(wait, "maxAttempts", (wait.limits or {}).max_attempts or wait:made()), last_seen(wait, seen))
end

---Names what bide itself had none of for an attempt that was cut; empty if it lacked nothing.
local function lack_of(wait)
  return wait.lack and "; bide itself had no " .. wait.lack or ""
end

---Before the deadline, the wait ends because its next attempt would begin after it.
local function by_max_wait(wait, record, seen)
  local limit = name_option(wait, "maxWait", duration.argument(wait.max_wait))
  if wait.queue and wait:made() == 1 then
    return ("%s exceeded %s; it was never asked: %s"):format(record.waiter, limit, wait.queue)
  end
  if wait.elapsed >= wait.max_wait then
    return ("%s exceeded %s %s; %s%s"):format(record.waiter, limit, effort(wait), last_seen(wait, seen), lack_of(wait))
  end
  return ("%s gave up after %s and %s: the next would begin after %s; %s"):format(record.waiter,
    duration.format(wait.elapsed), counted(wait:made(), "attempt"), limit, last_seen(wait, seen))
end

local function by_cancellation(wait, record, seen)
  return ("%s was cancelled %s; %s"):format(record.waiter, effort(wait), last_seen(wait, seen))
end

---Names the process, or the wait, that had to last as long as this one, and has ended.
local function by_end(wait, record, seen)
  return ("%s ended %s: %s; %s"):format(record.waiter, effort(wait), wait.cause, last_seen(wait, seen))
end

local function by_script_error(wait)
  return wait.script_error.message
end

---The sentence of a wait that has not ended, after one of its steps.
local function not_yet(wait, record, seen)
  local words = wait:made() > (wait.resumed or 0) and "; " .. last_seen(wait, seen) or ""
  return ("%s: not yet, %s%s; next in %s"):format(record.waiter, effort(wait), words, duration.format(wait.next_delay))
end

---The sentence of a wait that an earlier step has ended.
local function by_earlier_step(wait, record)
  return ("%s %s %s, in an earlier step"):format(record.waiter, record.state == "success" and "succeeded" or "failed",
    effort(wait))
end

-- ---- rows -------------------------------------------------------------------------------------

---@class bide.Reason
---@field exit_code integer? of a failure for this reason; that of a cancelled wait is the signal's
---@field junit ("failure"|"error")? the kind of a failure; nil where that depends on other waits
---@field sentence fun(wait: bide.Wait, record: table, seen: bide.Evidence): string

---The name of the reason for which a wait ended.
---@alias bide.ReasonName "acceptor"|"unmatchedError"|"maxAttempts"|"maxWait"|"scriptError"|"cancelled"|"ended"

---The reasons of the core, and those of a wait that never came to a decision.
---@type table<string, bide.Reason>
M.rows = {
  acceptor = { exit_code = 1, junit = "failure", sentence = by_acceptor },
  unmatchedError = { exit_code = 3, junit = "failure", sentence = by_unmatched_error },
  maxAttempts = { exit_code = 4, junit = "failure", sentence = by_max_attempts },
  maxWait = { exit_code = 124, junit = "failure", sentence = by_max_wait },
  scriptError = { exit_code = 5, junit = "error", sentence = by_script_error },
  cancelled = { sentence = by_cancellation },
  ended = { exit_code = 1, junit = "failure", sentence = by_end },
}

---Returns the sentence that explains how a wait ended, or that it has not ended yet.
---@param wait bide.Wait
---@param record table
---@param seen bide.Evidence
---@return string
function M.sentence(wait, record, seen)
  if wait.ended_earlier then return by_earlier_step(wait, record) end
  local row = M.rows[record.reason]
  return (row and row.sentence or not_yet)(wait, record, seen)
end

---Reports whether a wait of a waiter can end like this: a success comes from an acceptor for success.
---@param waiter bide.Waiter
---@param ended bide.StepEnd
function M.can_end(waiter, ended)
  local acceptor = waiter.acceptors[ended.acceptor]
  if ended.reason == "acceptor" then return acceptor ~= nil and acceptor.state == ended.state end
  return ended.state == "failure" and not ended.acceptor and M.rows[ended.reason] ~= nil
end

---Reports whether a wait of several has failed, and was not just cancelled.
---@param record table
---@return boolean
function M.is_failure(record)
  return record.state ~= "success" and record.reason ~= "cancelled"
end

---The names of all reasons.
M.names = core.wait.names().reasons
table.move({ "cancelled", "ended", "scriptError" }, 1, 3, #M.names + 1, M.names)
option.check_rows("reason", M.rows, M.names)

return M
