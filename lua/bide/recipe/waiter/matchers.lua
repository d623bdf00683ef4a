---The members of the Matcher union, one row each. The core has a row of the same name in src/wait/matcher.c.

local callback = require "bide.task.callback"
local comparators = require "bide.recipe.waiter.comparators"
local core = require "bide.core"
local error_class = require "bide.error_class"
local option = require "bide.text.option"
local schema = require "bide.recipe.waiter.schema"
local script_error = require "bide.text.script_error"
local shown = require "bide.text.shown"
local vocabulary = require "bide.recipe.expression.vocabulary"

local nearest = core.names.nearest

local M = {}

---The words for a success of which nothing else is known.
M.SUCCEEDED = "the operation succeeded"

-- ---- custom matchers: `bide.matcher(name, f)` gives a function a name for JSON models -------------

---@class bide.MatcherContext
---@field input any
---@field output any nil on an error
---@field error table? the operation error
---@field attempt integer
---@field elapsed number seconds since the wait began
---@field remaining number seconds until its deadline
---@field arguments any those of a matcher that is named with arguments
---@field memory table what the matchers of this wait keep from one attempt to the next; no journal has it
---@field unread string? the reason why the output is empty although there was an answer

---Registers a custom matcher. Raises mistakes at the level of the caller's caller.
local function register(own, name, matches)
  local mistake = option.mistake(name, option.kinds.identifier)
  if mistake then error("bide.matcher: name: " .. mistake, 3) end
  if type(matches) ~= "function" then
    error(("bide.matcher: %s: %s"):format(shown.line(name), option.expected("a function", matches)), 3)
  end
  local file, taken = debug.getinfo(3, "S").short_src, own.taken
  if taken and (taken[name] or file) ~= file then
    error(("the matcher %q is defined in %s already"):format(name, taken[name]), 3)
  end
  if taken then taken[name] = file end
  own.matchers[name] = matches
end

---Returns the function `bide.matcher` of a file.
---@param own bide.Vocabulary
---@return fun(name: string, matches: fun(context: bide.MatcherContext): boolean?)
function M.registering(own)
  return function(name, matches) register(own, name, matches) end
end

---Registers a custom matcher under a name, in place of an earlier one with that name.
---@param name string
---@param matches fun(context: bide.MatcherContext): boolean?
function M.register(name, matches)
  register(vocabulary.common, name, matches)
end

---Refuses a name of the common ones that two files register, until the returned value is closed.
---@param known? table<string, string> the names that files have registered before
function M.keep_apart(known)
  local before = vocabulary.common.taken
  vocabulary.common.taken = {}
  for name, file in pairs(known or {}) do vocabulary.common.taken[name] = file end
  return setmetatable({}, { __close = function() vocabulary.common.taken = before end })
end

---Returns the common names that files have registered since the last keep_apart, with the file of each.
---@return table<string, string>
function M.names_apart()
  return vocabulary.common.taken
end

---@param name string
---@return function? matches
---@return string? nearest the nearest registered name if this one is not registered
function M.find(name)
  local registered = vocabulary.current().matchers
  if registered[name] then return registered[name] end
  return nil, nearest(name, option.sorted_names(registered))
end

---A registered matcher with what it is asked: `{ "name": "isBig", "arguments": { "min": 2 } }`.
---@class bide.NamedMatcher
---@field name string
---@field arguments any JSON

---Returns the name by which a custom matcher is registered; nil for a function.
---@param lua function|string|bide.NamedMatcher
---@return string?
local function name_of(lua)
  return type(lua) == "string" and lua or type(lua) == "table" and lua.name or nil
end

---The arguments of named matchers as documents. Each call gets a copy: a matcher may change it.
---@type table<bide.NamedMatcher, userdata>
local documents = setmetatable({}, { __mode = "k" })

---@param named bide.NamedMatcher
---@return userdata? document
---@return string? mistake
local function arguments_of(named)
  local mistake
  if not documents[named] then documents[named], mistake = core.json.document(named.arguments) end
  return documents[named], mistake
end

local ask = callback "a matcher"

---Calls a custom matcher, which may not wait. It matches if it returns exactly true.
---@param lua function|string|bide.NamedMatcher
---@param context bide.MatcherContext
---@return boolean
---@return string? why it did not match, if it says so
function M.ask(lua, context)
  local name = name_of(lua)
  local matches = name and vocabulary.current().matchers[name] or lua
  if type(lua) == "table" and lua.arguments ~= nil then context.arguments = assert(arguments_of(lua)):value() end
  local matched, why = ask(matches, context)
  if matched == true then return true end
  return false, (type(why) == "string" or type(why) == "number") and tostring(why) or nil
end

---The key in the memory of a wait of what the input's own path has seen: the path and its state. `EARLIER` is the key of the
---members that an earlier process has seen of it, as bits.
M.OF_PATH, M.EARLIER = {}, {}

-- ---- described ones -------------------------------------------------------------------------

