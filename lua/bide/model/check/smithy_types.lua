---The type that Smithy's own validator takes an expression for. It evaluates the expression on a sample that it makes of
---the output shape, and errs in places: what a function returns has a type and no elements, a text of a map is missing, a
---shape within itself is of any type. An acceptor's message is judged by it, or the model would not build with Smithy.

local core = require "bide.core"
local tables = require "bide.text.tables"

local M = {}

---A value of a sample: a string, a number, a boolean, or one of these tables.
---@class bide.check.Sample
---@field kind "any"|"null"|"expression"|"array"|"object"
---@field items bide.check.Sample[]? of an array
---@field names string[]? of an object
---@field member? fun(name: string): any the value of a member of an object; nil if it has none

local ANY, NULL, EXPRESSION = { kind = "any" }, { kind = "null" }, { kind = "expression" }
local ARRAY = { kind = "array", items = {} }
local OBJECT = { kind = "object", names = {}, member = function() return nil end }

---@param items any[]
local function array(items)
  return { kind = "array", items = items }
end

---@param values table<string, any>
local function object(values)
  local names = require("bide.text.option").sorted_names(values)
  return { kind = "object", names = names, member = function(name) return values[name] end }
end

---@return "any"|"null"|"expression"|"array"|"object"|"string"|"number"|"boolean"
local function kind_of(value)
  return type(value) == "table" and value.kind or type(value)
end

-- ---- samples --------------------------------------------------------------------------------

local scalars = {
  blob = "blob", string = "aa", enum = "aa", boolean = true, byte = 8, short = 8, integer = 8, long = 8, float = 8, double = 8,
  bigInteger = 8, bigDecimal = 8, intEnum = 8, timestamp = 0, document = ANY,
}

---The members that Smithy has visited on its way to a value; it takes one that it meets again for any value.
---@class bide.check.Visited
---@field shape string
---@field count integer how many of the shape's members have been visited
---@field before bide.check.Visited?

---@param visited bide.check.Visited?
local function is_visited(visited, id, position)
  while visited do
    if visited.shape == id and position <= visited.count then return true end
    visited = visited.before
  end
  return false
end

local sample_of

local function sample_of_member(model, shape, position, visited)
  local member = shape.members[position]
  if not member or is_visited(visited, shape.id, position) then return ANY end
  return sample_of(model, member.target, { shape = shape.id, count = position, before = visited })
end

---@param visited bide.check.Visited?
function sample_of(model, id, visited)
  local kind = model:type_of(id)
  local scalar = scalars[kind]
  if scalar ~= nil then return scalar end
  local shape = kind and model:shape(id)
  if not shape then return ANY end
  if kind == "list" or kind == "set" then
    local element = sample_of_member(model, shape, 1, visited)
    return array { element, element }
  end
  if kind == "map" then
    local value = sample_of_member(model, shape, 2, visited)
    return object { aa0 = value, aa1 = value }
  end
  local positions, names = {}, {}
  for position, member in ipairs(shape.members) do positions[member.name], names[position] = position, member.name end
  return { kind = "object", names = names, member = function(name)
    return positions[name] and sample_of_member(model, shape, positions[name], visited)
  end }
end

---@param value any of JSON
local function of_literal(value)
  if value == nil or value == core.json.null then return NULL end
  if type(value) ~= "table" then return value end
  local copy = {}
  for name, one in pairs(value) do copy[name] = of_literal(one) end
  return core.json.is_array(value) and array(copy) or object(copy)
end

-- ---- evaluation -----------------------------------------------------------------------------

local returns = { not_null = ANY, merge = OBJECT }
for name in ("abs avg ceil ends_with floor length max max_by min min_by sum to_number"):gmatch "%g+" do returns[name] = 0 end
for name in ("contains starts_with"):gmatch "%g+" do returns[name] = false end
for name in ("join to_string type"):gmatch "%g+" do returns[name] = "" end
for name in ("keys map reverse sort sort_by to_array values"):gmatch "%g+" do returns[name] = ARRAY end

local function is_truthy(value)
  local kind = kind_of(value)
  if kind == "string" then return value ~= "" end
  if kind == "boolean" then return value end
  if kind == "array" then return #value.items > 0 end
  if kind == "object" then return #value.names > 0 end
  return kind ~= "null"
end

local orders = {
  ["<"] = function(a, b) return a < b end, ["<="] = function(a, b) return a <= b end,
  [">"] = function(a, b) return a > b end, [">="] = function(a, b) return a >= b end,
}

