---Describes the observed state of a wait, the values of the acceptors' paths in its last output, briefly enough for a line
---of progress or the message of an outcome.

local comparators = require "bide.recipe.waiter.comparators"
local core = require "bide.core"
local matchers = require "bide.recipe.waiter.matchers"
local operation = require "bide.probe.asking.operation"
local shown_value = require "bide.wait.shown_value"
local tables = require "bide.text.tables"

local json, shorten, calls_script = core.json, shown_value.shorten, shown_value.calls_script

local M = {}

---A wait after an attempt, as it may be shown.
---@class bide.Evidence
---@field wait bide.Wait
---@field mask bide.SecretMask? hides its secrets; nil if secrets are shown
local Evidence = {}
Evidence.__index = Evidence

---@param wait bide.Wait
---@param mask bide.SecretMask? hides its secrets; nil if secrets are shown
---@return bide.Evidence
function M.of(wait, mask)
  return setmetatable({ wait = wait, mask = mask }, Evidence)
end

---Appends an element, unless one with the same key was appended before.
local function add_once(list, known, key, element)
  if element and not known[key] then list[#list + 1], known[key] = element, true end
end

---@param matcher table
---@return string? path what it looks at in the output
---@return userdata? value a document
---@return userdata? subject the document of the path
function Evidence:at(matcher)
  local wait, kind, argument = self.wait, matchers.of(matcher)
  if not kind.evidence or not wait.output then return nil end
  local path, subject = kind.evidence(argument, wait.input, wait.output)
  if not path then return nil end
  return path, shown_value.at(path, subject, self.mask), subject
end

---Returns the value of every acceptor's path, each path once.
---@return { acceptor: integer, path: string, value: userdata }[]
function Evidence:list()
  local list, known = {}, {}
  for position, acceptor in ipairs(self.wait.waiter.acceptors) do
    for _, part in ipairs(matchers.parts(acceptor)) do
      local path, value = self:at(part.matcher)
      add_once(list, known, path, value and { acceptor = position, path = path, value = value })
    end
  end
  return list
end

function Evidence:text(value)
  return shorten(value:json { redact = self.mask })
end

---The longest path in a line, and what is kept of its beginning and of its end, in bytes.
local LONGEST_PATH, KEPT = 120, 48

---Returns a path without its middle if it is long.
local function shorten_path(path)
  if #path <= LONGEST_PATH then return path end
  return shorten(path, KEPT) .. path:sub(-KEPT):gsub("^[\x80-\xBF]+", "")
end

---`status is "pending"`; a long path is shortened, after its secrets are hidden.
function Evidence:sentence(path, value)
  local words = shorten_path(self.mask and self.mask:text(path) or path)
  return value and ("%s is %s"):format(words, self:text(value)) or words .. " matched"
end

---Describes the values of the paths of an acceptor; a success with a long path by the words of the recipe, if it has some.
---@param acceptor bide.AcceptorStructure
---@return string
function Evidence:of_match(acceptor)
  local words, is_long = {}, false
  for position, part in ipairs(matchers.parts(acceptor)) do
    local path, value = self:at(part.matcher)
    words[position], is_long = self:sentence(path, value), is_long or path ~= nil and #path > LONGEST_PATH
  end
  local has_words = is_long and acceptor.state == "success" and not acceptor.option and self.wait.waiter.fact
  return has_words and self:fact() or table.concat(words, ", ")
end

---Returns `status is the text "DOWN": write status=DOWN, or …`, where a person may take the value for a yes and the matcher
---does not, or the reverse; nil if it has nothing to advise.
function Evidence:advice(matcher, path, value)
  local kind, argument = matchers.of(matcher)
  if not kind.advice or not value or value == shown_value.REDACTED then return nil end
  local found = value:value()
  local words = kind.advice(argument, found, self.wait.input)
  if not words then return nil end
  local name = type(found) == "string" and "text" or type(found) == "table" and "list" or "number"
  return ("%s is the %s %s: %s"):format(path, name, self:text(value), words)
end

---Returns why the path of a matcher cannot be evaluated: `contains(n, 'x') cannot be evaluated: invalid-type`.
local function failure_of(path, subject)
  local expression = not calls_script(path) and core.jmespath.compile(path)
  if not expression then return nil end
  local value, failure = expression:query(subject)
  return not value and ("%s cannot be evaluated: %s"):format(path, failure.kind) or nil
end

---Reports whether the path of a matcher may call status(): that of a file may do so only in Lua.
local function may_ask(waiter, matcher)
  local is_of_file = matcher ~= nil and (matcher.output or matcher.inputOutput) ~= nil
  return not is_of_file or not waiter.files or waiter.files[1]:find "%.lua$" ~= nil
end

---Returns `there is no member stauts; did you mean status?`; nil if no member of the answer has a name like it.
---@param matcher table? nil for a path of the command line
function Evidence:misspelling(path, subject, matcher)
  local expression = not calls_script(path) and core.jmespath.compile(path)
  local problems = expression and expression:analyse(core.jmespath.shape_of(subject)).problems or {}
  for _, problem in ipairs(problems) do
    local name = problem.kind == "unknown-member" and problem.message:match "^there is no member ([^;]+)"
    if name == "status" and matchers.status_of(self.wait) and may_ask(self.wait.waiter, matcher) then
      return "there is no member status; did you mean status(), that of the answer?"
    end
    if name and problem.message:find("did you mean", 1, true) then return problem.message end
  end
end

---Returns why a matcher can never match a value like the one that was seen: ` wants the string "200", code is the number
---200`, `: there is no member stauts; did you mean status?`; nil if it may.
function Evidence:mismatch(matcher, path, value, subject)
  local kind, argument = matchers.of(matcher)
  if not value or value == shown_value.REDACTED then return nil end
  local found = value:value()
  if found == json.null then
    local words = not self.wait.unread and self:misspelling(path, subject, matcher)
    return words and ": " .. words
  end
  local wanted = kind.wanted and kind.wanted(argument, found)
  return wanted and (" wants %s, %s is %s"):format(wanted, path, comparators.describe(found, self:text(value)))
end

---Returns what an acceptor looked at in the last attempt, and why that cannot match if it cannot.
---@param acceptor bide.AcceptorStructure
---@param matched boolean? nil if it was not asked
---@return string? words nil if it was not asked, and has no path
function Evidence:of_acceptor(acceptor, matched)
  local matcher = acceptor.matcher
  local path, value, subject = self:at(matcher)
  if not path then
    if matched == nil then return nil end
    local kind, argument = matchers.of(matcher)
    return kind.observed and kind.observed(argument, self.wait:failure(), self.wait, matched) or "there is no output"
  end
  if not value then return failure_of(path, subject) or path .. " cannot be evaluated" end
  local words = matched == false and (self:mismatch(matcher, path, value, subject) or self:advice(matcher, path, value)) or ""
  if words:find "^ wants" then return "it" .. words end
  return (words == "" or words:find "^: ") and self:sentence(path, value) .. words or words
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
---@return string?
function Evidence:mismatches()
  local words, known = {}, {}
  local wait = self.wait
  local dangers = wait.waiter.dangers and wait.waiter.dangers() or {}
  for position, acceptor in ipairs(wait.waiter.acceptors) do
    for _, part in ipairs(matchers.parts(acceptor)) do
      local one = not wait.error and self:mismatch(part.matcher, self:at(part.matcher)) or dangers[part] and ": " .. dangers[part]
      if #words < MOST then add_once(words, known, one, one and ("acceptor %d%s"):format(position, one)) end
    end
  end
  return #words > 0 and table.concat(words, "; ") or nil
end

---An operation error in a few words: `NotFound (404): no such thing`.
---@param failure table
---@return string
function M.of_error(failure)
  local text = require("bide.error_class").label(failure)
  if type(failure.message) == "string" and failure.message ~= "" then
    text = ("%s: %s"):format(text, failure.message)
  end
  return text
end

---Describes what the acceptors compare in the output, each once: its value, or why it has none. Those that bide adds to AWS's
---are left out: once one has something to show, the wait has ended.
function Evidence:notices()
  local wait, words, known = self.wait, {}, {}
  for position = 1, #wait.waiter.acceptors - (wait.waiter.added or 0) do
    for _, part in ipairs(matchers.parts(wait.waiter.acceptors[position])) do
      local path, value, subject = self:at(part.matcher)
      local text = path and (value and (self:advice(part.matcher, path, value) or self:sentence(path, value))
        or failure_of(path, subject))
      add_once(words, known, path, text)
    end
  end
  for _, acceptor in ipairs(wait.waiter.acceptors) do
    local notice = matchers.of(acceptor.matcher).notice
    if notice and not known[notice] then add_once(words, known, notice, notice(wait)) end
  end
  return words
end

---Describes what the attempt returned, in one line.
---@return string
function Evidence:answer()
  local failure = self.wait:failure()
  if failure then return "the error " .. M.of_error(failure) end
  return "the output " .. shorten(self.wait.output:json { redact = self.mask }, 400)
end

---Returns the reasons that bide and matchers give beside the values of paths, each once.
---@param wait bide.Wait
---@param has_notices boolean whether there are such values
local function reasons_of(wait, has_notices)
  local reasons, known, unread = {}, {}, wait.unread
  if unread and (not operation.is_quiet(unread) or wait.state:is_blind()) then add_once(reasons, known, unread, unread) end
  if has_notices and wait.note and wait.note:find(operation.NOTHING, 1, true) then
    add_once(reasons, known, operation.NOTHING, operation.NOTHING)
  end
  add_once(reasons, known, wait.doubt, wait.doubt)
  for _, why in ipairs(wait.whys or {}) do add_once(reasons, known, why, why) end
  return reasons
end

---Returns the words for a success of the operation: those of its recipe, or the status of its answer.
---@return string
function Evidence:fact()
  local wait = self.wait
  local value = wait.waiter.fact and shown_value.at(wait.waiter.fact, wait.output, self.mask)
  local text = value and value:value()
  if type(text) == "string" and text:find "%S" then return shorten(text, shown_value.LONGEST_FACT) end
  return matchers.status_of(wait) or matchers.SUCCEEDED
end

---Returns in one line why a service of AWS says that it has failed; nil if it does not say it.
---@return string?
function Evidence:reason()
  local wait = self.wait
  local path = wait.output and not wait.error and wait.waiter.reason
  return path and shown_value.line_at(path, wait.output, self.mask) or nil
end

---Describes the observed state in one line, and why the output had no value to show; nil if there was no answer.
---@param failure table? the operation error that was seen
---@return string?
function Evidence:line(failure)
  local wait, mask, text = self.wait, self.mask
  if failure then
    text = "error " .. M.of_error(failure)
  elseif wait.output then
    local words = self:notices()
    text = #words > 0 and table.concat(words, ", ") or nil
  else
    return nil
  end
  local reasons = table.concat(failure and (wait.whys or {}) or reasons_of(wait, text ~= nil), "; ")
  if not failure and (wait.state:is_blind() or wait.unread and reasons == wait.unread and wait.whys) then
    text = nil -- the values of paths would be those of an answer that was not read
  end
  if reasons ~= "" then text = text and ("%s; %s"):format(text, reasons) or reasons end
  text = text or self:fact()
  return mask and mask:text(text) or text
end

---Returns what is wrong with the --fail of a wait that succeeded although they never looked at anything: a member that no
---answer had, an expression that cannot be evaluated, a value that no text like the given one equals.
function Evidence:blind_failures()
  local wait, warnings = self.wait, {}
  for position, acceptor in ipairs(wait.waiter.acceptors) do
    local conditions = acceptor.option and acceptor.state == "failure" and acceptor.matcher.conditions
    if conditions then
      local path = conditions.all[1].path
      local failure = wait.output and failure_of(path, wait.output)
      if failure then warnings[#warnings + 1] = ("%s: %s"):format(acceptor.option, failure) end
      local at, value, subject = self:at(acceptor.matcher)
      local words = at and self:mismatch(acceptor.matcher, at, value, subject) or ""
      if words:find "^ wants" then warnings[#warnings + 1] = acceptor.option .. words end
      for _, missing in ipairs(not conditions.allowMissing and wait.state:missing(position) or {}) do
        local near = wait.output and self:misspelling(path, wait.output)
        local is_it = near and near:find("no member " .. missing.name .. ";", 1, true)
        warnings[#warnings + 1] = ("%s: no answer had a %s %s%s"):format(acceptor.option, missing.noun, missing.name,
          is_it and near:match "; did you mean .*$" or "")
      end
    end
  end
  return warnings
end

---Returns which acceptors were asked before the one that decided, and could not look. The options say so themselves.
---@param decided bide.AcceptorStructure?
---@return string[] warnings
function Evidence:blind_acceptors(decided)
  local warnings = {}
  for position, acceptor in ipairs(self.wait.waiter.acceptors) do
    if acceptor == decided and not acceptor["until"] then break end -- --until is asked last
    local path, _, subject = self:at(acceptor.matcher)
    local failure = not acceptor.option and path and failure_of(path, subject)
    if failure then warnings[#warnings + 1] = ("acceptor %d: %s"):format(position, failure) end
  end
  return warnings
end

---Returns what a person may not expect of a wait that succeeded: its --fail, or an acceptor before the one that decided,
---never looked at anything, or the list by which it succeeded has false in it.
---@param acceptor bide.AcceptorStructure? the one that decided
---@return string[] warnings
function Evidence:surprises(acceptor)
  local warnings = tables.joined(self:blind_failures(), self:blind_acceptors(acceptor))
  for _, part in ipairs(acceptor and matchers.parts(acceptor) or {}) do
    warnings[#warnings + 1] = self:advice(part.matcher, self:at(part.matcher))
  end
  return warnings
end

return M
