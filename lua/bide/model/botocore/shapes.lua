---The shapes of a service-2.json, botocore's model of a service, as a JSON AST: with Smithy's traits for what the protocols
---need.

local core = require "bide.core"
local tables = require "bide.text.tables"

local json = core.json

local M = {}

---An empty object; an empty table would be a list.
local nothing = assert(json.read "{}")

local same_types = { character = "string" }

---@class bide.BotocoreShapes
---@field service table its shapes, as the service-2.json has them
---@field namespace string
---@field shapes table<string, table> those of the AST, by id
---@field operations table[] references to the operations
local Shapes = {}
Shapes.__index = Shapes

function Shapes:id(name)
  return self.namespace .. "#" .. name
end

---Returns the id of a shape. Operations have names of their own in a service-2.json, and a shape may have one of them.
function Shapes:shape_id(name)
  local operations, shapes = self.service.operations or {}, self.service.shapes
  local own = name
  while operations[own] or own ~= name and shapes[own] do own = own .. "Shape" end
  return self:id(own)
end

-- ---- traits ---------------------------------------------------------------------------------

local timestamp_formats = { iso8601 = "date-time", rfc822 = "http-date", unixTimestamp = "epoch-seconds" }

---The traits of members that are not in the body, by their locations.
local bindings = {
  uri = function() return "httpLabel", nothing end,
  querystring = function(name, target)
    if target.type == "map" then return "httpQueryParams", nothing end
    return "httpQuery", name
  end,
  header = function(name) return "httpHeader", name end,
  headers = function(name) return "httpPrefixHeaders", name end,
  statusCode = function() return "httpResponseCode", nothing end,
}

---A member has the name of its shape on the wire where it has no name of its own.
---@param traits table<string, any> gets them
---@param given table a member
---@param target table the shape that it refers to
local function add_names(traits, given, target, name)
  local bind = bindings[given.location]
  if bind then
    local trait, value = bind(given.locationName or name, target)
    traits["smithy.api#" .. trait] = value
    return
  end
  local is_flattened = target.flattened or given.flattened
  local wire = is_flattened and target.member and target.member.locationName
    or given.locationName or target.locationName
  traits["smithy.api#jsonName"], traits["smithy.api#xmlName"] = wire, wire
  traits["aws.protocols#ec2QueryName"] = given.queryName
  traits["smithy.api#xmlFlattened"] = is_flattened and nothing or nil
end

---@return table? traits of a member
function Shapes:member_traits(given, name, is_required)
  local target, traits = self.service.shapes[given.shape] or {}, {}
  add_names(traits, given, target, name)
  traits["smithy.api#required"] = is_required and nothing or nil
  traits["smithy.api#idempotencyToken"] = given.idempotencyToken and nothing or nil
  traits["smithy.api#hostLabel"] = given.hostLabel and nothing or nil
  traits["smithy.api#timestampFormat"] = timestamp_formats[given.timestampFormat]
  traits["smithy.api#mediaType"] = given.jsonvalue and "application/json" or nil
  traits["smithy.api#xmlAttribute"] = given.xmlAttribute and nothing or nil
  local namespace = given.xmlNamespace or target.xmlNamespace
  traits["smithy.api#xmlNamespace"] = type(namespace) == "table" and namespace or nil
  traits["smithy.rules#contextParam"] = given.contextParam
  return next(traits) and traits or nil
end

---The code by which a service names an error, as the trait of the query protocols has it, and the status.
local function add_error_traits(traits, given)
  local said = type(given.error) == "table" and given.error or {}
  if type(said.code) == "string" then
    traits["aws.protocols#awsQueryError"] = { code = said.code, httpResponseCode = said.httpStatusCode }
  end
  traits["smithy.api#httpError"] = said.httpStatusCode
end

---The traits of what is the least, by the types of shapes. botocore checks no more of them, nor does it check the most.
local trait_of_least = {
  string = "length", blob = "length", list = "length", map = "length",
  integer = "range", long = "range", float = "range", double = "range",
}

---@return table? traits of a shape
local function shape_traits(given)
  local traits = {}
  local least = trait_of_least[given.type]
  if least and math.type(given.min) and (given.min > 0 or least == "range") then
    traits["smithy.api#" .. least] = { min = given.min }
  end
  add_error_traits(traits, given)
  traits["smithy.api#timestampFormat"] = timestamp_formats[given.timestampFormat]
  traits["smithy.api#sensitive"] = given.sensitive and nothing or nil
  if given.enum then
    local entries = json.array {}
    for position, value in ipairs(given.enum) do entries[position] = { value = value } end
    traits["smithy.api#enum"] = entries
  end
  return next(traits) and traits or nil
end

-- ---- shapes ---------------------------------------------------------------------------------

---A member refers to a shape, and says of it what the traits say.
function Shapes:member(given, name, is_required)
  self:take(given.shape)
  return { target = self:shape_id(given.shape), traits = self:member_traits(given, name, is_required) }
end

function Shapes:members(given)
  local required, members = tables.set(given.required or {}), {}
  for name, member in pairs(given.members or {}) do members[name] = self:member(member, name, required[name]) end
  local payload = given.payload and members[given.payload]
  if payload then
    payload.traits = payload.traits or {}
    payload.traits["smithy.api#httpPayload"] = nothing
  end
  return next(members) and members or nothing
end