local function compare(operator, left, right)
  local kind = kind_of(left)
  if kind == "any" then return true end
  local order = orders[operator]
  if not order then
    local equal = kind == kind_of(right) and (type(left) ~= "table" or kind == "null" or left == right) and (kind == "null"
      or left == right)
    return equal == (operator == "==")
  end
  if kind ~= "number" or kind_of(right) ~= "number" then return NULL end
  return order(left, right)
end

local evaluate

local function field(node, current)
  local kind = kind_of(current)
  if kind ~= "object" then return ANY end
  local found = current.member(node.name)
  if found == nil then return NULL end
  return found
end

local function index(node, current)
  if kind_of(current) ~= "array" then return ANY end
  local position = node.index < 0 and #current.items + node.index or node.index
  local found = current.items[position + 1]
  if found == nil then return NULL end
  return found
end

---The right side of a projection, for each element.
local function each(node, items)
  local results = {}
  for position, item in ipairs(items) do
    results[position] = node.each and evaluate(node.each, item) or not node.each and item
  end
  return array(results)
end

local function project_list(node, current)
  return kind_of(current) == "array" and each(node, current.items) or ARRAY
end

local function project_flat(node, current)
  if kind_of(current) ~= "array" then return ARRAY end
  local flat = {}
  for _, item in ipairs(current.items) do
    local kind = kind_of(item)
    if kind == "array" then
      tables.append(flat, item.items)
    elseif kind ~= "null" then
      flat[#flat + 1] = item
    end
  end
  return each(node, flat)
end

local function project_values(node, current)
  if kind_of(current) ~= "object" then return OBJECT end
  local values = {}
  for position, name in ipairs(current.names) do values[position] = current.member(name) end
  return each(node, values)
end

local function project_filter(node, current)
  local kept = {}
  for _, item in ipairs(kind_of(current) == "array" and current.items or {}) do
    if is_truthy(evaluate(node.condition, item)) then kept[#kept + 1] = item end
  end
  return each(node, kept)
end

local function chain(node, current)
  for _, step in ipairs(node.steps) do current = evaluate(step, current) end
  return current
end

---The first operand that decides: one that holds, or one that does not.
local function decide(node, current, holds)
  local result
  for _, operand in ipairs(node.operands) do
    result = evaluate(operand, current)
    if is_truthy(result) == holds then return result end
  end
  return result
end

local evaluators = {
  current = function(_, current) return current end,
  literal = function(node) return of_literal(node.value) end,
  field = field, index = index, chain = chain,
  ["list-projection"] = project_list, slice = project_list, flatten = project_flat,
  ["values-projection"] = project_values, filter = project_filter,
  ["multi-select-list"] = function(node, current)
    local items = {}
    for position, item in ipairs(node.items) do items[position] = evaluate(item, current) end
    return array(items)
  end,
  ["multi-select-hash"] = function(node, current)
    local values = {}
    for _, item in ipairs(node.items) do values[item.name] = evaluate(item.value, current) end
    return object(values)
  end,
  ["or"] = function(node, current) return decide(node, current, true) end,
  ["and"] = function(node, current) return decide(node, current, false) end,
  ["not"] = function(node, current) return not is_truthy(evaluate(node.operand, current)) end,
  comparison = function(node, current)
    return compare(node.operator, evaluate(node.left, current), evaluate(node.right, current))
  end,
  ["function"] = function(node)
    local result = returns[node.name]
    if result == nil then return ANY end
    return result
  end,
  ["expression-reference"] = function() return EXPRESSION end,
}

function evaluate(node, current)
  return evaluators[node.type](node, current)
end

-- ---- messages -------------------------------------------------------------------------------

---@param text string
---@return string kind "any" of an expression that does not compile
local function type_of(text, sample)
  local expression = core.jmespath.compile(text)
  if not expression then return "any" end
  return kind_of(evaluate(expression:tree():value(), sample))
end

---Returns what Smithy takes a message for: nil for a text and a list of texts.
---@param text string an expression that compiles
---@param model bide.Model
---@param id string of the output shape
---@return string? found in words
function M.mistake_of_message(text, model, id)
  local sample = sample_of(model, id, nil)
  local kind = type_of(text, sample)
  if kind == "string" then return nil end
  if kind ~= "array" then return kind == "any" and "of a type that it cannot tell" or "a " .. kind end
  local element = type_of(text .. "[0]", sample) -- as Smithy asks, even where the index becomes a part of a projection
  if element == "string" then return nil end
  return "an array of which it cannot tell that it holds strings"
end

return M
