---The members of the Matcher union, a row each: how its value is checked, and what is said of it before, during and after an
---attempt. Whether it matches is decided by the row of the same name in src/wait/matcher.c, or by a function in Lua, for
---which that row asks. At the end, what is to be known of the matcher of an acceptor, whichever it has.

local comparators = require "bide.recipe.waiter.comparators"
local core = require "bide.core"
local custom = require "bide.recipe.waiter.custom"
local error_names = require "bide.text.error_names"
local option = require "bide.text.option"
local own_matcher = require "bide.text.own_matcher"
local schema = require "bide.recipe.waiter.schema"
local shown = require "bide.text.shown"

local M = {}

---The words for a success of which nothing else is known.
M.SUCCEEDED = "the operation succeeded"

---@class bide.PathMatcher
---@field path string a JMESPath
---@field comparator bide.ComparatorName
---@field expected string

---A matcher over the output. It matches a value that counts as true in JMESPath, or a yes by the rule of `--until`
---(success) or `--fail` (failure); with a text, it matches a string with that text, and a number or a boolean with that
---JSON text.
---@class bide.ExpectMatcher
---@field path string a JMESPath
---@field text string?
---@field rule? "success"|"failure"

---The conditions that the command line gives, all of which must hold. A condition without a text holds for a yes: where
---the rule is success, true, and a list or an object that is not empty; where it is failure, all but false, null, what is
---empty, 0, and the texts false, no, off, none and 0.
---@class bide.Conditions
---@field rule "success"|"failure"|"any"
---@field all bide.ExpectMatcher[]
---@field allowMissing boolean?

---A matcher, with exactly one member.
---@class bide.MatcherStructure
---@field output? bide.PathMatcher over the output
---@field inputOutput? bide.PathMatcher over an object with input and output
---@field expect? bide.ExpectMatcher
---@field success? boolean whether the operation returned an output
---@field errorType? string the type of the operation error
---@field status? integer|integer[] the HTTP status of the response that was the output, or of the error
---@field lua? string|bide.NamedMatcher|fun(context: bide.MatcherContext): boolean?, string? a custom matcher, or its
---registered name, alone or with arguments
---@field conditions? bide.Conditions of the command line

---@class bide.MatcherKind
---@field name string of the member
---@field check fun(report: bide.Report, path: string, value: any, of_lua: boolean) reports the mistakes in its value
---@field is_unportable? boolean whether no Smithy model has such a member
---@field is_internal? boolean whether only the command line makes it, and no file may have it
---@field words fun(value: any): string the words for what it matches
---@field evidence? fun(value: any, input: userdata, output: userdata): string?, userdata the path, and its document
---@field reads_all? fun(value: any): boolean whether it may read members that its evidence does not name
---@field wanted? fun(value: any, found: any): string? the words for what it requires, if it cannot match a value of that type
---@field advice? fun(value: any, found: any, input: userdata): string? the words for how to compare a value that is not a yes
---@field notice? fun(wait: bide.Wait): string? the words for what it examines beside paths
---@field observed? fun(value: any, failure: table?, wait: bide.Wait, matched: boolean): string the words for what it
---examined in an attempt, if that is not its evidence
---@field describe? fun(value: any, failure: string?, wait: bide.Wait): string? the reason for a match; nil if the error or
---the evidence explains it

-- ---- paths over the output ---------------------------------------------------------------------

---Returns the path that compares with a number, a boolean or null; nil for any other value.
---@param path any
---@param expected any
---@return string?
local function comparing_path(path, expected)
  local is_scalar = type(expected) == "number" or type(expected) == "boolean" or expected == core.json.null
  if type(path) ~= "string" or not is_scalar then return nil end
  if path:find "[|&!<>=]" then path = ("(%s)"):format(path) end
  return ("%s == `%s`"):format(path, core.json.encode(expected))
end

local check_path_members = schema.structure({
  path = { check = schema.expression, required = "a JMESPath expression" },
  expected = { check = function() end, required = "a string" }, -- checked beside its path
  comparator = { check = schema.one_of(core.wait.names().comparators), required = "a comparator" },
}, "a path matcher, with path, comparator and expected")

local function check_path(report, path, value)
  check_path_members(report, path, value)
  if type(value) ~= "table" or value.expected == nil then return end
  if type(value.expected) ~= "string" then
    local better = comparing_path(value.path, value.expected)
    return schema.add(report, path .. ".expected", option.expected("a string", value.expected)
      .. (better and ('; write the path "%s" with booleanEquals and "true", which is acceptor.output(STATE, "%s")')
        :format(better, better) or ""))
  end
  if value.comparator == "booleanEquals" and value.expected ~= "true" and value.expected ~= "false" then
    schema.expected(report, path .. ".expected", "\"true\" or \"false\", since the comparator is booleanEquals", value.expected)
  end
