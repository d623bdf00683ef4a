---Conditions that no answer can decide: expressions that can never be a yes, or never a no, and bare words that were
---probably meant as texts. The analysis is src/jmespath/analysis/condition.h; the words for where a condition comes
---from are here.

local core = require "bide.core"
local vocabulary = require "bide.recipe.expression.vocabulary"

local M = {}

---Returns the rule by which the core decides what is a yes.
---@param rule bide.jmespath.Yes of an expression without a value
---@param wanted any? the value that it is compared with
local function rule_of(rule, wanted)
  if wanted == nil then return rule end
  return type(wanted) == "string" and "text" or "value"
end

---Returns what is wrong with a condition: the words before the failure, and the failure.
---@param name string of the option or the input
---@param path string an expression that compiles
---@param rule bide.jmespath.Yes
---@param wanted any?
---@return string? words
---@return bide.jmespath.Failure? failure
local function find(name, path, rule, wanted)
  local expression = assert(core.jmespath.compile(path))
  local word = expression:bare_word()
  if word then return name, word end
  local verdict, reason = expression:judge(rule_of(rule, wanted), wanted)
  if verdict == "maybe" then return nil end
  if verdict == "never-no" then return name, reason end
  return ("%s can never be %s"):format(name, rule == "message" and "a text" or "a yes"), reason
end

---Returns the mistake of a condition that a person gave on the command line.
---@param name string "--until"
---@param path string an expression that compiles
---@param rule "success"|"failure"|"message" what decides without `wanted`
---@param wanted? any the value that the result is compared with; a text as EXPRESSION=TEXT compares
---@return string? mistake with a caret below the place
function M.mistake(name, path, rule, wanted)
  local words, failure = find(name, path, rule, wanted)
  return failure and ("%s: %s"):format(words, failure.pretty)
end

---Returns an expression that is true where a condition holds.
---@param condition bide.ExpectMatcher
local function as_expression(condition)
  if not condition.text then return ("(%s)"):format(condition.path) end
  local quoted = core.json.encode(condition.text):gsub("`", "\\`")
  local scalar = core.json.read(condition.text)
  local is_scalar = scalar and scalar:json() == condition.text and condition.text:find "^[%-%dtf]"
  if not is_scalar then return ("(%s) == `%s`"):format(condition.path, quoted) end
  return ("((%s) == `%s` || (%s) == `%s`)"):format(condition.path, quoted, condition.path, condition.text)
end

---Returns the mistake of conditions each of which may hold, but that never hold in one answer.
---@param name string "--until"
---@param conditions bide.ExpectMatcher[]
---@return string? mistake
function M.contradiction(name, conditions)
  local parts = {}
  for position, condition in ipairs(conditions) do
    parts[position] = as_expression(condition)
    local expression = core.jmespath.compile(table.concat(parts, " && "))
    if not expression then return nil end -- it is longer than an expression may be
    if expression:judge "truth" == "never-yes" then
      return ("%s number %d contradicts those before it: they never hold in one answer"):format(name, position)
    end
  end
end

---The most members in all conditions of a wait: of more, the core does not keep which of them an answer has had.
local MOST_MEMBERS = 64

---Returns the mistake of conditions that ask for too many members: one that no answer has had would not be noticed.
---@param name string "--until"
---@param paths string[] expressions that compile, of all conditions
---@return string? mistake
function M.too_many_members(name, paths)
  local count = 0
  for _, path in ipairs(paths) do count = count + assert(core.jmespath.compile(path)):member_count() end
  if count <= MOST_MEMBERS then return nil end
  return ("%s: expected at most %d names of members in all conditions, found %d: one that no answer has had would not be "
    .. "noticed"):format(name, MOST_MEMBERS, count)
end

---The operators of JMESPath for words that others have in their place.
local operators = { ["and"] = "&&", ["or"] = "||" }

