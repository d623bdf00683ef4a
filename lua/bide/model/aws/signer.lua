---Signs the requests of many waits with the same keys, and gets over what time does to signatures: a clock that is wrong,
---and keys that have expired.

local core = require "bide.core"
local credentials = require "bide.aws.credentials"
local date = require "bide.text.http_date"
local duration = require "bide.text.duration"
local option = require "bide.text.option"
local retries = require "bide.task.retries"
local sigv4 = require "bide.aws.sigv4"

local M = {}

---The least difference between two clocks, in seconds, that explains a refused signature; services allow five minutes.
local LEAST_SKEW = 240

local skew = option.set [[
  RequestTimeTooSkewed RequestExpired RequestInTheFuture InvalidSignatureException SignatureDoesNotMatch AuthFailure ]]

local expired = option.set "ExpiredToken ExpiredTokenException"

---@class bide.aws.Signer
---@field provider bide.aws.Provider
---@field scope bide.aws.Scope
---@field offset number seconds by which the service's clock is ahead
---@field sign bide.http.Sign the same function for all its requests, so that equal ones are shared
local Signer = {}
Signer.__index = Signer

local function now()
  return core.loop.wall() / 1000
end

---Returns the keys; raises the operation error NoCredentials if there are none any more.
---@return bide.aws.Identity
function Signer:identity()
  local identity, mistake = self.provider:get()
  return identity or error({ type = "NoCredentials", message = mistake }, 0)
end

---@return table<string, string> headers
local function sign(self, method, url, headers, body)
  return sigv4.sign({ method = method, url = url, headers = headers, body = body,
    time = math.floor(now() + self.offset) }, self:identity(), self.scope)
end

-- ---- what time does to signatures -------------------------------------------------------------

---Takes over the clock of a service that has refused a signature by a wrong one.
---@param before number the offset with which the request was signed
---@return boolean? has_changed
local function correct_clock(self, response, before)
  local at = date.read(response.headers.date)
  local offset = at and at - now()
  if not offset or math.abs(offset - before) < LEAST_SKEW then return false end
  self.offset = offset
  local minutes = math.floor(math.abs(offset) / 60 + 0.5)
  retries.note(("the service's clock is %s %s"):format(duration.format(minutes * 60000), offset > 0 and "ahead" or "behind"))
  return true
end

---Gets other keys in place of those that have expired.
---@param identity bide.aws.Identity
---@return boolean has_changed
local function renew(self, identity)
  self.provider:renew(identity)
  local other, mistake = self.provider:get()
  retries.note(mistake)
  return other ~= nil and (other.access_key ~= identity.access_key or other.session_token ~= identity.session_token)
end

---Does what lets a refused request succeed when it is sent again.
---@return boolean
---@param method string of the request
---@param response bide.http.Response
local function recover(self, method, response, identity, offset)
  local failure = response:operation_error()
  local is_unexplained = method == "HEAD" and response.status == 403
  if skew[failure.type] or is_unexplained then return correct_clock(self, response, offset) end
  return expired[failure.type] and renew(self, identity) or false
end

---Sends a request, and once more if the clock was wrong or the keys had expired.
---@param exchange fun(): bide.http.Response signs it by this signer, and sends it
---@param method string
---@return bide.http.Response
function Signer:send(exchange, method)
  local identity, offset = self:identity(), self.offset
  local response = exchange()
  if response.status < 400 or not recover(self, method, response, identity, offset) then return response end
  retries.add_retry()
  return exchange()
end

-- ---- signers ----------------------------------------------------------------------------------

---@type table<string, bide.aws.Provider>
local providers = {}

---Returns the provider of a profile, which all signers share. Asks for its keys, so that a mistake comes before the wait.
---@param profile string?
---@param region string? for STS
---@return bide.aws.Provider?
---@return string? mistake
function M.provider(profile, region)
  local key = ("%s\n%s"):format(profile or "", region or "")
  if providers[key] then return providers[key] end
  local provider, mistake = credentials.provider { profile = profile, region = region }
  if not provider then return nil, mistake end
  local identity
  identity, mistake = provider:get()
  providers[key] = identity and provider
  return providers[key], mistake
end

---@type table<bide.aws.Provider, table<string, bide.aws.Signer>>
local signers = setmetatable({}, { __mode = "k" })

---Returns the signer of a provider for a scope: one for all waits.
---@param provider bide.aws.Provider
---@param scope bide.aws.Scope
---@return bide.aws.Signer
function M.of(provider, scope)
  local key = ("%s\n%s\n%s"):format(scope.service, scope.region, scope.double_encode)
  local own = signers[provider] or {}
  signers[provider] = own
  if not own[key] then
    local signer = setmetatable({ provider = provider, scope = scope, offset = 0 }, Signer)
    signer.sign = function(...) return sign(signer, ...) end
    own[key] = signer
  end
  return own[key]
end

return M
