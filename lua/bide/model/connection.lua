---Connects the operations of a model to their service: gives them a `call` by its protocol, its endpoint and its
---credentials.

local auth = require "bide.protocol.auth"
local call = require "bide.protocol.call"
local endpoint = require "bide.protocol.endpoint"
local protocol = require "bide.protocol"

local M = {}

---The way to a service, as a person gives it.
---@class bide.Connection
---@field endpoint? string an address, https unless it says http
---@field bearer? string a token
---@field basic? string "name:password"
---@field api_key? string

---An operation that can be called.
---@class bide.ConnectedOperation
---@field call fun(input: table): any
---@field check fun(input: table): string?
---@field warning? string

---@param connection bide.Connection
---@param name string of the service
---@param words fun(option: string): string
---@return string? url
---@return string? mistake
local function endpoint_of(connection, name, words)
  if not connection.endpoint then
    return nil, ("%s is missing: the model does not say where the service %s is"):format(words "endpoint", name)
  end
  local url, mistake = endpoint.read(connection.endpoint)
  return url, mistake and ("%s: %s"):format(words "endpoint", mistake)
end

---Warns of credentials that anybody on the way can read.
local function warning_of(url, scheme)
  if not scheme or not url:find "^http:" or endpoint.is_loopback(url) then return nil end
  return ("credentials are sent to %s without TLS"):format(endpoint.host(url))
end

---Words what an operation lacks, which a call from elsewhere need not have.
local function or_call(mistake, operation, words)
  return ("%s; or give %s a call by %s"):format(mistake, operation.name, words "with")
end

---@param operation bide.ModelOperation
---@param connection bide.Connection
---@param words fun(option: string): string how messages call an option
---@return bide.ConnectedOperation?
---@return string? mistake
function M.connect(operation, connection, words)
  local service, mistake = protocol.of(operation.model, operation)
  if not service then return nil, or_call(mistake, operation, words) end
  local url, scheme
  url, mistake = endpoint_of(connection, service.shape.id:match "#(.*)$", words)
  if not url then return nil, connection.endpoint and mistake or or_call(mistake, operation, words) end
  scheme, mistake = auth.choose(service.shape, operation, connection, false, words)
  if mistake then return nil, mistake end
  local place = { url = url }
  local run, check = call.of(operation, {
    locate = function() return place end, authorize = auth.writer(service.shape, scheme or false, connection),
  })
  return { call = run, check = check, warning = warning_of(url, scheme) }
end

return M
