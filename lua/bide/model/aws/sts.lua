---Asks the Security Token Service for the keys of a role: for an identity that may assume it, or for a token of another
---service's identity.

local ask = require "bide.model.aws.ask"
local date = require "bide.text.http_date"
local home = require "bide.model.aws.home"
local identity = require "bide.model.aws.identity"
local origin = require "bide.probe.http.origin"
local partition = require "bide.model.aws.partition"
local secret = require "bide.text.secret"
local sigv4 = require "bide.aws.sigv4"

local M = {}

---The region whose signature the global endpoint expects.
local GLOBAL_REGION = "us-east-1"

local TIMEOUT = 10 -- seconds

---The least difference between two clocks, in seconds, that explains a refused signature; AWS allows five minutes.
local LEAST_SKEW = 240

---The largest file with a token, in bytes.
local LARGEST_TOKEN = 64 * 1024

---A role, and the parameters of the request for it.
---@class bide.aws.Role
---@field arn string
---@field source string for messages
---@field session_name? string
---@field external_id? string
---@field duration? string seconds
---@field token_file? string with a web identity

---The place of the service.
---@class bide.aws.Place
---@field region? string
---@field endpoint? string in place of that of the region
---@field ca? string a file with the authorities to trust
---@field is_fips? boolean

---Returns the end of a region's hosts.
---@param region string
---@return string
function M.suffix(region)
  return partition.find(require("bide.model.aws.data").partitions(), region).dnsSuffix
end

---@param place bide.aws.Place
---@return string url
function M.url(place)
  if place.endpoint then return place.endpoint end
  local region = place.region
  if not region then return "https://sts.amazonaws.com/" end
  local is_fips = place.is_fips and not region:find "^us%-gov%-" -- whose usual endpoint is FIPS
  return ("https://%s.%s.%s/"):format(is_fips and "sts-fips" or "sts", region, M.suffix(region))
end

---Returns an operation of the service.
---@param name string
---@return bide.ModelOperation
local function operation_of(name)
  local text = require "bide.model.aws.sts_model"
  local model = require("bide.model.assembly.reader").of_texts { { file = "sts.json", text = text } }
  return assert(model:operation(name))
end

---@param operation bide.ModelOperation
---@param response bide.http.Response
---@param source string
---@return bide.aws.Identity?
---@return string? mistake
local function read(operation, response, source)
  local output, failure = operation:answer(response)
  if failure then
    return nil, ("%s: %s answered %s: %s"):format(source, operation.name, failure.type, failure.message or "no message")
  end
  if not output.Credentials then return nil, ("%s: %s answered without keys"):format(source, operation.name) end
  return identity.of_object(output.Credentials, source)
end

---Sends a request; if the service's clock is another one, once more by that.
---@param request bide.http.Request
---@param meant string a URL of the origin at whose host, or below it, the service is
---@param signer bide.aws.Identity?
---@param scope bide.aws.Scope
---@return bide.http.Response?
---@return string? mistake
local function ask_signed(request, meant, signer, scope)
  local function ask_service()
    return ask(request, meant, origin.LABELS)
  end
  if not signer then return ask_service() end
  local offset = 0
  request.sign = function(method, url, headers, body)
    local time = math.floor(home.now() + offset)
    return sigv4.sign({ method = method, url = url, headers = headers, body = body, time = time }, signer, scope)
  end
  local response, mistake = ask_service()
  local at = response and response.status == 403 and date.read(response.headers.date)
  if not at or math.abs(at - home.now()) < LEAST_SKEW then return response, mistake end
  offset = at - home.now()
  return ask_service()
end

---Sends the request of an operation.
---@param role bide.aws.Role
---@param place bide.aws.Place
---@param operation bide.ModelOperation
---@param input table
---@param signer bide.aws.Identity? of the request; nil if it is not signed
---@return bide.aws.Identity?
---@return string? mistake
local function send(role, place, operation, input, signer)
  input.RoleArn, input.DurationSeconds = role.arn, tonumber(role.duration)
  input.RoleSessionName = role.session_name or ("bide-%d"):format(home.now() // 1)
  local built = assert(operation:request(input))
  local meant = place.endpoint or "https://" .. (place.region and M.suffix(place.region) or "amazonaws.com")
  local url, scope = M.url(place), { region = place.region or GLOBAL_REGION, service = "sts" }
  local response, mistake = ask_signed({
    method = built.method, url = url, body = built.body, headers = built.headers, ca = place.ca, timeout = TIMEOUT,
    retry = "standard",
  }, meant, signer, scope)
  if not response then return nil, ("%s: %s: %s"):format(role.source, url, mistake) end
  return read(operation, response, role.source)
end

---@param role bide.aws.Role
---@param signer bide.aws.Identity
---@param place bide.aws.Place
---@return bide.aws.Identity?
---@return string? mistake
function M.assume_role(role, signer, place)
  return send(role, place, operation_of "AssumeRole", { ExternalId = role.external_id }, signer)
end

---Asks by the token in a file, which is read each time, since other programs renew it.
---@param role bide.aws.Role
---@param place bide.aws.Place
---@return bide.aws.Identity?
---@return string? mistake
function M.assume_role_with_web_identity(role, place)
  local token, mistake = home.read(role.token_file, LARGEST_TOKEN)
  if not token then
    mistake = mistake or "no such file"
    return nil, ("%s: the token file %s cannot be read: %s"):format(role.source, role.token_file, mistake)
  end
  token = token:match "^.*%S" or ""
  secret.remember_latest(role.token_file, token)
  if token == "" then return nil, ("%s: the token file %s is empty"):format(role.source, role.token_file) end
  return send(role, place, operation_of "AssumeRoleWithWebIdentity", { WebIdentityToken = token })
end

return M
