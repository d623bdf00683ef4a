---The outcome: how a wait ended, and everything that explains the end.

local core = require "bide.core"
local duration = require "bide.text.duration"
local error_class = require "bide.error_class"
local matchers = require "bide.recipe.matchers"
local option = require "bide.text.option"
local script_error = require "bide.text.script_error"
local sealed = require("bide.text.objects").sealed
local secret = require "bide.text.secret"
local evidence = require "bide.wait.evidence"
local streak = require "bide.recipe.streak"

local M = {}

---@class bide.Outcome
---@field waiter string
---@field operation string?
---@field state "success"|"failure"
---@field reason "acceptor"|"unmatchedError"|"maxAttempts"|"maxWait"|"cancelled"|"scriptError"
---@field acceptor integer? the position, from 1, of the acceptor that decided
---@field name string? the name of that acceptor
---@field message string
---@field attempts integer
---@field elapsed number seconds
---@field maxWait number seconds
---@field input any
---@field output any the last output seen, on every end
---@field error table? the last operation error seen, on every end
---@field seen { acceptor: integer, path: string, value: any }[]? the values of the acceptors' paths in that output
---@field history bide.Attempt[]
---@field omitted integer? the number of attempts left out of the middle of the history
---@field warnings string[]? of a success: what its --fail never looked at
---@field traceback string? of a script error

local Outcome = {}
Outcome.__index = sealed(Outcome)
function Outcome.__tostring(self) return secret.clear(self).message end

---@param value any
---@return boolean
function M.is(value)
  return getmetatable(value) == Outcome
end

local function plural(count, word)
  return ("%d %s%s"):format(count, word, count == 1 and "" or "s")
end

local function effort(wait)
  return ("after %s in %s"):format(plural(wait.attempts, "attempt"), duration.format(wait.elapsed))
end

---Returns the words for what the deciding acceptor observed.
local function why_acceptor(wait, acceptor, mask)
  local kind, value = matchers.of(acceptor.matcher)
  local failure = wait.error and evidence.of_error(wait:failure()) or nil
  local words = kind.describe and kind.describe(value, failure, wait)
  if words == matchers.SUCCEEDED then return evidence.fact(wait, mask) end
  return words or failure and "the operation answered with the error " .. failure
    or evidence.of_match(acceptor, wait.input, wait.output, mask)
end

---The text that an acceptor's own message gives: a string, or strings in a list.
local function own_message(wait, acceptor, mask)
  local path = matchers.message_of(acceptor, wait.input)
  if not path then return nil end
  if wait.error then
    local message = wait:failure().message
    return type(message) == "string" and message ~= "" and message or nil
  end
  local value = evidence.value_of(path, wait.output, mask)
  value = value and value:value()
  if type(value) == "table" then
    for _, text in ipairs(value) do
      if type(text) ~= "string" then return nil end
    end
    value = #value > 0 and table.concat(value, ", ") or nil
  end
  return type(value) == "string" and value ~= "" and value or nil
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
  if wait.elapsed < wait.max_wait or wait.attempts == 0 or wait.lack then return "nothing was seen" end
  local left = wait.max_wait - (wait.state:began() - wait.state:started())
  if left <= 0 then return ("nothing was seen: attempt %d came too late"):format(wait.attempts) end
  local note = wait.note and (" (%s)"):format(wait.note) or ""
  return ("nothing was seen: attempt %d was cut off after %s%s%s"):format(
    wait.attempts, duration.format(left), words_of_silence(wait, left), note)
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

