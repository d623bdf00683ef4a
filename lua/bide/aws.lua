---The way to a service of AWS: its endpoint by the rules of the service, its region, its signature.

local auth = require "bide.model.protocol.auth"
local core = require "bide.core"
local endpoint = require "bide.model.protocol.endpoint"
local environment = require "bide.text.environment"
local origin = require "bide.probe.http.origin"
local option = require "bide.text.option"
local parameters = require "bide.model.aws.parameters"
local rules_engine = require "bide.aws.endpoint"
local script_error = require "bide.text.script_error"
local switch = require "bide.model.aws.switch"

local M = {}

local RULES, SERVICE = "smithy.rules#endpointRuleSet", "aws.api#service"

---Reports whether a service is one of AWS's, or as good as one: signed like them, or with endpoint rules.
---@param service bide.ModelShape
---@return boolean
function M.is_one(service)
  return service.traits[auth.SIGV4] ~= nil or service.traits[SERVICE] ~= nil or service.traits[RULES] ~= nil
end

---The service's id, by which variables and profiles name it.
local function id_of(service)
  local trait = service.traits[SERVICE]
  return type(trait) == "table" and trait.sdkId or service.id:match "#(.*)$"
end

-- ---- data -------------------------------------------------------------------------------------

local partitions

---@return table the document partitions.json
local function known_partitions()
  partitions = partitions or require("bide.model.aws.data").partitions()
  return partitions
end

---Returns the rule set of a service: its trait, or a file beside botocore's.
---@param service bide.ModelShape
---@return table?
local function rules_of(service)
  local given = service.traits[RULES]
  if type(given) == "table" then return given end
  local text = require("bide.model.botocore.data_file").read((service.source.file:gsub("[^/]*$", "endpoint-rule-set-1.json")))
  return text and core.json.decode(text) or nil
end

-- ---- settings ---------------------------------------------------------------------------------

---Reports whether a switch is on: by the connection, the environment or the profile.
---@return boolean? is_on
---@return string? mistake
local function is_on(given, variable, profile, member)
  if given then return true end
  local text = environment(variable)
  return switch(text and variable or member .. " of the profile", text or profile[member])
end

---Returns the endpoint that the user gives a service, in place of the one of its rules: on the command line, in the
---environment, in the profile.
---@param connection bide.Connection
---@param service bide.ModelShape
---@param words fun(option: string): string
---@return string? url
---@return string? mistake
function M.own_endpoint(connection, service, words)
  if connection.endpoint then
    local url, mistake = endpoint.read(connection.endpoint)
    return url, mistake and ("%s: %s"):format(words "endpoint", mistake)
  end
  local text, mistake = require("bide.aws.profiles").endpoint_url(id_of(service), connection.profile)
  if not text then return nil, mistake end
  local url
  url, mistake = endpoint.read(text)
  return url, mistake and "the endpoint URL of the environment or the profile: " .. mistake
end

---Finds the region. Only where it is needed is the instance asked.
---@param connection bide.Connection
---@param is_needed boolean
---@return string? region
---@return string? mistake
local function region_of(connection, is_needed)
  local region = require "bide.aws.region"
  local given = { region = connection.region, profile = connection.profile }
  if is_needed or given.region then return region.find(given) end
  return (region.said(given))
end

---@param connection bide.Connection
---@param url string? the user's own endpoint
---@param needs_region boolean
---@return bide.aws.Settings?
---@return string? mistake
local function settings_of(connection, url, needs_region)
  local profiles = require "bide.aws.profiles"
  local files, profile = profiles.chosen(connection.profile)
  if not files then return nil, profile --[[@as string]] end
  local region, mistake = region_of(connection, needs_region)
  if mistake then return nil, mistake end
  local fips, unread = is_on(connection.fips, "AWS_USE_FIPS_ENDPOINT", profile, "use_fips_endpoint")
  if unread then return nil, unread end
  local dual_stack
  dual_stack, unread = is_on(connection.dual_stack, "AWS_USE_DUALSTACK_ENDPOINT", profile, "use_dualstack_endpoint")
  if unread then return nil, unread end
  return { endpoint = url, region = region, ca = profiles.ca(profile), fips = fips, dual_stack = dual_stack }
end

-- ---- places -----------------------------------------------------------------------------------

---The names for which requests to a service may be signed beside its own one: those that AWS's own rules have.
M.signing_names = { s3 = option.set "s3-object-lambda s3-outposts s3express" }

---Returns the mistake of a name to sign for that is another service's.
local function mistake_of_name(service, name, own)
  if name == own or M.signing_names[own] and M.signing_names[own][name] then return nil end
  return ("the endpoint rules ask for a signature for %s, and the service %s is signed for as %s"):format(
    option.describe(name), id_of(service), option.describe(own))
end

---Reports whether what rules have found is a list of schemes of authentication.
local function are_schemes(found)
  if type(found) ~= "table" then return false end
  for _, scheme in ipairs(found) do
    if type(scheme) ~= "table" or type(scheme.name) ~= "string" then return false end
  end
  return #found > 0 or next(found) == nil
