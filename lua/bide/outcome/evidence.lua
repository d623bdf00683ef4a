---Describes the observed state, the values of the acceptors' paths in an output, briefly enough
---for a line of progress or the message of an outcome.

local comparators = require "bide.recipe.comparators"
local core = require "bide.core"
local error_class = require "bide.error_class"
local matchers = require "bide.recipe.matchers"

local json = core.json

local M = {}

local LONGEST = 80

---Shortens a text without cutting a character.
local function shorten(text, longest)
  local cut = longest or LONGEST
  if #text <= cut then return text end
  while cut > 0 and (text:byte(cut + 1) & 0xC0) == 0x80 do cut = cut - 1 end
  return text:sub(1, cut) .. "…"
end

---Reports whether a name in the path is the name of a secret.
---@param path string
---@return boolean
function M.is_secret(path)
  for name in path:gmatch("[%w_%-]+") do
    if core.secret.kind(name) == "any" then return true end
  end
  return false
end

local redacted = assert(json.document("[redacted]"))

---Returns the document without its secrets, so that no expression can reveal them; the document itself if it
---has no secret.
local function without_secrets(document, mask, of_input)
  local text = document:json { redact = mask, input = of_input }
  if not text or not text:find("[redacted]", 1, true) then return document end
  return json.read(text) or redacted
end

local builtin = {}
for _, name in ipairs(core.jmespath.functions()) do builtin[name] = true end

---Reports whether a path calls a function of a script. It may run only within an attempt, where the deadline
---can stop it, and not again for a report.
local function calls_script(path)
  for name in path:gmatch("([%a_][%w_]*)%s*%(") do
    if not builtin[name] then return true end
  end
  return false
end

---Evaluates an expression. A value that depends on a secret is hidden: it is shown only if "[redacted]" in place
---of the secret gives the same value.
local function value_without_secrets(path, expression, subject, mask)
  if M.is_secret(path) then return redacted end
  local harmless = without_secrets(subject, mask)
  local value = expression:query(subject)
  if harmless == subject or not value then return value end
  local shown = expression:query(harmless)
  local same = shown and shown:json { redact = mask } == value:json { redact = mask }
  return same and shown or redacted
end

---Returns the value of a path without secrets; nil if it cannot be evaluated here.
---@param path string
---@param subject userdata a document
---@param mask bide.SecretMask? hides its secrets; nil if secrets are shown
---@return userdata? value a document
function M.value_of(path, subject, mask)
  if calls_script(path) then return mask and M.is_secret(path) and redacted or nil end
  local expression = core.jmespath.compile(path)
  if not expression then return nil end
  if not mask then return (expression:query(subject)) end
  return value_without_secrets(path, expression, subject, mask)
end

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
  return path, M.value_of(path, subject, mask), subject
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
    local path, value = of_matcher(acceptor.matcher, input, output, mask)
    if value ~= nil and not known[path] then
      known[path] = true
      list[#list + 1] = { acceptor = position, path = path, value = value }
    end
  end
  return list
end

---`status is "pending"`
local function sentence(mask, path, value)
  if not value then return path .. " matched" end
  return ("%s is %s"):format(path, shorten(value:json { redact = mask }))
end

---Describes the value of the path of one matcher.
---@return string
function M.of_matcher(matcher, input, output, mask)
  return sentence(mask, of_matcher(matcher, input, output, mask))
end

---Returns `there is no member stauts; did you mean status?`; nil if no member of the answer has a name like it.
local function misspelling(path, subject)
  local expression = not calls_script(path) and core.jmespath.compile(path)
  local problems = expression and expression:analyse(core.jmespath.shape_of(subject)).problems or {}
  for _, problem in ipairs(problems) do
    if problem.kind == "unknown-member" and problem.message:find("did you mean", 1, true) then return problem.message end
  end
end

---Returns why an acceptor can never match a value like the one that was seen: ` wants the string "200", code is the number
---200`, `: there is no member stauts; did you mean status?`; nil if it may.
local function mismatch(acceptor, wait, mask)
  local kind, argument = matchers.of(acceptor.matcher)
  local path, value, subject = of_matcher(acceptor.matcher, wait.input, wait.output, mask)
  if not value or value == redacted then return nil end
  local found = value:value()
  if found == json.null then
    local words = misspelling(path, subject)
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
  if path and not value then return path .. " cannot be evaluated" end
  if path then
    local words = matched == false and mismatch(acceptor, wait, mask)
    if words and words:find "^ wants" then return "it" .. words end
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
    local one = wait.output and not wait.error and mismatch(acceptor, wait, mask)
      or dangers[acceptor] and ": " .. dangers[acceptor]
    if one and not known[one] and #words < MOST then
      words[#words + 1], known[one] = ("acceptor %d%s"):format(position, one), true
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

---Describes what the acceptors compare in the output of a wait, each once.
local function notices_of(wait, mask)
  local words, known = {}, {}
  for _, entry in ipairs(M.list(wait.waiter.acceptors, wait.input, wait.output, mask)) do
    words[#words + 1] = sentence(mask, entry.path, entry.value)
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

---Describes the observed state in one line, and why the output had no value to show; nil if there was no answer.
---@param wait bide.Wait
---@param failure table? the operation error that was seen
---@param mask bide.SecretMask? hides its secrets; nil if secrets are shown
---@return string?
function M.of_wait(wait, failure, mask)
  if failure then
    local text = "error " .. M.of_error(failure)
    return mask and mask:text(text) or text
  end
  if not wait.output then return nil end
  local words = notices_of(wait, mask)
  local text = #words > 0 and table.concat(words, ", ") or "the operation succeeded"
  if mask then text = mask:text(text) end
  return wait.unread and ("%s; %s"):format(text, wait.unread) or text
end

return M