---Describes an attempt for a matcher of bide's own, which changes nothing of it.
---@class bide.OwnContext
---@field input any
---@field document userdata? the output
---@field error table? an operation error
---@field memory table what the matchers of the wait keep
---@field unread string? the reason why the output has no members
---@field allowMissing boolean? whether conditions may rest on members that no answer has had
---@field before userdata? the last output that an earlier process has seen

---A custom matcher of bide's own, which reports show as they show the matchers of the specification. It raises nothing.
---@class bide.DescribedMatcher
---@field matches fun(context: bide.OwnContext): boolean, string?
---@field words string the words for what it matches
---@field sees? "output" if it never matches an error
---@field path fun(input: any): string? the JMESPath over the output whose value it compares
---@field message? fun(input: any): string? a JMESPath over the output: the reason of a failure
---@field notice? fun(input: any): string? words beside the value of the path
---@field advice? fun(input: any, found: any): string? words after the value of the path, on how to compare it

---@type table<function, bide.DescribedMatcher>
local described = setmetatable({}, { __mode = "k" })

---Returns a custom matcher that is shown as it is described.
---@param description bide.DescribedMatcher
---@return fun(context: bide.MatcherContext): boolean
function M.described(description)
  described[description.matches] = description
  return description.matches
end

---Reports whether a custom matcher is one of bide's own, which sees a bide.OwnContext.
---@param lua any
---@return boolean
function M.is_own(lua)
  return described[lua] ~= nil or error_class.is_matcher(lua)
end

---Returns what alone an acceptor may match, whatever the input; "any" if that is not known.
---@param acceptor bide.AcceptorStructure
---@return "output"|"error"|"any"
function M.subject_of(acceptor)
  local matcher = acceptor.matcher
  if matcher.success == true or matcher.output or matcher.inputOutput then return "output" end
  if matcher.success == false or matcher.errorType or error_class.is_matcher(matcher.lua) then return "error" end
  return described[matcher.lua] and described[matcher.lua].sees or "any"
end

---Returns the JMESPath over the output that is the message of a failure.
---@param acceptor bide.AcceptorStructure
---@param input userdata a document
---@return string?
function M.message_of(acceptor, input)
  local description = described[acceptor.matcher.lua]
  if not description or not description.message then return acceptor.message end
  return description.message(input:value())
end