end

---Returns the scope of signatures at an endpoint: what its rules say, else the service's name and the region.
---@return bide.aws.Scope?
---@return string? mistake
local function scope_of(service, settings, found)
  local trait, schemes, chosen = service.traits[auth.SIGV4], found.properties.authSchemes or {}, {}
  if not are_schemes(schemes) then return nil, "the endpoint rules: authSchemes: expected a list of objects with names" end
  for _, scheme in ipairs(schemes) do
    if scheme.name == "sigv4" and not chosen.name then chosen = scheme end
  end
  if #schemes > 0 and not chosen.name then
    return nil, ("the endpoint needs %s, which bide does not have"):format(schemes[1].name)
  end
  local own = type(trait) == "table" and trait.name
  if not own then return nil, ("the service %s has no name to sign for"):format(id_of(service)) end
  local name = chosen.signingName or own
  local mistake = mistake_of_name(service, name, own)
  if mistake then return nil, mistake end
  local region = settings.region
  if chosen.signingRegion then
    region, mistake = require("bide.aws.region").said { region = chosen.signingRegion }
    if not region then return nil, "the endpoint rules: " .. mistake end
  end
  local scope = { service = name, region = region }
  if chosen.disableDoubleEncoding then scope.double_encode = false end
  return scope
end

---Returns the headers that the rules add to all requests.
---@return table<string, string>?
---@return string? mistake
local function joined(headers)
  local texts = {}
  for name, values in pairs(headers) do
    if auth.is_owned(name) then
      return nil, ("the endpoint rules set the header %s, which they may not set"):format(option.describe(name))
    end
    local ok, text = pcall(table.concat, values, ", ")
    if not ok then return nil, ("the endpoint rules: the header %s: expected a list of texts"):format(option.describe(name)) end
    texts[name] = text
  end
  return texts
end

---Returns why credentials do not go to the URL that rules have found; nil if they may.
---@param wire bide.aws.Wire
---@param url string
---@return string?
local function mistake_of_url(wire, url)
  local own = wire.settings.endpoint
  if own then return origin.stray_url(url, own, origin.LABELS) end
  if wire.scheme and not url:lower():find "^https://" then
    return ("the endpoint rules lead to %s, and credentials go to no endpoint but https; --endpoint says another")
      :format(origin.shown_url(url))
  end
end

---@class bide.aws.Wire
---@field service bide.ModelShape
---@field rules table? of its endpoints
---@field settings bide.aws.Settings
---@field scheme string|false|nil of authentication
---@field takes_parts boolean whether a host prefix may make another host
---@field provider bide.aws.Provider? nil for requests that are not signed

---@param wire bide.aws.Wire
---@param found bide.aws.Endpoint
---@return bide.protocol.Place?
---@return string? mistake
local function place_of(wire, found)
  local mistake = mistake_of_url(wire, found.url)
  if mistake then return nil, mistake end
  local url
  url, mistake = endpoint.read(found.url)
  if not url then return nil, "the endpoint rules: " .. mistake end
  local headers, wrong = joined(found.headers)
  if not headers then return nil, wrong end
  local place = { url = url, headers = headers, ca = wire.settings.ca,
    takes_parts = wire.takes_parts or not wire.scheme }
  if not wire.provider then return place end
  local scope
  scope, mistake = scope_of(wire.service, wire.settings, found)
  if not scope then return nil, mistake end
  place.signer = require("bide.model.aws.signer").of(wire.provider, scope)
  place.sign = place.signer.sign
  return place
end

---Follows the rules of a model. What is wrong with the rules themselves is a mistake too.
---@return bide.aws.Endpoint? found
---@return string? mistake
local function resolve(rules, given)
  local ok, found, mistake = pcall(rules_engine.resolve, rules, known_partitions(), given)
  if ok then return found, mistake end
  script_error.pass_out_of_memory(found)
  local text = tostring(found):gsub("^endpoint rules: ", ""):gsub("^%[bide%]%S* ", "")
  return nil, "the model is broken: endpoint rules: " .. text
end

---Returns a function that finds the place of an input by rules.
---@param wire bide.aws.Wire
local function by_rules(wire, operation)
  local parameters_of, depends = parameters.of(wire.rules, operation, wire.settings)
  local last
  return function(input)
    if last then return last end
    local found, mistake = resolve(wire.rules, parameters_of(input))
    if not found then return nil, mistake end
    local place
    place, mistake = place_of(wire, found)
    last = not depends and place or nil
    return place, mistake
  end
end

---@param wire bide.aws.Wire
---@param operation bide.ModelOperation
---@param words fun(option: string): string
---@return (fun(input: table): bide.protocol.Place?, string?)? locate
---@return string? mistake
local function locator(wire, operation, words)
  if wire.rules then return by_rules(wire, operation) end
  if not wire.settings.endpoint then
    return nil, ("%s is missing: the model has no endpoint rules of the service %s"):format(words "endpoint", id_of(wire.service))
  end
  local place, mistake = place_of(wire, { url = wire.settings.endpoint, properties = {}, headers = {} })
  if not place then return nil, mistake end
  return function() return place end
