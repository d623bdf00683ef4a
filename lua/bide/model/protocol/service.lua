---Writes the requests of a model's operations and reads the answers, by the protocol of the service. Endpoints and
---signatures are not its concern.

local operations_of = require "bide.model.protocol.closure"
local core = require "bide.core"
local scalar = require "bide.model.protocol.scalar"
local traits = require "bide.model.protocol.traits"

local M = {}

---@class bide.protocol.Request
---@field method string
---@field path string escaped, without the query
---@field query string[][] names and values, not escaped
---@field headers table<string, string>
---@field body string
---@field host_prefix string? what comes before the host of the endpoint

---@class bide.protocol.Response
---@field status integer
---@field headers table<string, string>
---@field body string

---@alias bide.protocol.Reader fun(service: bide.protocol.Service, output: bide.ModelShape,
---  response: bide.protocol.Response, operation: bide.ModelOperation?): table, boolean?
---  the output, or an error without an operation; and whether the answer has a member, which is so for all outputs that are not
---  empty if it is nil

---@class bide.protocol.Service a service of a model by one of its protocols
---@field model bide.Model
---@field shape bide.ModelShape
---@field target_prefix string
---@field codec table
---@field media_type string?
---@field error_header string? that names an error, beside X-Amzn-Errortype
---@field word? "rpc-v2-cbor"|"rpc-v2-json" by which requests name the protocol
---@field has_xml? boolean whether answers are XML
---@field is_ec2? boolean whether forms are those of ec2Query
---@field request fun(service: bide.protocol.Service, operation: bide.ModelOperation, input: table): bide.protocol.Request
---@field read bide.protocol.Reader
---@field is_own? fun(service: bide.protocol.Service, response: bide.protocol.Response): boolean whether an answer says that it
---is one of the protocol; without it, answers do not say that

local function rest_json(service)
  local bindings, json = require "bide.model.protocol.bindings", require "bide.model.protocol.json"
  service.codec, service.request, service.read = json.new(service.model, true), bindings.request, bindings.read
end

local function simple_rest_json(service)
  rest_json(service)
  service.error_header = "x-error-type"
end

local function rest_xml(service)
  local bindings, writer = require "bide.model.protocol.bindings", require "bide.model.protocol.xml_writer"
  service.codec, service.request, service.read = writer.new(service), bindings.request, bindings.read
  service.has_xml = true
end

local function rpc_json(version)
  return function(service) require("bide.model.protocol.rpc_json").prepare(service, version) end
end

local function rpc(word)
  return function(service) require("bide.model.protocol.rpc").prepare(service, word) end
end

local function forms(is_ec2)
  return function(service) require("bide.model.protocol.forms").prepare(service, is_ec2) end
end

---The protocols, in the order in which a service's are looked for: JSON is the fastest to read.
local protocols = {
  { "aws.protocols#awsJson1_0", rpc_json "1.0" },
  { "aws.protocols#awsJson1_1", rpc_json "1.1" },
  { "aws.protocols#restJson1", rest_json },
  { "alloy#simpleRestJson", simple_rest_json },
  { "aws.protocols#awsQuery", forms(false) },
  { "aws.protocols#ec2Query", forms(true) },
  { "aws.protocols#restXml", rest_xml },
  { "smithy.protocols#rpcv2Json", rpc "rpc-v2-json" },
  { "smithy.protocols#rpcv2Cbor", rpc "rpc-v2-cbor" },
}

-- ---- services -------------------------------------------------------------------------------

---Returns the services of a model by the ids of their operations.
---@param model bide.Model
---@return table<string, bide.ModelShape>
local function services_of(model)
  if model.services_by_operation then return model.services_by_operation end
  local services = {}
  for _, id in ipairs(model.service_ids) do
    for _, operation in ipairs(operations_of(model, id)) do
      services[operation] = services[operation] or model:shape(id)
    end
  end
  model.services_by_operation = services
  return services
end

---@param shape bide.ModelShape a service
---@param wanted string? the id of a protocol
---@return fun(service: bide.protocol.Service)? prepare
---@return string? mistake
local function choose(shape, wanted)
  for _, protocol in ipairs(protocols) do
    if wanted == protocol[1] or not wanted and shape.traits[protocol[1]] ~= nil then return protocol[2] end
  end
  if not wanted then
    return nil, ("the service %s has no protocol that bide knows"):format(shape.id:match "#(.*)$")
  end
  local names = {}
  for position, protocol in ipairs(protocols) do names[position] = protocol[1] end
  return nil, ("protocol: expected %s, found %s"):format(table.concat(names, ", "), wanted)
end

---Finds the service of an operation, and prepares one of its protocols.
---@param model bide.Model
---@param operation bide.ModelOperation
---@param wanted string? the id of a protocol; else the first of the service's that bide speaks
---@return bide.protocol.Service?
---@return string? mistake
function M.of(model, operation, wanted)
  local shape = services_of(model)[operation.id]
  if not shape then return nil, ("the operation %s belongs to no service of the model"):format(operation.name) end
  local prepare, mistake = choose(shape, wanted)
  if not prepare then return nil, mistake end
  local service = { model = model, shape = shape,
    target_prefix = shape.said["botocore.targetPrefix"] or shape.id:match "#(.*)$" }
  prepare(service)
  return service
end

-- ---- operations -----------------------------------------------------------------------------

---Returns what comes before the host: `data-{Bucket}.` with the members that it names.
local function host_prefix_of(operation, input)
  local endpoint = operation.traits[traits.endpoint]
  return endpoint and endpoint.hostPrefix:gsub("{([^}]+)}", function(name)
    local value = input[name]
    if type(value) ~= "string" or not value:find "^%w[%w-]*$" then
      error({ ("%s: expected a part of a host's name, found %s"):format(name, core.json.encode(value)) }, 0)
    end
    return value
  end) or nil
end

---Returns an input with a token for each member that is an idempotency token and has none. A wait has made its own, and
---keeps it over all of its attempts.
---@param operation bide.ModelOperation
---@param input table
---@return table
local function with_tokens(operation, input)
  for _, member in ipairs(operation.input.members) do
    if member.traits[traits.idempotency_token] ~= nil and scalar.is_missing(input[member.name]) then
      input = setmetatable({ [member.name] = M.new_token() }, { __index = input })
    end
  end
  return input
end

---Makes an idempotency token.
M.new_token = require("bide.probe.asking.operation").new_token

---@param service bide.protocol.Service
---@param operation bide.ModelOperation
---@param input table
---@return bide.protocol.Request?
---@return string? mistake of the input
function M.request(service, operation, input)
  return scalar.guard(function()
    local given = with_tokens(operation, scalar.is_missing(input) and {} or input)
    local request = service:request(operation, given)
    request.host_prefix = host_prefix_of(operation, given)
    return request
  end)
end

---@param service bide.protocol.Service
---@param operation bide.ModelOperation
---@param response bide.protocol.Response
---@return table? output
---@return bide.OperationError? failure
---@return boolean? has_member whether the answer has a member of the output; one that has none may have defaults all the same
function M.answer(service, operation, response)
  if response.status >= 300 then return nil, require("bide.model.protocol.errors").read(service, operation, response) end
  local output, mistake, has_member = scalar.guard(service.read, service, operation.output, response, operation)
  if not output then return nil, require("bide.model.protocol.errors").invalid(mistake, response) end
  if has_member == nil then has_member = next(output) ~= nil end
  return next(output) ~= nil and output or core.json.decode "{}", nil, has_member
end

return M
