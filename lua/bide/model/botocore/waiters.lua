---botocore's waiters-2.json as a model: its acceptors become Smithy's, and the shapes of the service-2.json beside it, if
---there is one, those of a JSON AST. Only what the waited operations reach is taken.

local core = require "bide.core"
local option = require "bide.text.option"
local tables = require "bide.text.tables"

local expected, json = option.expected, core.json

local M = {}

local WAITABLE = "smithy.waiters#waitable"

-- ---- acceptors ------------------------------------------------------------------------------

local function path_matcher(path, comparator, value)
  return { output = { path = path, comparator = comparator, expected = tostring(value) } }
end

---Smithy's comparators know no numbers, and in lists no booleans: the path itself compares them.
---@param format string of the path, with the argument and the value
local function comparing(format, acceptor)
  local words = { argument = ("(%s)"):format(acceptor.argument), value = ("`%s`"):format(json.encode(acceptor.expected)) }
  return path_matcher((format:gsub("%a+", words)), "booleanEquals", true)
end

---The matchers of botocore in Smithy's words.
local matchers = {
  path = function(acceptor)
    if type(acceptor.expected) == "number" then return comparing("argument == value", acceptor) end
    if type(acceptor.expected) == "boolean" then return path_matcher(acceptor.argument, "booleanEquals", acceptor.expected) end
    return path_matcher(acceptor.argument, "stringEquals", acceptor.expected)
  end,
  pathAll = function(acceptor)
    if type(acceptor.expected) == "number" then
      return comparing("type(argument) == 'array' && argument != `[]` && !(argument[?@ != value])", acceptor)
    end
    -- a boolean is meant of the whole, as AWS's own model of the one such waiter, KeyPairExists, has it
    local comparator = type(acceptor.expected) == "boolean" and "booleanEquals" or "allStringEquals"
    return path_matcher(acceptor.argument, comparator, acceptor.expected)
  end,
  pathAny = function(acceptor)
    if type(acceptor.expected) ~= "string" then
      return comparing("type(argument) == 'array' && contains(argument, value)", acceptor)
    end
    return path_matcher(acceptor.argument, "anyStringEquals", acceptor.expected)
  end,
  status = function(acceptor) return { status = acceptor.expected } end,
  error = function(acceptor)
    if type(acceptor.expected) == "boolean" then return { success = not acceptor.expected } end
    return { errorType = acceptor.expected }
  end,
}

local names = { "error", "path", "pathAll", "pathAny", "status" }

---Reports whether a matcher of a path may compare with a value.
local function is_compared(value)
  return type(value) == "string" or type(value) == "number" or type(value) == "boolean"
end
local compared = { "a string, a number or a boolean", is_compared }

---The kinds of the values that acceptors expect, by their matchers.
local kinds_of_expected = {
  path = compared, pathAll = compared, pathAny = compared,
  status = { "an HTTP status, a whole number", function(value) return math.type(value) == "integer" end },
  error = { "the name of an error, or a boolean", function(value)
    return type(value) == "string" or type(value) == "boolean"
  end },
}

---Reports what is wrong with a member.
---@alias bide.botocore.Report fun(member: string, mistake: string)

---@param report bide.botocore.Report
---@return table? acceptor nil if something is wrong with it
local function convert_acceptor(given, report)
  if type(given) ~= "table" then return report("", expected("an acceptor", given)) end
  local convert = matchers[given.matcher]
  if not convert then
    return report("matcher", expected("one of " .. table.concat(names, ", "), given.matcher, names))
  end
  if given.matcher:find "^path" and type(given.argument) ~= "string" then
    return report("argument", expected("the path, a string", given.argument))
  end
  local mistake = option.mistake(given.expected, kinds_of_expected[given.matcher])
  if mistake then return report("expected", mistake) end
  return { state = given.state, matcher = convert(given) }
end

---Returns an acceptor that is known to be right.
---@param given table as in a waiters-2.json
---@return bide.AcceptorStructure
function M.acceptor(given)
  return assert(convert_acceptor(given, function(_, mistake) error(mistake, 2) end))
end

local function convert_acceptors(given, report)
  local acceptors = json.array {}
  if not json.is_array(given) then
    report("acceptors", expected("a list of acceptors", given))
    return acceptors
  end
  for position, one in ipairs(given) do
    acceptors[#acceptors + 1] = convert_acceptor(one, function(member, mistake)
      report(("acceptors\n%d%s"):format(position, member ~= "" and "\n" .. member or ""), mistake)
    end)
  end
  return acceptors