end

local function words_of_path(value)
  return ("%s %s %s"):format(value.path, value.comparator, shown.quote(value.expected))
end

local check_expect = schema.structure({
  path = { check = schema.expression, required = "a JMESPath expression" },
  text = { check = schema.string },
  rule = { check = schema.one_of { "success", "failure" } },
}, "a matcher of the output: path, text, rule")

---Returns the words for a path that gives a yes, or a text.
local function words_of_expect(value)
  return value.text and ("%s is %s"):format(value.path, value.text) or value.path
end

local function evidence_in_output(value, _, output)
  return value.path, output
end

---Returns the condition that reports show. Of several, each is an acceptor of its own there (M.parts).
local function first_of(conditions)
  return conditions.all[1]
end

-- ---- errors and statuses -----------------------------------------------------------------------

---Warns of a type that was renamed. It still works, since a recipe may raise an error with the old name itself.
local function warn_of_renamed(report, path, name)
  local renamed = error_names.renamed[core.wait.error_name(name)]
  if renamed then
    schema.add(report, path, ("the error type %s is called %s now: name that"):format(name, renamed), "warning")
  end
end

local function check_error_type(report, path, value)
  schema.string(report, path, value)
  if type(value) == "string" then warn_of_renamed(report, path, value) end
end

local check_one_status = schema.of(option.kinds.status)
local check_statuses = schema.list(check_one_status, "a list of HTTP statuses")

local function check_status(report, path, value)
  if type(value) ~= "table" then return check_one_status(report, path, value) end
  if next(value) == nil then return schema.add(report, path, "expected at least one HTTP status, found an empty list") end
  check_statuses(report, path, value)
end

---Returns the words for the HTTP status of the last answer; nil if it had none.
---@param wait bide.Wait
---@return string?
local function status_of(wait)
  local status = wait.state:status()
  return status and ("the status is %d"):format(status)
end

M.status_of = status_of

-- ---- custom matchers ---------------------------------------------------------------------------

local function check_lua(report, path, value, of_lua)
  custom.check(report, path, value, of_lua)
  for _, name in ipairs { require("bide.error_class").types_of(value) } do warn_of_renamed(report, path, name) end
end

local function words_of_lua(value)
  local own = own_matcher.of(value)
  return own and own.words or custom.words(value) or "a custom matcher"
end

local function evidence_of_lua(value, input, output)
  local own = own_matcher.of(value)
  return own and own.path and own.path(input:value()), output
end

---Returns whether a function of a script decides, which sees the whole output.
local function is_of_script(value)
  return own_matcher.of(value) == nil
end

local function advice_of_lua(value, found, input)
  local own = own_matcher.of(value)
  return own and own.advice and own.advice(input:value(), found)
end