end

---Leaves the bucket out of the path, since S3's rules put it into the endpoint.
local function without_bucket(request)
  request.path = request.path:gsub("^/[^/]*", "", 1)
end

---Leaves the kind out of an id of Route 53, which answers with "/change/C1" and wants "C1".
local function without_kind(request)
  request.path = request.path:gsub("%%2F%l+%%2F", "")
end

---Adds the version of the API, without which Glacier refuses requests.
local function with_version(version)
  return function(request) request.headers["X-Amz-Glacier-Version"] = version end
end

local function has_bucket_in_path(operation)
  local http = operation.traits["smithy.api#http"]
  return http ~= nil and http.uri:find("^/{Bucket}") ~= nil
end

---Makes the edit of requests to a service, or none.
---@alias bide.aws.NewEdit fun(service: bide.ModelShape, operation: bide.ModelOperation, has_rules: boolean):
---  (fun(request: bide.protocol.Request))?

---An adaptation of the requests of a service to its endpoint, by the id of the service (its sdkId).
---@class bide.aws.Quirk
---@field id string
---@field edit bide.aws.NewEdit

---All rows of a service apply.
---@type bide.aws.Quirk[]
M.quirks = {
  { id = "Route 53", edit = function() return without_kind end },
  { id = "Glacier", edit = function(service) return with_version(service.said.version) end },
  { id = "S3", edit = function(_, operation, has_rules)
    return has_rules and has_bucket_in_path(operation) and without_bucket or nil
  end },
}

---Returns how the request of an operation is adapted to its endpoint; nil if it stays.
---@return fun(request: bide.protocol.Request)?
local function edit_of(service, operation, has_rules)
  local id, edits = id_of(service), {}
  for _, quirk in ipairs(M.quirks) do
    if quirk.id == id then edits[#edits + 1] = quirk.edit(service, operation, has_rules) end
  end
  if #edits == 0 then return nil end
  return function(request)
    for _, edit in ipairs(edits) do edit(request) end
  end
end

---Returns the host to which the rules of a service lead, as far as that can be known without asking anyone.
---@param operation bide.ModelOperation
---@param service bide.ModelShape
---@param connection bide.Connection
---@return string? host with its port; nil if it depends on something else
function M.asked_host(operation, service, connection)
  local rules, settings = rules_of(service), settings_of(connection, nil, false)
  if not rules or not settings then return nil end
  local found = resolve(rules, parameters.of(rules, operation, settings)(core.json.document {}))
  local place = found and require("bide.probe.http.transfer").origin(found.url)
  return place and origin.shown(place) or nil
end

---Returns the name in the data of the service that a model is of, as its traits name it.
---@param service bide.ModelShape
---@return string? name "rds"; nil if the data have no such service
function M.name_in_data(service)
  local data, trait, sigv4 = require "bide.model.aws.data", service.traits[SERVICE], service.traits[auth.SIGV4]
  local said = type(trait) == "table" and trait or {}
  local signed = type(sigv4) == "table" and sigv4.name
  for _, given in ipairs { said.sdkId or "", said.endpointPrefix or "", said.arnNamespace or "", signed or "" } do
    local name = type(given) == "string" and given:lower():gsub(" ", "") or ""
    if name ~= "" and data.facts(name) then return name end
  end
end

---@class bide.aws.Asked what a connection asks for
---@field endpoint string? the user's own
---@field scheme string|false|nil of authentication
---@field takes_parts boolean whether a host prefix may make another host, which gets credentials too

---Returns the way of an operation's requests. May wait, for the region and the credentials.
---@param operation bide.ModelOperation
---@param service bide.ModelShape
---@param connection bide.Connection
---@param asked bide.aws.Asked
---@param words fun(option: string): string how messages call an option
---@return bide.protocol.Route?
---@return string? mistake
function M.route(operation, service, connection, asked, words)
  local wire = { service = service, rules = rules_of(service), scheme = asked.scheme, takes_parts = asked.takes_parts }
  local signs, mistake = asked.scheme == auth.SIGV4
  wire.settings, mistake = settings_of(connection, asked.endpoint, signs or wire.rules ~= nil)
  if not wire.settings then return nil, mistake end
  if signs then
    wire.provider, mistake = require("bide.model.aws.signer").provider(connection.profile, wire.settings.region)
    if not wire.provider then return nil, mistake end
  end
  local locate
  locate, mistake = locator(wire, operation, words)
  if not locate then return nil, mistake end
  return {
    locate = locate, retry = "standard", share = true, mark = "x-amz",
    edit = edit_of(service, operation, wire.rules ~= nil),
    send = signs and function(exchange, method, place) return place.signer:send(exchange, method) end or nil,
  }
end

return M
