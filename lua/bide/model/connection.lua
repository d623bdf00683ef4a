---Connects the operations of a model to their service: gives them a `call` by its protocol, its endpoint and its
---credentials.

local auth = require "bide.protocol.auth"
local aws = require "bide.aws"
local call = require "bide.protocol.call"
local endpoint = require "bide.protocol.endpoint"
local protocol = require "bide.protocol"
local secret = require "bide.secret"

local M = {}

---The way to a service, as a person gives it.
---@class bide.Connection
---@field endpoint? string an address, https unless it says http
---@field bearer? string a token
---@field basic? string "name:password"
---@field api_key? string
---@field region? string of AWS, as the following
---@field profile? string
---@field no_sign_request? boolean
---@field fips? boolean
---@field dual_stack? boolean
---@field is_sandboxed? boolean whether AWS, whose files hold credentials, is out of reach

---An operation that can be called.
---@class bide.ConnectedOperation
---@field call fun(input: table): any
---@field check? fun(input: table): string?
---@field warning? string
---@field lack? string what bide itself did not get for it before the deadline

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

---Returns the mistake of an option for AWS that is given for a service of others.
local function surplus(connection, name, words)
  for _, option in ipairs { "region", "profile", "no_sign_request", "fips", "dual_stack" } do
    if connection[option] then
      return ("%s: the service %s is not one of AWS's, and its requests are not signed"):format(words(option), name)
    end
  end
end

---Returns the way to a service that is not one of AWS's.
---@param service bide.protocol.Service
---@return bide.protocol.Route?
---@return string? mistake
---@return string? url
local function plain_route(service, operation, connection, words)
  local name = service.shape.id:match "#(.*)$"
  local mistake = surplus(connection, name, words)
  if mistake then return nil, mistake end
  local url
  url, mistake = endpoint_of(connection, name, words)
  if not url then return nil, connection.endpoint and mistake or or_call(mistake, operation, words) end
  local place = { url = url }
  return { locate = function() return place end }, nil, url
end

---The secrets that are hidden already.
local known = {}

---Hides the secrets of a connection wherever they appear.
local function hide(connection)
  for _, name in ipairs(auth.secrets) do
    local text = connection[name]
    for _, form in ipairs(text and not known[text] and auth.texts_of(text) or {}) do secret.remember(form) end
    known[text or ""] = true
  end
end

---@param operation bide.ModelOperation
---@param connection bide.Connection
---@param words fun(option: string): string how messages call an option
---@return bide.ConnectedOperation?
---@return string? mistake
function M.connect(operation, connection, words)
  hide(connection)
  local service, mistake = protocol.of(operation.model, operation)
  if not service then return nil, or_call(mistake, operation, words) end
  local is_of_aws = aws.is_one(service.shape)
  if is_of_aws and connection.is_sandboxed then return nil, "no service of AWS can be reached within the sandbox" end
  local signs = is_of_aws
  if connection.no_sign_request then signs = nil end
  local scheme, route, url
  scheme, mistake = auth.choose(service.shape, operation, connection, signs, words)
  if mistake then return nil, mistake end
  if is_of_aws then
    route, mistake, url = aws.route(operation, service.shape, connection, scheme == auth.SIGV4, words)
  else
    route, mistake, url = plain_route(service, operation, connection, words)
  end
  if not route then return nil, mistake end
  route.authorize = auth.writer(service.shape, scheme or false, connection)
  local run, check = call.of(operation, route)
  return { call = run, check = check, warning = url and warning_of(url, scheme) }
end

return M