---Returns the mistake of EXPRESSION=TEXT where TEXT looks like the rest of an expression, as in `status = "ok"`.
---@param path string before the =
---@param text string after it
---@return string? mistake
function M.mistake_of_text(path, text)
  local bare = path:match "^%s*(.-)%s*$"
  if path:find "%s$" or text:find "^%s" then
    return ("a blank beside = is part of the text: write %s=TEXT without blanks and quotes, or %s == 'TEXT'"):format(bare, bare)
  end
  local quoted = text:match "^'(.+)'$" or text:match '^"(.+)"$' or text:match "^`(.+)`$"
  local probable = quoted or text:match "^(.*%S)%s+$"
  if probable then
    local words = quoted and "the quotes are part of the text: write %s=%s, or %s == '%s' if they are meant"
      or "the blank at its end is part of the text: write %s=%s, or %s == '%s' if it is meant"
    return words:format(bare, probable, bare, (text:gsub("'", "\\'")))
  end
  local value = core.json.decode(text)
  if type(value) == "table" or value == core.json.null then
    return ("%s is a text here: write %s == `%s` for the JSON, or %s == '%s' for the text"):format(text, bare,
      (text:gsub("`", "\\`")), bare, (text:gsub("'", "\\'")))
  end
  if text:find "^~" then
    return ("=~ is not an operator: write contains(%s, 'TEXT') or starts_with(%s, 'TEXT')"):format(bare, bare)
  end
  local order = text:match "^[<>]"
  if order then
    return ("=%s is not an operator: write %s %s= `NUMBER` with backticks"):format(order, bare, order)
  end
  local joined = text:match "&&" or text:match "||" or text:match " (and) %S+=" or text:match " (or) %S+="
  if joined then
    return ("%s is part of the text after =: write %s == 'TEXT' %s …, or give the option twice"):format(joined, bare,
      operators[joined] or joined)
  end
end

---Returns why a condition cannot be decided, in one line, as the mistakes of inputs are.
local function mistake_in_line(name, path, rule, wanted)
  local words, failure = find(name, path, rule, wanted)
  return failure and ("%s: %s (column %d of %s)"):format(words, failure.message, failure.column, core.json.encode(path))
end

---Returns the mistake of a value of `failed`; `true` is also any value that means failure.
local function mistake_of_failed(path, wanted)
  if type(wanted) ~= "string" or (wanted == "true" and not find("failed", path, "failure")) then return nil end
  return mistake_in_line("failed", path, "failure", wanted)
end

---Returns the mistake of the inputs path, expect, failed and message, which bide.expect declares.
---@param input table whose expressions compile
---@return string? mistake
function M.mistake_of_input(input)
  local mistake = input.path and (mistake_in_line("path", input.path, "success", input.expect)
    or M.too_many_members("path", { input.path }))
  for _, wanted in ipairs(input.path and input.failed or {}) do
    mistake = mistake or mistake_of_failed(input.path, wanted)
  end
  return mistake or (input.message and mistake_in_line("message", input.message, "message"))
end

-- ---- waiters of a file -------------------------------------------------------------------------

---Returns what no answer can change of the matcher of a file: that it never matches, or that it always does.
---@param matcher bide.MatcherStructure
---@return "never-yes"|"never-no"|nil verdict
---@return bide.jmespath.Failure? reason
local function verdict_of(matcher)
  local member = matcher.output or matcher.inputOutput or matcher.expect
  local expression = member and core.jmespath.compile(member.path)
  local comparator = member and member.comparator
  if not expression or comparator and not core.jmespath.rules[comparator] then return nil end
  local rule, wanted = comparator or "truth", member.expected
  if matcher.expect and member.text then rule, wanted = "text", member.text end
  local verdict, reason = expression:judge(rule, wanted)
  if verdict ~= "maybe" then return verdict, reason end
end

---Returns the line for an acceptor that no answer can change. One for retries or failures may be for all other answers.
---@param acceptor bide.AcceptorStructure
---@param position integer
---@return string?
local function line_of(acceptor, position)
  local verdict, reason = verdict_of(acceptor.matcher)
  if verdict == "never-yes" then return ("acceptor %d can never match: %s"):format(position, reason.message) end
  local always = verdict == "never-no" and acceptor.state == "success"
  return always and ("acceptor %d succeeds by every answer: %s"):format(position, reason.message) or nil
end

---@param acceptor bide.AcceptorStructure
---@return bide.jmespath.Failure?
local function reason_of_message(acceptor)
  local expression = acceptor.message and core.jmespath.compile(acceptor.message)
  if not expression then return nil end
  local verdict, reason = expression:judge "message"
  return verdict == "never-yes" and reason or nil
end

---Returns a line for each acceptor of a waiter's file that can never match, or that succeeds by every answer, or whose message
---can never be a text.
---@param waiter bide.Waiter
---@return string[]
function M.warnings(waiter)
  local _entered <close> = vocabulary.enter(waiter.vocabulary)
  local lines, dangers = {}, waiter.dangers and waiter.dangers() or {}
  for position, acceptor in ipairs(waiter.acceptors) do
    local is_of_file = not acceptor.option and not dangers[acceptor]
    local message = is_of_file and reason_of_message(acceptor)
    lines[#lines + 1] = is_of_file and line_of(acceptor, position) or nil
    if message then
      lines[#lines + 1] = ("the message of acceptor %d can never be a text: %s"):format(position, message.message)
    end
  end
  return lines
end

return M