---Takes a shape, and what it reaches, into the AST.
---@param name string
function Shapes:take(name)
  local id, given = self:shape_id(name), self.service.shapes[name]
  if self.shapes[id] or not given then return end
  self.shapes[id] = {} -- a shape that holds itself finds this one
  local shape = { type = same_types[given.type] or given.type, traits = shape_traits(given) }
  if given.type == "structure" then
    shape.type = given.document and "document" or given.union and "union" or "structure"
    shape.members = not given.document and self:members(given) or nil
  end
  if given.type == "list" then shape.member = self:member(given.member, "member") end
  if given.type == "map" then shape.key, shape.value = self:member(given.key, "key"), self:member(given.value, "value") end
  self.shapes[id] = shape
end

---Returns a pattern of a path whose labels are names of members, as Smithy has them, and not of the wire.
local function rename_labels(pattern, input)
  local names = {}
  for name, member in pairs(input and input.members or {}) do
    if member.location == "uri" then names[member.locationName or name] = name end
  end
  return (pattern:gsub("{([^}+]+)(%+?)}", function(name, greedy) return ("{%s%s}"):format(names[name] or name, greedy) end))
end

---@param traits table<string, any> gets more
---@return table traits of an operation
function Shapes:operation_traits(given, traits)
  local http, endpoint = given.http, given.endpoint
  if http then
    local uri = rename_labels(http.requestUri, given.input and self.service.shapes[given.input.shape])
    traits["smithy.api#http"] = { method = http.method, uri = uri, code = http.responseCode }
  end
  if endpoint and endpoint.hostPrefix then traits["smithy.api#endpoint"] = { hostPrefix = endpoint.hostPrefix } end
  traits["smithy.rules#staticContextParams"] = given.staticContextParams
  traits["smithy.rules#operationContextParams"] = given.operationContextParams
  traits["smithy.api#auth"] = given.authtype == "none" and json.array {} or given.auth
  return traits
end

---Gives a shape the name and the namespace that it has as the root of a document.
function Shapes:name_root(given)
  local shape = self.shapes[self:shape_id(given.shape)]
  if not shape or not (given.locationName or given.xmlNamespace) then return end
  shape.traits = shape.traits or {}
  shape.traits["smithy.api#xmlName"] = given.locationName
  shape.traits["smithy.api#xmlNamespace"] = type(given.xmlNamespace) == "table" and given.xmlNamespace or nil
end

---@param name string
---@param traits table<string, any> further ones
function Shapes:operation(name, traits)
  local given = self.service.operations and self.service.operations[name] or {}
  traits = self:operation_traits(given, traits)
  local operation = { type = "operation", traits = next(traits) and traits or nil }
  for _, side in ipairs { "input", "output" } do
    if given[side] then
      self:take(given[side].shape)
      self:name_root(given[side])
      operation[side] = { target = self:shape_id(given[side].shape) }
    end
  end
  local errors = json.array {}
  for position, one in ipairs(given.errors or {}) do
    self:take(one.shape)
    errors[position] = { target = self:shape_id(one.shape) }
  end
  operation.errors = #errors > 0 and errors or nil
  self.shapes[self:id(name)] = operation
  table.insert(self.operations, { target = self:id(name) })
end

-- ---- the service ----------------------------------------------------------------------------

local function json_protocol(metadata)
  return metadata.jsonVersion == "1.0" and "aws.protocols#awsJson1_0" or "aws.protocols#awsJson1_1"
end

---Smithy's names for the protocols of botocore.
local protocols = {
  json = json_protocol, query = "aws.protocols#awsQuery", ec2 = "aws.protocols#ec2Query",
  ["rest-json"] = "aws.protocols#restJson1", ["rest-xml"] = "aws.protocols#restXml",
  ["smithy-rpc-v2-cbor"] = "smithy.protocols#rpcv2Cbor",
}

local function service_traits(metadata)
  local traits = { ["aws.api#service"] = { sdkId = metadata.serviceId, endpointPrefix = metadata.endpointPrefix } }
  for _, name in ipairs(metadata.protocols or { metadata.protocol }) do
    local protocol = protocols[name]
    if protocol then traits[type(protocol) == "function" and protocol(metadata) or protocol] = nothing end
  end
  traits["aws.protocols#awsQueryCompatible"] = metadata.awsQueryCompatible and nothing or nil
  traits["smithy.api#xmlNamespace"] = metadata.xmlNamespace and { uri = metadata.xmlNamespace } or nil
  traits["aws.auth#sigv4"] = metadata.signatureVersion and { name = metadata.signingName or metadata.endpointPrefix } or nil
  traits["smithy.api#auth"] = metadata.auth
  return traits
end

---Adds the service itself. The prefix of X-Amz-Target is a part of it, since Smithy's is the name of the shape.
function Shapes:add_service()
  local metadata = self.service.metadata
  local name = type(metadata) == "table" and type(metadata.serviceId) == "string" and metadata.serviceId:gsub("[^%w]", "")
  if not name or name == "" or #self.operations == 0 then return end
  local id = self:id(name)
  while self.shapes[id] do id = id .. "Service" end
  self.shapes[id] = { type = "service", version = metadata.apiVersion, operations = json.array(self.operations),
    ["botocore.targetPrefix"] = metadata.targetPrefix, traits = service_traits(metadata) }
end

---@return table ast
function Shapes:ast()
  self:add_service()
  return { smithy = "2.0", shapes = next(self.shapes) and self.shapes or nothing }
end

---@param service table? the service-2.json
---@return bide.BotocoreShapes
function M.new(service)
  return setmetatable({ service = service or { shapes = {} }, namespace = "botocore", shapes = {}, operations = {} }, Shapes)
end

---A whole service as a JSON AST, without waiters.
---@param service table the service-2.json
---@return table ast
function M.ast_of(service)
  local shapes = M.new(service)
  for name in pairs(service.operations) do shapes:operation(name, {}) end
  return shapes:ast()
end

return M
