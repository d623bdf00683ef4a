---A plain evaluator of JMESPath, written from the specification and docs/jmespath.md, to compare bide's with: every
---projection makes its list, nothing is folded, streamed or predicted.

local functions = require "spec.support.oracle.functions"
local parser = require "spec.support.oracle.parser"
local value = require "spec.support.oracle.value"

local M = {}

local null = value.null

local function is_false(given)
  if given == null or given == false or given == "" then return true end
  local kind = value.type(given)
  return (kind == "array" and #given.elements == 0) or (kind == "object" and #given.names == 0)
end

local evaluate

-- ---- projections ----------------------------------------------------------------------

---The elements that a projection goes over; nil for what it cannot go over.
local elements_of = {}

function elements_of.list(given)
  return value.type(given) == "array" and given.elements or nil
end

function elements_of.values(given)
  if value.type(given) ~= "object" then return nil end
  local list = {}
  for position, name in ipairs(given.names) do list[position] = given.values[name] end
  return list
end

function elements_of.flatten(given)
  if value.type(given) ~= "array" then return nil end
  local list = {}
  for _, element in ipairs(given.elements) do
    local inner = value.type(element) == "array" and element.elements or { element }
    table.move(inner, 1, #inner, #list + 1, list)
  end
  return list
end

local function project(elements, body)
  if not elements then return null end
  local list = {}
  for _, element in ipairs(elements) do
    local result = evaluate(body, element)
    if result ~= null then list[#list + 1] = result end
  end
  return value.array(list)
end

---A bound as Python has it: from the end where it is negative, then within what there is.
local function bound(given, otherwise, length, low, high)
  if not given then return otherwise end
  if given < 0 then given = given < -length and low or given + length end
  return math.min(math.max(given, low), high)
end

local function slice_of(node, elements)
  local list, length, step = {}, #elements, node.step
  local low, high = 0, length
  if step < 0 then low, high = -1, length - 1 end
  local at = bound(node.start, step > 0 and low or high, length, low, high)
  local stop = bound(node.stop, step > 0 and high or low, length, low, high)
  step = math.min(math.max(step, -length - 1), length + 1)
  while (step > 0 and at < stop) or (step < 0 and at > stop) do
    list[#list + 1] = elements[at + 1]
    at = at + step
  end
  return list
end

-- ---- nodes ----------------------------------------------------------------------------

local nodes = {}

function nodes.current(_, current)
  return current
end

function nodes.literal(node)
  return node.value
end

function nodes.field(node, current)
  local found
  if value.type(current) == "object" then found = current.values[node.name] end
  return found == nil and null or found
end

function nodes.index(node, current)
  local list = evaluate(node.left, current)
  if value.type(list) ~= "array" then return null end
  local index = node.index < 0 and node.index + #list.elements or node.index
  local found
  if index >= 0 and index < #list.elements then found = list.elements[index + 1] end
  return found == nil and null or found
end

function nodes.projection(node, current)
  return project(elements_of[node.over](evaluate(node.left, current)), node.body)
end

function nodes.filter(node, current)
  local elements, list = elements_of.list(evaluate(node.left, current)), {}
  for _, element in ipairs(elements or {}) do
    if not is_false(evaluate(node.condition, element)) then list[#list + 1] = element end
  end
  return project(elements and list, node.body)
end

function nodes.slice(node, current)
  local elements = elements_of.list(evaluate(node.left, current))
  return project(elements and slice_of(node, elements), node.body)
end

nodes["then"] = function(node, current)
  return evaluate(node.right, evaluate(node.left, current))
end

nodes["multi-select list"] = function(node, current)
  if current == null then return null end
  local list = {}
  for position, item in ipairs(node.items) do list[position] = evaluate(item, current) end
  return value.array(list)
end

nodes["multi-select hash"] = function(node, current)
  if current == null then return null end
  local object = value.object()
  for position, item in ipairs(node.items) do value.put(object, node.names[position], evaluate(item, current)) end
  return object
end

nodes["or"] = function(node, current)
  local left = evaluate(node.left, current)
  if is_false(left) then return evaluate(node.right, current) end
  return left
end

nodes["and"] = function(node, current)
  local left = evaluate(node.left, current)
  if is_false(left) then return left end
  return evaluate(node.right, current)
end

nodes["not"] = function(node, current)
  return is_false(evaluate(node.operand, current))
end

local orders = {
  ["<"] = function(order) return order < 0 end,
  ["<="] = function(order) return order <= 0 end,
  [">"] = function(order) return order > 0 end,
  [">="] = function(order) return order >= 0 end,
}

function nodes.comparison(node, current)
  local left, right = evaluate(node.left, current), evaluate(node.right, current)
  if not orders[node.sign] then return value.equal(left, right) == (node.sign == "==") end
  if value.type(left) ~= "number" or value.type(right) ~= "number" then return null end
  return orders[node.sign](value.compare_numbers(left, right))
end

function nodes.call(node, current)
  local arguments = {}
  for position, argument in ipairs(node.arguments) do
    if argument.type == "reference" then
      arguments[position] = function(element) return evaluate(argument.body, element) end
    else
      arguments[position] = evaluate(argument, current)
    end
  end
  return functions.call(node.name, arguments)
end

function evaluate(node, current)
  return nodes[node.type](node, current)
end

-- ---- the whole ------------------------------------------------------------------------

---What f gives; nil and the kind of what it raised.
local function guarded(f, ...)
  local ok, result = pcall(f, ...)
  if ok then return result end
  return nil, type(result) == "table" and result.kind or error(result, 0)
end

---@param text string
---@return table? expression
---@return string? kind
function M.compile(text)
  return guarded(parser.parse, text, functions.arity)
end

---@param expression table
---@param document any
---@return any? result
---@return string? kind
function M.search(expression, document)
  return guarded(evaluate, expression, document)
end

return M
