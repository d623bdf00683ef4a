---The protocols awsJson1_0 and awsJson1_1: a POST of the whole input, whose operation is in a header.

local json = require "bide.model.protocol.json"
local traits = require "bide.model.protocol.traits"

local M = {}

---@param service bide.protocol.Service
---@param operation bide.ModelOperation
---@param input table
---@return bide.protocol.Request
local function request(service, operation, input)
  local headers = {
    ["Content-Type"] = service.media_type,
    ["X-Amz-Target"] = service.target_prefix .. "." .. operation.name,
  }
  if service.shape.traits[traits.query_compatible] ~= nil then headers["x-amzn-query-mode"] = "true" end
  return { method = "POST", path = "/", query = {}, headers = headers,
    body = service.codec:encode(operation.input.members, input) }
end

---@param service bide.protocol.Service
---@param shape bide.ModelShape the output
---@param response bide.protocol.Response
---@return table output
---@return boolean has_member
local function read(service, shape, response)
  local output = {}
  return output, service.codec:decode(response.body, shape.members, output)
end

---@param service bide.protocol.Service
---@param version "1.0"|"1.1"
function M.prepare(service, version)
  service.media_type, service.codec = "application/x-amz-json-" .. version, json.new(service.model, false)
  service.request, service.read = request, read
end

return M