---Returns how the body of an error is looked at, where somebody asks about the JSON of answers: `status=2xx,503`.
local function advice_on_status(wait)
  local failure, declared = wait:failure(), (wait.waiter.inputs or {}).status
  local status = failure and failure.status
  if math.type(status) ~= "integer" or not declared or declared.type ~= "list" then return nil end
  local input, has_options = wait.input:value(), false
  for _, acceptor in ipairs(wait.waiter.acceptors) do has_options = has_options or acceptor.matcher.conditions ~= nil end
  if not has_options and not input.path then return nil end
  local statuses = table.move(input.status or {}, 1, #(input.status or {}), 1, {})
  statuses[#statuses + 1] = ("%d"):format(status)
  return ("to look into its body, take it for an answer: status=%s"):format(table.concat(statuses, ","))
end

---Returns the words for the last observation, and for what acceptors require if that can never match.
local function last_seen(wait, mask)
  local words = evidence.of_wait(wait, wait:failure(), mask)
  if not words then return nothing_seen(wait) end
  local hold = streak.broken_off(wait.state)
  local parts = { ("last seen: %s%s"):format(words, hold and ", " .. hold or "") }
  parts[#parts + 1] = not hold and unmet(wait) or nil
  parts[#parts + 1] = advice_on_status(wait)
  parts[#parts + 1] = evidence.mismatches(wait, mask)
  return table.concat(parts, "; ")
end

---An option of the wait, as its caller writes it.
local function name_option(wait, ...)
  return wait.limits.name_option(...)
end

---Returns advice on an error that no acceptor matched; nil if there is none.
local function hint(wait, failure)
  if error_class.is_transient(failure) then
    return ("transient: add %s, or a retry acceptor"):format(name_option(wait, "tolerate", "1m"))
  end
  if error_class.is_certificate(failure) then
    return ("a wrong certificate is final; %s waits for it"):format(name_option(wait, "retryOn", failure.type))
  end
end

local sentences = {}

function sentences.acceptor(wait, record, mask)
  local acceptor = wait.waiter.acceptors[record.acceptor]
  local verb = record.state == "success" and "succeeded" or "failed"
  if record.name then verb = ("%s (%s)"):format(verb, record.name) end
  local hold = record.state == "success" and streak.held(wait.state)
  local why = own_message(wait, acceptor, mask) or why_acceptor(wait, acceptor, mask)
  return ("%s %s %s: %s%s%s"):format(record.waiter, verb, effort(wait), why,
    acceptor.option and (" (%s)"):format(acceptor.option) or "", hold and ", " .. hold or "")
end

function sentences.unmatchedError(wait, record)
  local failure, used_up = wait:failure(), streak.used_up(wait.state)
  local advice = not used_up and (hint(wait, failure) or advice_on_status(wait))
  return ("%s failed %s: no acceptor matched the error %s%s"):format(record.waiter, effort(wait),
    evidence.of_error(failure), used_up or advice and (" (%s)"):format(advice) or "")
end

function sentences.maxAttempts(wait, record, mask)
  return ("%s gave up %s (%s); %s"):format(record.waiter, effort(wait),
    name_option(wait, "maxAttempts", wait.attempts), last_seen(wait, mask))
end

---Names what bide itself had none of for an attempt that was cut; empty if it lacked nothing.
local function lack_of(wait)
  return wait.lack and "; bide itself had no " .. wait.lack or ""
end

---Before the deadline, the wait ends because its next attempt would begin after it.
function sentences.maxWait(wait, record, mask)
  local limit = name_option(wait, "maxWait", duration.argument(wait.max_wait))
  if wait.queue and wait.attempts == 1 then
    return ("%s exceeded %s; it was never asked: %s"):format(record.waiter, limit, wait.queue)
  end
  if wait.elapsed >= wait.max_wait then
    return ("%s exceeded %s %s; %s%s"):format(record.waiter, limit, effort(wait), last_seen(wait, mask), lack_of(wait))
  end
  return ("%s gave up after %s and %s: the next would begin after %s; %s"):format(record.waiter,
    duration.format(wait.elapsed), plural(wait.attempts, "attempt"), limit, last_seen(wait, mask))
end

function sentences.cancelled(wait, record, mask)
  return ("%s was cancelled %s; %s"):format(record.waiter, effort(wait), last_seen(wait, mask))
end

function sentences.scriptError(wait)
  return wait.script_error.message
end

---Returns the reasons for which an outcome has a sentence, by name.
---@return string[]
function M.reasons()
  return option.sorted_names(sentences)
end

local function whole_where_it_is(seconds)
  return math.tointeger(seconds) or seconds
end

---Adds the name of the acceptor that matched, if it has one.
---@param wait bide.Wait
---@param entry table of the history, or an outcome
function M.add_name(wait, entry)
  local acceptor = wait.waiter.acceptors[entry.acceptor]
  if acceptor then entry.name = acceptor.name end
end

---Returns the message of a record, and the values that were seen.
---@param mask bide.SecretMask? hides their secrets; nil if secrets are shown
local function explain(wait, record, mask)
  local list = wait.output and evidence.list(wait.waiter.acceptors, wait.input, wait.output, mask) or {}
  local message, traceback = sentences[record.reason](wait, record, mask), record.traceback
  local warnings = record.state == "success" and evidence.blind_failures(wait) or {}
  if mask then
    message, traceback = mask:text(message), traceback and mask:text(traceback)
    for position, warning in ipairs(warnings) do warnings[position] = mask:text(warning) end
  end
  return {
    seen = #list > 0 and list or nil, message = message, traceback = traceback,
    warnings = #warnings > 0 and core.json.array(warnings) or nil,
  }
end

---Returns the outcome of a wait that has ended. Its input, output and error are documents.
---@param wait table
---@param state "success"|"failure"
---@param reason string
---@param acceptor integer?
---@return table record
function M.record(wait, state, reason, acceptor)
  local history, omitted = wait.state:history()
  for _, entry in ipairs(history) do M.add_name(wait, entry) end
  local record = {
    waiter = wait.waiter.name, operation = wait.waiter.operation,
    state = state, reason = reason, acceptor = reason == "acceptor" and acceptor or nil,
    attempts = wait.attempts, elapsed = duration.seconds(wait.elapsed),
    maxWait = whole_where_it_is(duration.seconds(wait.max_wait)),
    input = wait.input, output = wait.output, error = wait.error or nil,
    history = core.json.array(history), omitted = omitted > 0 and omitted or nil,
    traceback = wait.script_error and wait.script_error.traceback,
    fault = wait.script_error and (wait.is_fault or script_error.is_out_of_memory(wait.script_error)) or nil,
  }
  M.add_name(wait, record)
  local mask = secret.of_wait(wait, history)
  secret.keep(record, mask)
  if secret.are_shown then secret.keep_clear(record, explain(wait, record)) end
  for name, value in pairs(explain(wait, record, mask)) do record[name] = value end
  return record
end

---Returns a copy in which documents are Lua values.
local function with_values(members)
  local copy = {}
  for name, value in pairs(members) do
    if type(value) == "userdata" and value ~= core.json.null then value = value:value() end
    copy[name] = value
  end
  return copy
end

---Returns the outcome for scripts: with Lua values, and the message as its text.
---@param record table
---@return bide.Outcome
function M.of_record(record)
  local outcome = with_values(record)
  for _, list in ipairs { "history", "seen" } do
    local copies = {}
    for position, entry in ipairs(record[list] or {}) do copies[position] = with_values(entry) end
    outcome[list] = record[list] and copies
  end
  if secret.are_shown then secret.keep_clear(outcome, { message = secret.clear(record).message }) end
  return setmetatable(outcome, Outcome)
end

return M
