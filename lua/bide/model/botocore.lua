---botocore's waiters-2.json as a model: its acceptors become Smithy's, and the shapes of the service-2.json beside it, if
---there is one, those of a JSON AST. Only what the waited operations reach is taken.

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

---@param document userdata a waiters-2.json
---@return bide.BotocoreWaiters
function M.convert(document)
  local converted = { by_operation = {}, advice = {}, mistakes = {} }
  for name, given in pairs(document:value().waiters) do
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

-- ---- shapes ---------------------------------------------------------------------------------

---An empty object; an empty table would be a list.
local nothing = assert(json.read "{}")

local same_types = { character = "string" }

---@class bide.BotocoreShapes
---@field service table its shapes, as the service-2.json has them
---@field namespace string
---@field shapes table<string, table> those of the AST, by id
local Shapes = {}
Shapes.__index = Shapes

function Shapes:id(name)
  return self.namespace .. "#" .. name
end

---A member refers to a shape, and says of it what the trait says.
function Shapes:member(given, is_required)
  local traits = {}
  if is_required then traits["smithy.api#required"] = nothing end
  if given.idempotencyToken then traits["smithy.api#idempotencyToken"] = nothing end
  self:take(given.shape)
  return { target = self:id(given.shape), traits = next(traits) and traits or nil }
end

---The code by which a service names an error, as the trait of the query protocols has it.
local function error_traits(given)
  local code = type(given.error) == "table" and given.error.code
  if type(code) ~= "string" then return nil end
  return { ["aws.protocols#awsQueryError"] = { code = code, httpResponseCode = given.error.httpStatusCode } }
end

function Shapes:structure(given)
  local required, members = {}, {}
  for _, name in ipairs(given.required or {}) do required[name] = true end
  for name, member in pairs(given.members or {}) do members[name] = self:member(member, required[name]) end
  return { type = given.union and "union" or "structure", members = next(members) and members or nothing,
    traits = error_traits(given) }
end

---Takes a shape, and what it reaches, into the AST.
---@param name string
function Shapes:take(name)
  local id, given = self:id(name), self.service.shapes[name]
  if self.shapes[id] or not given then return end
  self.shapes[id] = {} -- a shape that holds itself finds this one
  local shape = { type = same_types[given.type] or given.type }
  if given.type == "structure" then shape = self:structure(given) end
  if given.type == "list" then shape.member = self:member(given.member) end
  if given.type == "map" then shape.key, shape.value = self:member(given.key), self:member(given.value) end
  if given.enum then
    local entries = json.array {}
    for position, value in ipairs(given.enum) do entries[position] = { value = value } end
    shape.traits = { ["smithy.api#enum"] = entries }
  end
  if given.sensitive then
    shape.traits = shape.traits or {}
    shape.traits["smithy.api#sensitive"] = nothing
  end
  self.shapes[id] = shape
end

function Shapes:operation(name, waiters)
  local given = self.service.operations and self.service.operations[name] or {}
  local operation = { type = "operation", traits = { [WAITABLE] = waiters } }
  for _, side in ipairs { "input", "output" } do
    if given[side] then
      self:take(given[side].shape)
      operation[side] = { target = self:id(given[side].shape) }
    end
  end
  local errors = json.array {}
  for position, one in ipairs(given.errors or {}) do
    self:take(one.shape)
    errors[position] = { target = self:id(one.shape) }
  end
  operation.errors = #errors > 0 and errors or nil
  self.shapes[self:id(name)] = operation
end

---The operations of botocore's waiters as a JSON AST.
---@param converted bide.BotocoreWaiters
---@param service table? the service-2.json; nothing is known of the shapes without it
---@return string ast
function M.ast(converted, service)
  local shapes = setmetatable({ service = service or { shapes = {} }, namespace = "botocore", shapes = {} }, Shapes)
  for name, waiters in pairs(converted.by_operation) do shapes:operation(name, waiters) end
  return assert(json.encode { smithy = "2.0", shapes = shapes.shapes })
end

return M
