---The parameters of endpoint rules: what bide knows of the service, and what an operation and its input say.

local core = require "bide.core"
local tables = require "bide.text.tables"

local M = {}

local STATIC, OF_OPERATION = "smithy.rules#staticContextParams", "smithy.rules#operationContextParams"
local OF_MEMBER = "smithy.rules#contextParam"

---The way to a service of AWS.
---@class bide.aws.Settings
---@field region? string
---@field endpoint? string a URL in place of the service's own
---@field ca? string a file with the authorities to trust
---@field fips? boolean
---@field dual_stack? boolean

---The values of built-in parameters, by their ids in rule sets.
---@type table<string, fun(settings: bide.aws.Settings): any>
local built_in = {
  ["AWS::Region"] = function(settings) return settings.region end,
  ["AWS::UseFIPS"] = function(settings) return settings.fips or false end,
  ["AWS::UseDualStack"] = function(settings) return settings.dual_stack or false end,
  ["SDK::Endpoint"] = function(settings) return settings.endpoint end,
  -- a server of its own rarely has names for its buckets
  ["AWS::S3::ForcePathStyle"] = function(settings) return settings.endpoint ~= nil end,
}

---Parameters for clients that are not built in: a session of S3 Express is more than a waiter needs.
local of_clients = { DisableS3ExpressSessionAuth = true }

---Returns the member of a trait's value; nil if the value is not what the trait has.
local function said(value, name)
  if type(value) == "table" then return value[name] end
end

---@param rules table
---@param settings bide.aws.Settings
local function fixed(rules, settings)
  local values = {}
  for name, parameter in pairs(type(rules.parameters) == "table" and rules.parameters or {}) do
    local value_of = built_in[said(parameter, "builtIn")]
    if value_of then values[name] = value_of(settings) else values[name] = of_clients[name] end
  end
  return values
end

---@param operation bide.ModelOperation
---@return table<string, bide.Expression> paths of parameters in the input; those that do not compile are absent
local function paths_of(operation)
  local texts, paths = {}, {}
  for _, member in ipairs(operation.input.members) do
    local name = said(member.traits[OF_MEMBER], "name")
    if name then texts[name] = core.json.encode(member.name) end
  end
  local given = operation.traits[OF_OPERATION]
  for name, value in pairs(type(given) == "table" and given or {}) do texts[name] = said(value, "path") end
  for name, text in pairs(texts) do paths[name] = type(text) == "string" and core.jmespath.compile(text) or nil end
  return paths
end

---Returns a function that makes the parameters for an input.
---@param rules table a rule set
---@param operation bide.ModelOperation
---@param settings bide.aws.Settings
---@return fun(input: table): table<string, any> parameters_of
---@return boolean depends whether they depend on the input
function M.of(rules, operation, settings)
  local values, paths = fixed(rules, settings), paths_of(operation)
  local static = operation.traits[STATIC]
  for name, given in pairs(type(static) == "table" and static or {}) do values[name] = said(given, "value") end
  if not next(paths) then return function() return values end, false end
  return function(input)
    local own = tables.merged(values)
    for name, path in pairs(paths) do own[name] = path:search(input) end
    return own
  end, true
end

return M
