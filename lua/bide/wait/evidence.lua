---Describes the observed state, the values of the acceptors' paths in an output, briefly enough
---for a line of progress or the message of an outcome.

local comparators = require "bide.recipe.waiter.comparators"
local core = require "bide.core"
local error_class = require "bide.error_class"
local matchers = require "bide.recipe.waiter.matchers"
local operation = require "bide.probe.asking.operation"
local shown_value = require "bide.wait.shown_value"

local json, shorten, calls_script = core.json, shown_value.shorten, shown_value.calls_script

local M = {}

---@param matcher table
---@param input userdata a document
---@param output userdata a document
---@param mask bide.SecretMask?
---@return string? path
---@return userdata? value a document
---@return userdata? subject the document of the path
local function of_matcher(matcher, input, output, mask)
  local kind, argument = matchers.of(matcher)
  if not kind.evidence then return nil end
  local path, subject = kind.evidence(argument, input, output)
  if not path then return nil end
  return path, shown_value.at(path, subject, mask), subject
end

---Returns the value of every acceptor's path, each path once.
---@param acceptors table[]
---@param input userdata
---@param output userdata
---@param mask bide.SecretMask? hides their secrets; nil if secrets are shown
---@return { acceptor: integer, path: string, value: userdata }[]
function M.list(acceptors, input, output, mask)
  local list, known = {}, {}
  for position, acceptor in ipairs(acceptors) do
    for _, part in ipairs(matchers.parts(acceptor)) do
      local path, value = of_matcher(part.matcher, input, output, mask)
      if value ~= nil and not known[path] then
        known[path] = true
        list[#list + 1] = { acceptor = position, path = path, value = value }
      end
    end
  end
  return list
end

---`status is "pending"`
local function sentence(mask, path, value)
  if not value then return path .. " matched" end
  return ("%s is %s"):format(path, shorten(value:json { redact = mask }))
end

---Describes the values of the paths of an acceptor.
---@param acceptor bide.AcceptorStructure
---@return string
function M.of_match(acceptor, input, output, mask)
  local words = {}
  for position, part in ipairs(matchers.parts(acceptor)) do
    words[position] = sentence(mask, of_matcher(part.matcher, input, output, mask))
  end
  return table.concat(words, ", ")
end

---Returns `status is the text "DOWN": write status=DOWN, or …`, where a person may take the value for a yes and the matcher
---does not, or the reverse; nil if it has nothing to advise.
local function advice(matcher, input, path, value, mask)
  local kind, argument = matchers.of(matcher)
  if not kind.advice or not value or value == shown_value.REDACTED then return nil end
  local found = value:value()
  local words = kind.advice(argument, found, input)
  if not words then return nil end
  local name = type(found) == "string" and "text" or type(found) == "table" and "list" or "number"
  return ("%s is the %s %s: %s"):format(path, name, shorten(value:json { redact = mask }), words)
end

---Returns why the path of a matcher cannot be evaluated: `contains(n, 'x') cannot be evaluated: invalid-type`.
local function failure_of(path, subject)
  local expression = not calls_script(path) and core.jmespath.compile(path)
  if not expression then return nil end
  local value, failure = expression:query(subject)
  return not value and ("%s cannot be evaluated: %s"):format(path, failure.kind) or nil
end

---Returns `there is no member stauts; did you mean status?`; nil if no member of the answer has a name like it.
local function misspelling(path, subject, wait)
  local expression = not calls_script(path) and core.jmespath.compile(path)
  local problems = expression and expression:analyse(core.jmespath.shape_of(subject)).problems or {}
  for _, problem in ipairs(problems) do
    local name = problem.kind == "unknown-member" and problem.message:match "^there is no member ([^;]+)"
    if name == "status" and matchers.status_of(wait) then
      return "there is no member status; did you mean status(), that of the answer?"
    end
    if name and problem.message:find("did you mean", 1, true) then return problem.message end
  end
end

---Returns why an acceptor can never match a value like the one that was seen: ` wants the string "200", code is the number
---200`, `: there is no member stauts; did you mean status?`; nil if it may.
local function mismatch(acceptor, wait, mask)
  local kind, argument = matchers.of(acceptor.matcher)
  local path, value, subject = of_matcher(acceptor.matcher, wait.input, wait.output, mask)
  if not value or value == shown_value.REDACTED then return nil end
  local found = value:value()
  if found == json.null then
    local words = not wait.unread and misspelling(path, subject, wait)
    return words and ": " .. words
  end
  local wanted = kind.wanted and kind.wanted(argument, found)
  return wanted and (" wants %s, %s is %s"):format(wanted, path,
    comparators.describe(found, shorten(value:json { redact = mask })))
end

---Returns what an acceptor looked at in the last attempt of a wait, and why that cannot match if it cannot.
---@param acceptor bide.AcceptorStructure
---@param wait bide.Wait
---@param matched boolean? nil if it was not asked
---@param mask bide.SecretMask?
---@return string? words nil if it was not asked, and has no path
function M.of_acceptor(acceptor, wait, matched, mask)
  local kind, argument = matchers.of(acceptor.matcher)
  local path, value
  if wait.output then path, value = of_matcher(acceptor.matcher, wait.input, wait.output, mask) end
  if path and not value then return failure_of(path, wait.output) or path .. " cannot be evaluated" end
  if path then
    local words = matched == false and (mismatch(acceptor, wait, mask) or advice(acceptor.matcher, wait.input, path, value, mask))
    if words and words:find "^ wants" then return "it" .. words end
    if words and not words:find "^: " then return words end
    return sentence(mask, path, value) .. (words or "")
  end
  if matched == nil then return nil end
  return kind.observed and kind.observed(argument, wait:failure(), wait, matched) or "there is no output"
end

---The most acceptors of which a message says what they wanted.
local MOST = 2

---Returns what bide check finds at DANGER, a line for each acceptor: `acceptor 1: there is no member stat`.
---@param waiter bide.Waiter
---@return string[]
function M.dangers(waiter)
  local lines, found = {}, waiter.dangers and waiter.dangers() or {}
  for position, acceptor in ipairs(waiter.acceptors) do
    if found[acceptor] then lines[#lines + 1] = ("acceptor %d: %s"):format(position, found[acceptor]) end
  end
  return lines
end

---Returns what acceptors wanted, where the output has a value that they cannot match, or that only looks like theirs:
---`acceptor 1 wants the string "200", code is the number 200`; and what bide check says of an acceptor that cannot match
---whatever the output; nil if there is none.
---@param wait bide.Wait
---@param mask bide.SecretMask?
---@return string?
function M.mismatches(wait, mask)
  local words, known = {}, {}
  local dangers = wait.waiter.dangers and wait.waiter.dangers() or {}
  for position, acceptor in ipairs(wait.waiter.acceptors) do
    for _, part in ipairs(matchers.parts(acceptor)) do
      local one = wait.output and not wait.error and mismatch(part, wait, mask)
        or dangers[part] and ": " .. dangers[part]
      if one and not known[one] and #words < MOST then
        words[#words + 1], known[one] = ("acceptor %d%s"):format(position, one), true
      end
    end
  end
  return #words > 0 and table.concat(words, "; ") or nil
end

---An operation error in a few words: `NotFound (404): no such thing`.
---@param failure table
---@return string
function M.of_error(failure)
  local text = error_class.label(failure)
  if type(failure.message) == "string" and failure.message ~= "" then
    text = ("%s: %s"):format(text, failure.message)
  end
  return text
end

---Describes the path of a matcher: its value, or why it has none.
local function notice_of_path(wait, matcher, mask)
  local path, value, subject = of_matcher(matcher, wait.input, wait.output, mask)
  if not path then return nil end
  if not value then return failure_of(path, subject), path end
  return advice(matcher, wait.input, path, value, mask) or sentence(mask, path, value), path
end

---Describes what the acceptors compare in the output of a wait, each once. Those that bide adds to AWS's are
---left out: once one has something to show, the wait has ended.
local function notices_of(wait, mask)
  local words, known = {}, {}
  for position = 1, #wait.waiter.acceptors - (wait.waiter.added or 0) do
    for _, part in ipairs(matchers.parts(wait.waiter.acceptors[position])) do
      local text, path = notice_of_path(wait, part.matcher, mask)
      if text and not known[path] then words[#words + 1], known[path] = text, true end
    end
  end
  for _, acceptor in ipairs(wait.waiter.acceptors) do
    local notice = matchers.of(acceptor.matcher).notice
    local text = notice and not known[notice] and notice(wait)
    if text then words[#words + 1], known[notice] = text, true end
  end
  return words
end

---Describes what an attempt returned, in one line.
---@param wait bide.Wait
---@param mask bide.SecretMask?
---@return string
function M.of_answer(wait, mask)
  local failure = wait:failure()
  return failure and "the error " .. M.of_error(failure) or "the output " .. shorten(wait.output:json { redact = mask }, 400)
end

---Returns the reasons that bide and matchers give beside the values of paths, each once.
---@param wait bide.Wait
---@param has_notices boolean whether there are such values
local function reasons_of(wait, has_notices)
  local reasons, known = {}, {}
  local function add(reason)
    if reason and not known[reason] then reasons[#reasons + 1], known[reason] = reason, true end
  end
  local unread = wait.unread or nil
  if unread and (not operation.is_quiet(unread) or wait.state:is_blind()) then add(unread) end
  if has_notices and wait.note and wait.note:find(operation.NOTHING, 1, true) then add(operation.NOTHING) end
  if wait.doubt then add(wait.doubt) end
  for _, why in ipairs(wait.whys or {}) do add(why) end
  return reasons
end

---Returns the words for a success of the operation: those of its recipe, or the status of its answer.
---@param wait bide.Wait
---@param mask bide.SecretMask? hides its secrets; nil if secrets are shown
---@return string
function M.fact(wait, mask)
  local value = wait.waiter.fact and shown_value.at(wait.waiter.fact, wait.output, mask)
  local text = value and value:value()
  if type(text) == "string" and text:find "%S" then return shorten(text, shown_value.LONGEST_FACT) end
  return matchers.status_of(wait) or matchers.SUCCEEDED
end

---Returns in one line why a service of AWS says that it has failed; nil if it does not say it.
---@param wait bide.Wait
---@param mask bide.SecretMask? hides its secrets; nil if secrets are shown
---@return string?
function M.reason(wait, mask)
  local path = wait.output and not wait.error and wait.waiter.reason
  return path and shown_value.line_at(path, wait.output, mask) or nil
end

---Describes the observed state in one line, and why the output had no value to show; nil if there was no answer.
---@param wait bide.Wait
---@param failure table? the operation error that was seen
---@param mask bide.SecretMask? hides its secrets; nil if secrets are shown
---@return string?
function M.of_wait(wait, failure, mask)
  local text
  if failure then
    text = "error " .. M.of_error(failure)
  elseif wait.output then
    local words = notices_of(wait, mask)
    text = #words > 0 and table.concat(words, ", ") or nil
  else
    return nil
  end
  local reasons = table.concat(failure and (wait.whys or {}) or reasons_of(wait, text ~= nil), "; ")
  if not failure and (wait.state:is_blind() or wait.unread and reasons == wait.unread and wait.whys) then
    text = nil -- the values of paths would be those of an answer that was not read
  end
  if reasons ~= "" then text = text and ("%s; %s"):format(text, reasons) or reasons end
  text = text or M.fact(wait, mask)
  return mask and mask:text(text) or text
end

---Returns what is wrong with the --fail of a wait that succeeded although they never looked at anything: a member that no
---answer had, an expression that cannot be evaluated.
local function blind_failures(wait)
  local warnings = {}
  for position, acceptor in ipairs(wait.waiter.acceptors) do
    local conditions = acceptor.option and acceptor.state == "failure" and acceptor.matcher.conditions
    if conditions then
      local path = conditions.all[1].path
      local failure = wait.output and failure_of(path, wait.output)
      if failure then warnings[#warnings + 1] = ("%s: %s"):format(acceptor.option, failure) end
      for _, missing in ipairs(not conditions.allowMissing and wait.state:missing(position) or {}) do
        local near = wait.output and misspelling(path, wait.output, wait)
        local is_it = near and near:find("no member " .. missing.name .. ";", 1, true)
        warnings[#warnings + 1] = ("%s: no answer had a %s %s%s"):format(acceptor.option, missing.noun, missing.name,
          is_it and near:match "; did you mean .*$" or "")
      end
    end
  end
  return warnings
end

---Returns what a person may not expect of a wait that succeeded: its --fail never looked at anything, or the list by which
---it succeeded has false in it.
---@param wait bide.Wait
---@param acceptor bide.AcceptorStructure? the one that decided
---@param mask bide.SecretMask? hides its secrets; nil if secrets are shown
---@return string[] warnings
function M.surprises(wait, acceptor, mask)
  local warnings = blind_failures(wait)
  for _, part in ipairs(acceptor and wait.output and matchers.parts(acceptor) or {}) do
    local path, value = of_matcher(part.matcher, wait.input, wait.output, mask)
    warnings[#warnings + 1] = path and advice(part.matcher, wait.input, path, value, mask)
  end
  return warnings
end

return M