end

local LEAST_MAX_DELAY = 120

---@param report bide.botocore.Report
---@return table waiter
local function convert_waiter(given, report)
  for _, name in ipairs { "delay", "maxAttempts" } do
    if given[name] ~= nil and math.type(given[name]) ~= "integer" then
      report(name, expected("a whole number", given[name]))
    end
  end
  local delay = math.tointeger(given.delay)
  return {
    acceptors = convert_acceptors(given.acceptors, report), minDelay = delay,
    maxDelay = math.max(delay or 0, LEAST_MAX_DELAY),
    documentation = type(given.description) == "string" and given.description or nil,
    deprecated = given.deprecated == true or nil,
  }
end

---@class bide.BotocoreWaiters
---@field by_operation table<string, table<string, table>> waiters by name, by their operations
---@field advice table<string, integer> how many seconds botocore waits for each at the most
---@field mistakes { path: string, message: string }[] what cannot be converted, and why; the path begins with the waiter

---Converts a waiter, unless something is wrong with it.
---@param converted bide.BotocoreWaiters
local function add_waiter(converted, name, given)
  local known = #converted.mistakes
  local function report(member, mistake)
    local path = member == "" and name or name .. "\n" .. member
    local place = path:gsub("\n(%d+)", "[%1]"):gsub("\n", ".")
    table.insert(converted.mistakes, { path = "\n" .. path, message = ("%s: %s"):format(place, mistake) })
  end
  if type(given) ~= "table" then return report("", expected("a waiter", given)) end
  if type(given.operation) ~= "string" then return report("operation", expected("the name of an operation", given.operation)) end
  local waiter = convert_waiter(given, report)
  if #converted.mistakes > known then return end
  local waiters = converted.by_operation[given.operation] or {}
  converted.by_operation[given.operation], waiters[name] = waiters, waiter
  if given.maxAttempts and given.delay then converted.advice[name] = given.delay * given.maxAttempts end
end

---Returns the waiters of a file.
---@param document bide.Document
---@return table<string, table> waiters none if the file is not of the version that is read
---@return string? mistake
---@return string? member that is wrong
function M.of_document(document)
  local version, waiters = document:value "version", document:value "waiters"
  if version ~= 2 then return {}, "version: " .. expected("2, as in a waiters-2.json", version), "version" end
  if not tables.is_object(waiters) then return {}, "waiters: " .. expected("an object of waiters by name", waiters), "waiters" end
  return waiters
end

---@param given table<string, table> the waiters of a waiters-2.json
---@return bide.BotocoreWaiters
function M.convert(given)
  local converted = { by_operation = {}, advice = {}, mistakes = {} }
  for _, name in ipairs(option.sorted_names(given)) do add_waiter(converted, name, given[name]) end
  return converted
end

---Returns what cannot be converted, and the waiters of operations that the service does not have.
---@param converted bide.BotocoreWaiters
---@param service table? the service-2.json
---@return { path: string, message: string }[] mistakes
function M.mistakes(converted, service)
  local mistakes = tables.joined(converted.mistakes)
  for _, operation in ipairs(service and option.sorted_names(converted.by_operation) or {}) do
    local waiters = not service.operations[operation] and converted.by_operation[operation] or {}
    for _, waiter in ipairs(option.sorted_names(waiters)) do
      mistakes[#mistakes + 1] = { path = ("\n%s\noperation"):format(waiter), message = ("%s.operation: %s"):format(waiter,
        expected("an operation of the service", operation, option.sorted_names(service.operations))) }
    end
  end
  return mistakes
end

---Returns the names that a waiters-2.json has for what Smithy calls otherwise.
---@param path string of a part of a trait
---@return string
function M.members(path)
  return (path:gsub("\n%u?%l+Delay$", "\ndelay"):gsub("\nmatcher\noutput\npath$", "\nargument")
    :gsub("\nmatcher\n.*$", "\nexpected"))
end

---The operations of botocore's waiters as a JSON AST.
---@param converted bide.BotocoreWaiters
---@param service table? the service-2.json; nothing is known of the shapes without it
---@return table ast
function M.ast(converted, service)
  local shapes = require("bide.model.botocore.shapes").new(service)
  for _, name in ipairs(option.sorted_names(converted.by_operation)) do
    shapes:operation(name, { [WAITABLE] = converted.by_operation[name] })
  end
  return shapes:ast()
end

return M