---Returns the words of the described matchers of a wait beside the values of their paths.
local function notice_described(wait)
  local words = {}
  for _, acceptor in ipairs(wait.waiter.acceptors) do
    local description = described[acceptor.matcher.lua]
    words[#words + 1] = description and description.notice and description.notice(wait.input:value())
  end
  return #words > 0 and table.concat(words, ", ") or nil
end

-- ---- the rows -------------------------------------------------------------------------------

---@class bide.PathMatcher
---@field path string a JMESPath
---@field comparator "stringEquals"|"booleanEquals"|"allStringEquals"|"anyStringEquals"
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
---@field rule "success"|"failure"
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
---@field advice? fun(value: any, found: any, input: userdata): string? the words for how to compare a value that is not a yes
---@field words fun(value: any): string the words for what it matches
---@field wanted? fun(value: any, found: any): string? the words for what it requires, if it cannot match a value of that type
---@field evidence? fun(value: any, input: userdata, output: userdata): string?, userdata the path, and its document
---@field describe? fun(value: any, failure: string?, wait: bide.Wait): string? the reason for a match; nil if the error or
---the evidence explains it
---@field observed? fun(value: any, failure: table?, wait: bide.Wait, matched: boolean): string the words for what it
---examined in an attempt, if that is not its evidence
---@field notice? fun(wait: bide.Wait): string? the words for what it examines beside paths

local check_path_members = schema.structure({
  path = { check = schema.expression, required = "a JMESPath expression" },
  expected = { check = schema.string, required = "a string" },
  comparator = {
    check = schema.one_of(core.wait.names().comparators),
    required = "a comparator",
  },
}, "a path matcher, with path, comparator and expected")

local function check_path(report, path, value)
  check_path_members(report, path, value)
  if type(value) ~= "table" or value.comparator ~= "booleanEquals" then return end
  if type(value.expected) == "string" and value.expected ~= "true" and value.expected ~= "false" then
    schema.expected(report, path .. ".expected", "\"true\" or \"false\", since the comparator is booleanEquals", value.expected)
  end
end

local check_expect = schema.structure({
  path = { check = schema.expression, required = "a JMESPath expression" },
  text = { check = schema.string },
  rule = { check = schema.one_of { "success", "failure" } },
}, "a matcher of the output: path, text, rule")

---Warns of a type that was renamed. It still works, since a recipe may raise an error with the old name itself.
local function warn_of_renamed(report, path, name)
  local renamed = error_class.renamed[core.wait.error_name(name)]
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
function M.status_of(wait)
  local status = wait.state:status()
  return status and ("the status is %d"):format(status)
end

local notice_status = M.status_of

local function check_registered(report, path, name)
  if type(name) ~= "string" then return schema.string(report, path, name) end
  local known, near = M.find(name)
  if known then return end
  schema.add(report, path, ("no matcher is registered as %s"):format(shown.quote(name))
    .. (near and (", did you mean %q?"):format(near) or ""))
end

---Checks what a named matcher is asked, which has to be JSON.
local function check_arguments(report, path, arguments)
  local ok, document, mistake = pcall(core.json.document, arguments)
  if not ok then
    script_error.pass_out_of_memory(document)
    document, mistake = nil, document
  end
  if not document then schema.add(report, path, ("expected JSON: %s"):format(tostring(mistake))) end
end

local check_named = schema.structure({
  name = { check = check_registered, required = "the name of a registered matcher" }, arguments = { check = check_arguments },
}, "a named matcher, with name and arguments")

---Checks a custom matcher: the name of a registered one, alone or with arguments, or, in a Lua recipe, a function.
local function check_lua(report, path, value, of_lua)
  if type(value) == "string" then return check_registered(report, path, value) end
  if type(value) == "table" then return check_named(report, path, value) end
  if type(value) == "function" and of_lua then
    for _, name in ipairs { error_class.types_of(value) } do warn_of_renamed(report, path, name) end
    return
  end
  schema.expected(report, path, (of_lua and "a function or " or "") .. "the name of a registered matcher", value)
end

---Returns the words for a custom matcher with a name, and for what it is asked.
local function words_of_named(value)
  local words = ("the matcher %q"):format(name_of(value))
  if type(value) == "string" or value.arguments == nil then return words end
  return ("%s with %s"):format(words, shown.line(tostring(assert(arguments_of(value)))))
end

local function observed_by_lua(value, failure, wait, matched)
  local why = wait.whys and wait.whys[value]
  if why and not matched then return "it says: " .. why end
  if described[value] and failure then return "the error is " .. failure.type end
  if not error_class.words(value) then return matched and "it returned true" or "it did not return true" end
  if not failure then return "there is no error" end
  if error_class.is_certificate_matcher(value) then
    return ("the error is %s, the problem %s"):format(failure.type, tostring(failure.problem or "none"))
  end
  return ("the error is %s, which is %s%s"):format(failure.type, matched and "" or "not ",
    error_class.kind_of(value))
end

local function words_of_path(value)
  return ("%s %s %s"):format(value.path, value.comparator, shown.quote(value.expected))
end

---@type bide.MatcherKind[]
M.kinds = {
  {
    name = "output", check = check_path, words = words_of_path, wanted = comparators.wanted_by_path,
    evidence = function(value, _, output) return value.path, output end,
  },
  {
    name = "inputOutput", check = check_path, words = words_of_path, wanted = comparators.wanted_by_path,
    evidence = function(value, input, output)
      return value.path, assert(core.json.document { input = input, output = output })
    end,
  },
  {
    name = "expect", check = check_expect, is_unportable = true, wanted = comparators.wanted_by_text,
    words = function(value) return value.text and ("%s is %s"):format(value.path, value.text) or value.path end,
    evidence = function(value, _, output) return value.path, output end,
  },
  {
    name = "conditions", is_internal = true,
    words = function(value)
      local first = value.all[1]
      return first.text and ("%s is %s"):format(first.path, first.text) or first.path
    end,
    wanted = function(value, found) return comparators.wanted_by_text(value.all[1], found) end,
    evidence = function(value, _, output) return value.all[1].path, output end,
    advice = function(value, found)
      local first = value.all[1]
      return not first.text and value.rule == "success" and comparators.advice(first.path, found, "%s=%s", "%s != `null`") or nil
    end,
  },
  {
    name = "success", check = schema.boolean,
    words = function(value) return value and "the operation succeeds" or "the operation fails with any error" end,
    describe = function(_, failure) return not failure and M.SUCCEEDED or nil end,
    observed = function(_, failure) return failure and "the operation failed" or M.SUCCEEDED end,
  },
  {
    name = "errorType", check = check_error_type, words = function(value) return "the error " .. value end,
    observed = function(_, failure) return failure and "the error is " .. failure.type or "there is no error" end,
  },
  {
    name = "status", check = check_status, is_unportable = true, notice = notice_status,
    words = function(value)
      return "the status " .. (type(value) == "table" and table.concat(value, " or ") or tostring(value))
    end,
    describe = function(_, failure, wait)
      return notice_status(wait) .. (failure and ", with the error " .. failure or "")
    end,
    observed = function(_, _, wait) return notice_status(wait) or "there is no status" end,
  },
  {
    name = "lua", check = check_lua, is_unportable = true, notice = notice_described,
    words = function(value)
      if name_of(value) then return words_of_named(value) end
      return described[value] and described[value].words or error_class.words(value) or "a custom matcher"
    end,
    evidence = function(value, input, output)
      return described[value] and described[value].path(input:value()), output
    end,
    advice = function(value, found, input)
      local advice = described[value] and described[value].advice
      return advice and advice(input:value(), found)
    end,
    describe = function(value, failure, wait)
      if described[value] then
        return not failure and not described[value].path(wait.input:value()) and M.SUCCEEDED or nil
      end
      if error_class.words(value) then return nil end
      return (name_of(value) and words_of_named(value) or "the custom matcher") .. " matched"
    end,
    observed = observed_by_lua,
  },
}

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

return M
