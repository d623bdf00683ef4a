---The operations of a model, with the shapes that they refer to, and the requests and answers of their protocols.

local M = {}

---An operation with the shapes that it refers to.
---@class bide.ModelOperation: bide.ModelShape
---@field name string
---@field input bide.ModelShape
---@field output bide.ModelShape
---@field errors bide.ModelShape[]
---@field model bide.Model
---@field protocol string?
---@field service bide.protocol.Service? once it is needed
local Operation = {}

---@return bide.protocol.Service?
---@return string? mistake
local function prepare(operation)
  local mistake
  if not operation.service then
    operation.service, mistake = require("bide.model.protocol.service").of(operation.model, operation, operation.protocol)
  end
  return operation.service, mistake
end

---Writes the request for an input, before endpoint and signature.
---@param input table
---@return bide.protocol.Request?
---@return string? mistake of the input, or why the operation has no protocol
function Operation:request(input)
  local service, mistake = prepare(self)
  if not service then return nil, mistake end
  return require("bide.model.protocol.service").request(service, self, input)
end

---Reads an answer.
---@param response bide.protocol.Response
---@return table? output
---@return bide.OperationError? failure
---@return boolean? has_member whether the answer has a member of the output
function Operation:answer(response)
  local service = assert(prepare(self))
  return require("bide.model.protocol.service").answer(service, self, response)
end

---@param model bide.Model
---@param shape bide.ModelShape of the type operation
---@param protocol string?
---@return bide.ModelOperation? operation
---@return string? mistake if the service does not have the protocol
function M.of(model, shape, protocol)
  local operation = setmetatable({ name = shape.id:match "#(.*)$", errors = {}, model = model, protocol = protocol },
    { __index = function(_, name) return Operation[name] or shape[name] end })
  operation.input = model:shape(shape.said.input.target)
  operation.output = model:shape(shape.said.output.target)
  for position, reference in ipairs(shape.said.errors or {}) do
    operation.errors[position] = model:shape(reference.target)
  end
  if not protocol then return operation end
  local service, mistake = prepare(operation)
  return service and operation or nil, mistake
end

return M