---Returns the words of bide's own matchers of a wait beside the values of their paths.
local function notice_of_lua(wait)
  local words = {}
  for _, acceptor in ipairs(wait.waiter.acceptors) do
    local own = own_matcher.of(acceptor.matcher.lua)
    words[#words + 1] = own and own.notice and own.notice(wait.input:value())
  end
  return #words > 0 and table.concat(words, ", ") or nil
end

local function observed_by_lua(value, failure, wait, matched)
  local why, own = wait.whys and wait.whys[value], own_matcher.of(value)
  if why and not matched then return "it says: " .. why end
  if own and own.observed then return failure and own.observed(failure, matched) or "there is no error" end
  if own and failure then return "the error is " .. failure.type end
  return matched and "it returned true" or "it did not return true"
end

local function describe_lua(value, failure, wait)
  local own = own_matcher.of(value)
  if not own then return (custom.words(value) or "the custom matcher") .. " matched" end
  return not failure and not (own.path and own.path(wait.input:value())) and M.SUCCEEDED or nil
end

-- ---- the rows ----------------------------------------------------------------------------------

---@type bide.MatcherKind[]
M.kinds = {
  {
    name = "output", check = check_path, words = words_of_path, wanted = comparators.wanted_by_path,
    evidence = evidence_in_output,
  },
  {
    name = "inputOutput", check = check_path, words = words_of_path, wanted = comparators.wanted_by_path,
    evidence = function(value, input, output)
      return value.path, assert(core.json.document { input = input, output = output })
    end,
  },
  {
    name = "expect", check = check_expect, is_unportable = true, words = words_of_expect,
    wanted = comparators.wanted_by_text, evidence = evidence_in_output,
  },
  {
    name = "conditions", is_internal = true,
    words = function(value) return words_of_expect(first_of(value)) end,
    wanted = function(value, found) return comparators.wanted_by_text(first_of(value), found) end,
    evidence = function(value, _, output) return first_of(value).path, output end,
    advice = function(value, found)
      local first = first_of(value)
      if first.text or value.rule ~= "success" then return nil end
      return comparators.advice(first.path, found, "%s=%s", "%s != `null`")
    end,
  },
  {
    name = "success", check = schema.boolean,
    words = function(value) return value and "the operation succeeds" or "the operation fails with any error" end,
    observed = function(_, failure) return failure and "the operation failed" or M.SUCCEEDED end,
    describe = function(_, failure) return not failure and M.SUCCEEDED or nil end,
  },
  {
    name = "errorType", check = check_error_type,
    words = function(value) return "the error " .. (value:find "^%S+$" and value or shown.quote(value)) end,
    observed = function(_, failure) return failure and "the error is " .. failure.type or "there is no error" end,
  },
  {
    name = "status", check = check_status, is_unportable = true, notice = status_of,
    words = function(value)
      return "the status " .. (type(value) == "table" and table.concat(value, " or ") or tostring(value))
    end,
    observed = function(_, _, wait) return status_of(wait) or "there is no status" end,
    describe = function(_, failure, wait)
      return status_of(wait) .. (failure and ", with the error " .. failure or "")
    end,
  },
  {
    name = "lua", check = check_lua, is_unportable = true, words = words_of_lua, evidence = evidence_of_lua,
    reads_all = is_of_script, advice = advice_of_lua, notice = notice_of_lua, observed = observed_by_lua, describe = describe_lua,
  },
}

-- ---- the check of the union --------------------------------------------------------------------

---Returns the names of all members: `output, inputOutput or lua`.
local function names()
  local list = {}
  for _, kind in ipairs(M.kinds) do
    if not kind.is_internal then list[#list + 1] = kind.name end
  end
  return table.concat(list, ", ", 1, #list - 1) .. " or " .. list[#list]
end

---Returns the check of the union.
---@param of_lua boolean whether it is written in Lua
---@return fun(report: bide.Report, path: string, value: any)
function M.check(of_lua)
  local members, choice = {}, names()
  for _, kind in ipairs(M.kinds) do
    members[kind.name] = not kind.is_internal and { check = function(report, path, value)
      if kind.is_unportable then schema.not_portable(report, path) end
      kind.check(report, path, value, of_lua)
    end } or nil
  end
  local check = schema.structure(members, "a matcher, with " .. choice)
  return function(report, path, value)
    check(report, path, value)
    if type(value) ~= "table" then return end
    local count = 0
    for name in pairs(value) do
      if members[name] then count = count + 1 end
    end
    if count ~= 1 then schema.add(report, path, ("expected exactly one of %s, found %d of them"):format(choice, count)) end
  end
end

-- ---- the matcher of an acceptor ----------------------------------------------------------------

---@param matcher bide.MatcherStructure one that was checked
---@return bide.MatcherKind kind
---@return any value of its member
function M.of(matcher)
  for _, kind in ipairs(M.kinds) do
    local value = matcher[kind.name]
    if value ~= nil then return kind, value end
  end
end

---Returns the acceptors that reports show in place of one: the conditions that have to hold together, or the one itself.
---@param acceptor bide.AcceptorStructure
---@return bide.AcceptorStructure[]
function M.parts(acceptor)
  return acceptor.parts or { acceptor }
end

---Reports whether the conditions of an acceptor hold for an output alone, as if no answer came before it.
---@param acceptor bide.AcceptorStructure
---@param output userdata a document
---@return boolean
function M.holds(acceptor, output)
  local one = { { state = "success", matcher = acceptor.matcher } }
  local state = core.wait.kind(core.wait.definition(1, 1, one), { min_delay = 1, max_delay = 1, max_wait = 9 }):start(0, 0)
  state:begin()
  return (state:observe(0, { input = output, output = output })) == "success"
end

---Returns the words for an acceptor: the option that gave it, such as `--until "state=done"`, or its matcher.
---@param acceptor bide.AcceptorStructure
---@return string
function M.words(acceptor)
  local kind, value = M.of(acceptor.matcher)
  return acceptor.option or kind.words(value)
end

---Returns what alone an acceptor may match, whatever the input; "any" if that is not known.
---@param acceptor bide.AcceptorStructure
---@return "output"|"error"|"any"
function M.subject_of(acceptor)
  local matcher = acceptor.matcher
  if matcher.success == true or matcher.output or matcher.inputOutput then return "output" end
  if matcher.success == false or matcher.errorType then return "error" end
  local own = own_matcher.of(matcher.lua)
  return own and own.sees or "any"
end

---Returns the JMESPath over the output that is the message of a failure.
---@param acceptor bide.AcceptorStructure
---@param input userdata a document
---@return string?
function M.message_of(acceptor, input)
  local own = own_matcher.of(acceptor.matcher.lua)
  if not own or not own.message then return acceptor.message end
  return own.message(input:value())
end

return M
