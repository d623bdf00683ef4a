---The operation error of an answer, in one way for all protocols. Its type is the name of a shape where the model has the
---error, whichever of its names the service sends; its code is the service's word. A service says an error by a header or
---by the body. A status alone says nothing, since any server or proxy may answer so: only after a HEAD, which has no body,
---it is looked up in the model. What a program says that does not speak the service's protocol is not looked up either.

local answer = require "bide.probe.asking.answer"
local core = require "bide.core"
local option = require "bide.text.option"
local scalar = require "bide.model.protocol.scalar"
local traits = require "bide.model.protocol.traits"

local json = core.json

local M = {}

local function name_of(shape)
  return shape.id:match "#(.*)$"
end

---@param operation bide.ModelOperation
---@return bide.ModelShape? the error that the operation has by its name, else by its code
local function find_error(operation, code)
  for _, shape in ipairs(operation.errors) do
    if name_of(shape) == code then return shape end
  end
  for _, shape in ipairs(operation.errors) do
    local trait = shape.traits[traits.query_error]
    if type(trait) == "table" and trait.code == code then return shape end
  end
end

---Returns the only error of an operation that has the status.
local function find_by_status(operation, status)
  local found
  for _, shape in ipairs(operation.errors) do
    if shape.traits[traits.http_error] == status then
      if found then return nil end
      found = shape
    end
  end
  return found
end

---Returns a response as bide.probe.asking.answer reads it, with what the query protocol says of the error kept apart.
---@param body string as JSON or XML
---@param error_header string? that names the error in this protocol, beside that of AWS
---@return table http
---@return string? code of the query protocol
local function as_http(response, body, error_header)
  local headers = {}
  for name, value in pairs(response.headers) do headers[name:lower()] = value end
  local code = (headers["x-amzn-query-error"] or ""):match "^[^;]+"
  headers["x-amzn-query-error"] = nil
  headers["x-amzn-errortype"] = headers["x-amzn-errortype"] or headers[error_header]
  return {
    status = response.status, headers = headers, body = body,
    document = function() return (json.read(body, { lenient = true })) end,
    json = function() return (json.decode(body, { lenient = true })) end,
  }, code
end

---The members of an operation error that bide reads itself. One of the service's error with such a name is left out.
local own = option.set "type code message status retryAfter address tries"

---Adds the members that the model gives an error. An answer that has them in another form still is that error.
---@param failure bide.OperationError gets them
---@param shape bide.ModelShape
local function add_members(failure, service, shape, response)
  local members = scalar.guard(service.read, service, shape, response) or {}
  for name, value in pairs(members) do
    if not own[name] then failure[name] = value end
  end
  local message = members.message or members.Message
  if type(message) == "string" and message ~= "" then failure.message = message end
end

---@param operation bide.ModelOperation
local function is_head(operation)
  local http = operation.traits[traits.http]
  return type(http) == "table" and http.method == "HEAD"
end

---Returns an operation error, and whether its type is the service's word. A body in XML names no error of a protocol that
---has none, and only XML names one of a protocol that has.
local function named_error(http, service)
  local failure, is_named = answer.named_error(http, true)
  local is_xml = http.body:find "^%s*<" ~= nil
  if http.body == "" or is_xml == (service.has_xml or false) then return failure, is_named end
  http.body = ""
  local by_header
  by_header, is_named = answer.named_error(http)
  failure.type = by_header.type
  return failure, is_named
end

---@param service bide.protocol.Service
---@param operation bide.ModelOperation
---@param response bide.protocol.Response whose status is 300 or above
---@return bide.OperationError
function M.read(service, operation, response)
  local error_text = service.codec and service.codec.error_text
  local http, code = as_http(response, error_text and error_text(response.body) or response.body, service.error_header)
  local failure, is_named = named_error(http, service)
  local shape
  if service.is_own and not service:is_own(response) then
    code = ("Http%d"):format(response.status)
  elseif is_named or code then
    shape = is_named and find_error(operation, failure.type) or code and find_error(operation, code)
    code = code or failure.type
  elseif is_head(operation) then
    code, shape = failure.type, find_by_status(operation, response.status)
  else
    code = ("Http%d"):format(response.status)
  end
  failure.type, failure.code = shape and name_of(shape) or code, code
  if shape then add_members(failure, service, shape, response) end
  return failure
end

---@param message string
---@param response bide.protocol.Response
---@return bide.OperationError
function M.invalid(message, response)
  return { type = "InvalidResponse", message = message, status = response.status }
end

return M
