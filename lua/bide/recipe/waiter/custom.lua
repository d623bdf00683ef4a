---Custom matchers: functions of scripts, which decide about an attempt. `bide.matcher(name, f)` registers a name for one, so
---that a recipe in JSON can have it, alone or with arguments: `{ "name": "isBig", "arguments": { "min": 2 } }`.

local callback = require "bide.task.callback"
local core = require "bide.core"
local option = require "bide.text.option"
local schema = require "bide.recipe.waiter.schema"
local script_error = require "bide.text.script_error"
local shown = require "bide.text.shown"
local tables = require "bide.text.tables"
local vocabulary = require "bide.recipe.expression.vocabulary"

local M = {}

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

---A registered matcher with what it is asked: `{ "name": "isBig", "arguments": { "min": 2 } }`.
---@class bide.NamedMatcher
---@field name string
---@field arguments any JSON

-- ---- names -------------------------------------------------------------------------------------

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
  vocabulary.common.taken = tables.merged(known)
  return setmetatable({}, { __close = function() vocabulary.common.taken = before end })
end

---Returns the common names that files have registered since the last keep_apart, with the file of each.
---@return table<string, string>
function M.names_apart()
  return vocabulary.common.taken
end

-- ---- arguments ---------------------------------------------------------------------------------

---The arguments of named matchers as documents. Each call gets a copy: a matcher may change it.
---@type table<bide.NamedMatcher, userdata>
local documents = setmetatable({}, { __mode = "k" })

---@param named bide.NamedMatcher
---@return userdata document
local function arguments_of(named)
  documents[named] = documents[named] or assert(core.json.document(named.arguments))
  return documents[named]
end

-- ---- checks ------------------------------------------------------------------------------------

local function check_registered(report, path, name)
  if type(name) ~= "string" then return schema.string(report, path, name) end
  local registered = vocabulary.current().matchers
  if registered[name] then return end
  local near = core.names.nearest(name, option.sorted_names(registered))
  schema.add(report, path, ("no matcher is registered as %s"):format(shown.quote(name))
    .. (near and (", did you mean %q?"):format(near) or "; bide.matcher(name, f) registers one"))
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
---@param report bide.Report
---@param path string
---@param value any
---@param of_lua boolean
function M.check(report, path, value, of_lua)
  if type(value) == "string" then return check_registered(report, path, value) end
  if type(value) == "table" then return check_named(report, path, value) end
  if type(value) == "function" and of_lua then return end
  schema.expected(report, path, (of_lua and "a function or " or "") .. "the name of a registered matcher", value)
end

-- ---- attempts ----------------------------------------------------------------------------------

---@alias bide.CustomMatcher string|bide.NamedMatcher|fun(context: bide.MatcherContext): boolean?, string?

---Returns the name by which a custom matcher is registered; nil for a function.
---@param lua bide.CustomMatcher
---@return string?
local function name_of(lua)
  return type(lua) == "string" and lua or type(lua) == "table" and lua.name or nil
end

local call = callback "a matcher"

---Calls a custom matcher, which may not wait. It matches if it returns exactly true.
---@param lua bide.CustomMatcher
---@param context bide.MatcherContext
---@return boolean
---@return string? why it did not match, if it says so
function M.ask(lua, context)
  local name = name_of(lua)
  local matches = name and vocabulary.current().matchers[name] or lua
  if type(lua) == "table" and lua.arguments ~= nil then context.arguments = arguments_of(lua):value() end
  local matched, why = call(matches, context)
  if matched == true then return true end
  if matched then return false, ("the matcher returned a %s, and matches by true alone"):format(type(matched)) end
  return false, (type(why) == "string" or type(why) == "number") and tostring(why) or nil
end

---Returns the words for a custom matcher with a name, and for what it is asked; nil for a function.
---@param lua bide.CustomMatcher
---@return string?
function M.words(lua)
  local name = name_of(lua)
  local words = name and ("the matcher %q"):format(name)
  if type(lua) ~= "table" or lua.arguments == nil then return words end
  return ("%s with %s"):format(words, shown.line(tostring(arguments_of(lua))))
end

return M
