---Calls an operation, and takes what it gives for what it is: an output or an
---operation error, each as a document.

local core = require "bide.core"
local script_error = require "bide.script_error"

local json = core.json

local M = {}

---@param value any
---@return boolean
function M.is_response(value)
  local metatable = type(value) == "userdata" and getmetatable(value)
  return type(metatable) == "table" and metatable.__name == "bide.response"
end

---An operation error as a document; its members beyond type, message and status are kept.
---@param failure table
---@return userdata document
function M.error_document(failure)
  local document, mistake = json.document(failure)
  if document then return document end
  local known = { type = failure.type, message = tostring(failure.message or mistake) }
  if type(failure.status) == "number" then known.status = failure.status end
  return assert(json.document(known))
end

local function of_response(response)
  local failure = response:operation_error()
  if failure then return nil, failure end
  return response:document()
end

---@param value any
---@return userdata? output a document
---@return table? failure an operation error
local function read_output(value)
  if M.is_response(value) then return of_response(value) end
  if value == nil then value = {} end
  local document, mistake = json.document(value)
  if document then return document end
  error(script_error.of(("the operation returned what JSON has no word for: %s"):format(tostring(mistake))), 0)
end

---Calls it with a fresh copy of the input. Raises a script error, and nothing else.
---@param call fun(input: any): any
---@param input userdata a document
---@return userdata? output a document
---@return table? failure an operation error
function M.call(call, input)
  local ok, value = xpcall(call, script_error.explain, input:value())
  if ok then return read_output(value) end
  if script_error.is_operation_error(value) then return nil, script_error.plain_operation_error(value) end
  error(value, 0)
end

return M
