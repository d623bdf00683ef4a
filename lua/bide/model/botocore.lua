---botocore's waiters-2.json as a model: its acceptors become Smithy's, and the shapes of the service-2.json beside it, if
---there is one, those of a JSON AST. Only what the waited operations reach is taken.

local botocore_shapes = require "bide.model.botocore_shapes"
local core = require "bide.core"

local json = core.json

local M = {}

local WAITABLE = "smithy.waiters#waitable"

-- ---- acceptors ------------------------------------------------------------------------------

local function path_matcher(path, comparator, expected)
  return { output = { path = path, comparator = comparator, expected = tostring(expected) } }
end

---The matchers of botocore in Smithy's words.
local matchers = {
  path = function(acceptor)
    if type(acceptor.expected) == "boolean" then return path_matcher(acceptor.argument, "booleanEquals", acceptor.expected) end
    return path_matcher(acceptor.argument, "stringEquals", acceptor.expected)
  end,
  pathAll = function(acceptor)
    -- a boolean is meant of the whole, as AWS's own model of the one such waiter, KeyPairExists, has it
    local comparator = type(acceptor.expected) == "boolean" and "booleanEquals" or "allStringEquals"
    return path_matcher(acceptor.argument, comparator, acceptor.expected)
  end,
  pathAny = function(acceptor) return path_matcher(acceptor.argument, "anyStringEquals", acceptor.expected) end,
  status = function(acceptor) return { status = acceptor.expected } end,
  error = function(acceptor)
    if type(acceptor.expected) == "boolean" then return { success = not acceptor.expected } end
    return { errorType = acceptor.expected }
  end,
}

---@return table? acceptor
---@return string? mistake
local function convert_acceptor(given)
  local convert = type(given) == "table" and matchers[given.matcher]
  if not convert then
    return nil, ("the matcher %s is not one of botocore's: error, path, pathAll, pathAny, status"):format(
      json.encode(type(given) == "table" and given.matcher or given))
  end
  local needs_path = given.matcher:find "^path" ~= nil
  if needs_path and type(given.argument) ~= "string" then
    return nil, ("the matcher %s has no argument, the path"):format(given.matcher)
  end
  return { state = given.state, matcher = convert(given) }
end

local LEAST_MAX_DELAY = 120

---@return table? waiter
---@return string? mistake
local function convert_waiter(given)
  local acceptors = json.array {}
  for position, one in ipairs(type(given.acceptors) == "table" and given.acceptors or {}) do
    local acceptor, mistake = convert_acceptor(one)
    if not acceptor then return nil, ("acceptors[%d]: %s"):format(position, mistake) end
    acceptors[position] = acceptor
  end
  return {
    acceptors = acceptors, minDelay = given.delay, maxDelay = math.max(given.delay or 0, LEAST_MAX_DELAY),
    documentation = type(given.description) == "string" and given.description or nil,
    deprecated = given.deprecated == true or nil,
  }
end

---@class bide.BotocoreWaiters
---@field by_operation table<string, table<string, table>> waiters by name, by their operations
---@field advice table<string, integer> how many seconds botocore waits for each at the most
---@field mistakes { waiter: string, message: string }[] what cannot be converted, and why

local waiters_of = assert(core.jmespath.compile "waiters")

---@param document userdata a waiters-2.json
---@return bide.BotocoreWaiters
function M.convert(document)
  local converted = { by_operation = {}, advice = {}, mistakes = {} }
  for name, given in pairs(assert(waiters_of:query(document)):value()) do
    local waiter, mistake
    if type(given) ~= "table" or type(given.operation) ~= "string" then
      mistake = "expected a waiter with an operation"
    else
      waiter, mistake = convert_waiter(given)
    end
    if waiter then
      local waiters = converted.by_operation[given.operation] or {}
      converted.by_operation[given.operation], waiters[name] = waiters, waiter
      if math.type(given.maxAttempts) == "integer" then converted.advice[name] = given.delay * given.maxAttempts end
    else
      table.insert(converted.mistakes, { waiter = name, message = mistake })
    end
  end
  table.sort(converted.mistakes, function(a, b) return a.waiter < b.waiter end)
  return converted
end

---The operations of botocore's waiters as a JSON AST.
---@param converted bide.BotocoreWaiters
---@param service table? the service-2.json; nothing is known of the shapes without it
---@return string ast
function M.ast(converted, service)
  local shapes = botocore_shapes.new(service)
  for name, waiters in pairs(converted.by_operation) do shapes:operation(name, { [WAITABLE] = waiters }) end
  return shapes:ast()
end

return M
