---Finds the endpoint of an operation by the rule set of its service (Smithy's rules engine): data that say which URL a
---region, FIPS, dual stack, a bucket and the like lead to.
---
---    local endpoint = require "bide.aws.endpoint"
---    local found, mistake = endpoint.resolve(rules, partitions, { Region = "eu-west-1" })
---    print(found.url, found.properties.authSchemes)

local core = require "bide.core"
local functions = require "bide.model.aws.endpoint_functions"
local option = require "bide.text.option"

local M = {}

---@class bide.aws.Endpoint
---@field url string
---@field properties table<string, any> of them, authSchemes names the signing name and region
---@field headers table<string, string[]>

---The values of parameters and of what rules assigned, by name. A rule's own are in a table whose index is its parent's.
---@alias bide.aws.Values table<string, any>

local kind_of_parameter = {
  string = option.kinds.text, boolean = option.kinds.flag, stringArray = option.kinds.table,
}

---Raises an error: the rule set itself is wrong, whatever the parameters are.
local function refuse(...)
  error("endpoint rules: " .. string.format(...), 0)
end

---Returns a value, or refuses one of another kind.
---@param name string of a member, for the mistake
local function checked(value, name, kind)
  local mistake = option.mistake(value, kind)
  if mistake then refuse("%s: %s", name, mistake) end
  return value
end

local is_table, is_text = option.kinds.table, option.kinds.text

-- ---- values -----------------------------------------------------------------------------------

---Puts values into a template: "{Region}", "{url#authority}"; "{{" and "}}" are braces.
---@return string
local function expand(template, values)
  if not template:find("{", 1, true) then return template end
  return (template:gsub("({?){([^{}]*)}(}?)", function(opening, reference, closing)
    if opening ~= "" and closing ~= "" then return "{" .. reference .. "}" end
    local name, path = reference:match "^([^#]*)#?(.*)$"
    local value = functions.attribute(values[name], path)
    if value == nil then refuse("%s: no value for %s", option.describe(template), option.describe(reference)) end
    return opening .. tostring(value) .. closing
  end))
end

local call

---Returns the value of an expression: a template, a reference, a call, or a value as it is; nil if it is absent.
local function evaluate(expression, values, partitions)
  if type(expression) == "string" then return expand(expression, values) end
  if type(expression) ~= "table" then return expression end
  if expression.ref then return values[expression.ref] end
  return call(expression, values, partitions)
end

---Calls a function of rules; none has more than four arguments.
function call(expression, values, partitions)
  local run, given = functions.by_name[expression.fn], expression.argv
  if not run then refuse("unknown function %s", option.describe(expression.fn)) end
  local first, second = evaluate(given[1], values, partitions), evaluate(given[2], values, partitions)
  if given[3] == nil then return run(partitions, first, second) end
  return run(partitions, first, second, evaluate(given[3], values, partitions), evaluate(given[4], values, partitions))
end

---Returns a copy of properties or headers with values in their templates.
local function fill(value, values, partitions)
  if type(value) ~= "table" then return evaluate(value, values, partitions) end
  if value.ref or value.fn then return evaluate(value, values, partitions) end
  local filled = setmetatable({}, getmetatable(value))
  for name, member in pairs(value) do filled[name] = fill(member, values, partitions) end
  return filled
end

-- ---- rules ------------------------------------------------------------------------------------

---Returns the values with those that the conditions assign; nil if a condition does not hold.
local function satisfy(conditions, values, partitions)
  local own
  for _, condition in ipairs(conditions) do
    local value = call(condition, own or values, partitions)
    if value == nil or value == false then return nil end
    if condition.assign then
      own = own or setmetatable({}, { __index = values })
      own[condition.assign] = value
    end
  end
  return own or values
end

local function endpoint_of(endpoint, values, partitions)
  return {
    url = checked(evaluate(endpoint.url, values, partitions), "url", is_text),
    properties = fill(checked(endpoint.properties or {}, "properties", is_table), values, partitions),
    headers = fill(checked(endpoint.headers or {}, "headers", is_table), values, partitions),
  }
end

---Follows the first rule whose conditions hold. The rules below it do not lead back to those after it.
---@return bide.aws.Endpoint? endpoint
---@return string? mistake
local function follow(rules, values, partitions)
  for _, rule in ipairs(checked(rules, "rules", is_table)) do
    local own = satisfy(checked(checked(rule, "a rule", is_table).conditions, "conditions", is_table), values, partitions)
    if own and rule.error then return nil, checked(evaluate(rule.error, own, partitions), "error", is_text) end
    if own and rule.endpoint then return endpoint_of(checked(rule.endpoint, "endpoint", is_table), own, partitions) end
    if own then return follow(rule.rules, own, partitions) end
  end
  return nil, "no rule for these parameters"
end

-- ---- parameters -------------------------------------------------------------------------------

---Returns the value of a parameter: the given one, or its default.
local function value_of(name, parameter, given)
  local value = given[name]
  if value == nil or value == core.json.null then value = parameter.default end
  local kind = value ~= nil and kind_of_parameter[parameter.type]
  local mistake = kind and option.mistake(value, kind)
  if mistake then error(("parameters.%s: %s"):format(name, mistake), 4) end
  return value
end

---@return bide.aws.Values? values nil if a required parameter is missing
---@return string? missing
local function values_of(parameters, given)
  local values = {}
  for name, parameter in pairs(parameters) do
    values[name] = value_of(name, parameter, given)
    if parameter.required and values[name] == nil then return nil, name end
  end
  return values
end

local names = { "rules", "partitions", "parameters" }

---Returns the endpoint for some parameters. Parameters that the rule set does not have are ignored, since all services
---are given the same ones.
---@param rules table a rule set, as in smithy.rules#endpointRuleSet or botocore's endpoint-rule-set-1.json
---@param partitions table the document partitions.json
---@param parameters table<string, any>
---@return bide.aws.Endpoint? endpoint
---@return string? mistake the rule's error
function M.resolve(rules, partitions, parameters)
  for position, value in ipairs { rules or false, partitions or false, parameters or false } do
    if type(value) ~= "table" then error(names[position] .. ": " .. option.expected("a table", value or nil), 2) end
  end
  if type(rules.rules) ~= "table" then refuse("expected the member rules, found %s", option.describe(rules.rules)) end
  local values, missing = values_of(rules.parameters or {}, parameters)
  if not values then return nil, ("the parameter %s is missing"):format(missing) end
  return follow(rules.rules, values, partitions)
end

return M
