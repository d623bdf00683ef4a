---Connects the operations of a model to their service: gives them a `prepare` by its protocol, its endpoint and its
---credentials.

local auth = require "bide.model.protocol.auth"
local aws = require "bide.aws"
local call = require "bide.model.protocol.call"
local endpoint = require "bide.model.protocol.endpoint"
local origin = require "bide.probe.http.origin"
local protocol = require "bide.model.protocol.service"
local secret = require "bide.text.secret"
local shown = require "bide.text.shown"
local traits = require "bide.model.protocol.traits"

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
---@field is_trusted? boolean whether a model that is a file may say where credentials go

---An operation that can be called.
---@class bide.ConnectedOperation
---@field prepare? fun(input: table): (fun(): any)?, string?
---@field call? fun(input: table): any in place of prepare, of one that was not connected before its deadline
---@field warning? string
---@field lack? string what bide itself did not get for it before the deadline
---@field host_of? fun(input: table): string? the host that is asked for an input
---@field page_token? string the path of the output by which the service says that a page follows

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
  if not scheme or not url:find "^http:" or origin.is_loopback(url) then return nil end
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
---@param has_credentials boolean
---@return bide.protocol.Route?
---@return string? mistake
---@return string? url
local function plain_route(service, operation, connection, has_credentials, words)
  local name = service.shape.id:match "#(.*)$"
  local mistake = surplus(connection, name, words)
  if mistake then return nil, mistake end
  local url
  url, mistake = endpoint_of(connection, name, words)
  if not url then return nil, connection.endpoint and mistake or or_call(mistake, operation, words) end
  local place = { url = url, takes_parts = not has_credentials }
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

-- ---- whom credentials are for -----------------------------------------------------------------

---@class bide.ModelOrigin where a model is from
---@field file string
---@field is_data fun(): boolean reports whether it is of the data of AWS's services

---Returns why a model that is a file gets no credentials, and what does work.
---@param operation bide.ModelOperation
---@param service bide.ModelShape
---@param connection bide.Connection
---@param from bide.ModelOrigin
local function refusal_of(operation, service, connection, from)
  local host, name = aws.asked_host(operation, service, connection), aws.name_in_data(service)
  local file = shown.word(from.file)
  return ("the model %s asks for credentials at %s, and a file does not say where those go: give %s, "
    .. "or, if you trust the file, bide run %s --trust-model …"):format(file, host or "a host of its own",
    name and ("bide run aws:%s … (the data of AWS)"):format(name) or ("bide run %s --endpoint URL …"):format(file), file)
end

---Decides whether an operation of a service of AWS gets its credentials. A model that is a file says where its service is,
---and does not get the user's credentials there.
---@param scheme string|false
---@param is_optional boolean? whether the operation needs none
---@return string|false|nil scheme
---@return string? mistake
---@return string? note
local function trusted_scheme(operation, service, connection, from, scheme, is_optional)
  local is_given = scheme and scheme ~= auth.SIGV4
  if connection.no_sign_request and not scheme then return scheme end
  if scheme and (not is_optional or is_given) then return nil, refusal_of(operation, service, connection, from) end
  return false, nil, ("%s is asked without credentials, which the model %s does not get"):format(operation.name, from.file)
end

---Returns the path of an output by which a service says that a page follows. An operation may leave it to its service.
---@param service bide.ModelShape
---@param operation bide.ModelOperation
---@return string?
local function page_token_of(service, operation)
  local own, common = operation.traits[traits.paginated], service.traits[traits.paginated]
  if type(own) ~= "table" then return nil end
  local token = own.outputToken or type(common) == "table" and common.outputToken
  return type(token) == "string" and token:find "^[%a_][%w_.]*$" and token or nil
end

---@param operation bide.ModelOperation
---@param connection bide.Connection
---@param words fun(option: string): string how messages call an option
---@param from bide.ModelOrigin
---@return bide.ConnectedOperation?
---@return string? mistake
function M.connect(operation, connection, words, from)
  hide(connection)
  local service, mistake = protocol.of(operation.model, operation)
  if not service then return nil, or_call(mistake, operation, words) end
  local is_of_aws = aws.is_one(service.shape)
  if is_of_aws and connection.is_sandboxed then return nil, "no service of AWS can be reached within the sandbox" end
  local signs = is_of_aws
  if connection.no_sign_request then signs = nil end
  local scheme, is_optional, route, url, note
  scheme, mistake, is_optional = auth.choose(service.shape, operation, connection, signs, words)
  if mistake then return nil, mistake end
  if is_of_aws then
    url, mistake = aws.own_endpoint(connection, service.shape, words)
    if mistake then return nil, mistake end
    local is_trusted = connection.is_trusted or from.is_data()
    if not url and not is_trusted then
      scheme, mistake, note = trusted_scheme(operation, service.shape, connection, from, scheme, is_optional)
      if mistake then return nil, mistake end
    end
    -- a file that is trusted may say where credentials go, unless the user says it
    local takes_parts = from.is_data() or is_trusted and not url
    route, mistake = aws.route(operation, service.shape, connection,
      { endpoint = url, scheme = scheme, takes_parts = takes_parts }, words)
  else
    route, mistake, url = plain_route(service, operation, connection, scheme ~= false, words)
  end
  if not route then return nil, mistake end
  route.authorize = auth.writer(service.shape, scheme or false, connection)
  local function host_of(input)
    local place = route.locate(input)
    return place and endpoint.host(place.url)
  end
  return { prepare = call.of(operation, route), warning = note or url and warning_of(url, scheme), host_of = host_of,
    page_token = page_token_of(service.shape, operation) }
end

return M
