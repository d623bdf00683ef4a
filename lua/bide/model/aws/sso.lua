---Credentials of IAM Identity Center, by the token that `aws sso login` has left in ~/.aws/sso/cache. An expired token
---is not renewed here: only a person with a browser can log in.

local ask = require "bide.model.aws.ask"
local home = require "bide.model.aws.home"
local names_in = require("bide.model.aws.folder").names_in
local identity = require "bide.model.aws.identity"
local origin = require "bide.probe.http.origin"
local protocol_time = require "bide.model.protocol.time"
local secret = require "bide.text.secret"
local sts = require "bide.model.aws.sts"
local web_address = require "bide.text.web_address"

local M = {}

local TIMEOUT = 10 -- seconds

---The largest file of the cache that is read, in bytes.
local LARGEST = 64 * 1024

---@class bide.aws.SsoRole
---@field start_url string
---@field region string
---@field account string
---@field role string
---@field source string for messages
---@field login string the command that logs in

-- ---- what a profile says ----------------------------------------------------------------------

local needed = { "sso_start_url", "sso_region", "sso_account_id", "sso_role_name" }

---Reads the role of a profile, which has all settings itself, or some in its section [sso-session].
---@param files bide.aws.Profiles
---@param profile bide.aws.Section
---@param name string the profile's
---@return bide.aws.SsoRole?
---@return string? mistake
function M.role_of(files, profile, name)
  local session = profile.sso_session and files.sso_sessions[profile.sso_session]
  if profile.sso_session and not session then
    return nil, ("the profile %s: there is no section [sso-session %s] in %s")
      :format(name, profile.sso_session, files.config)
  end
  local settings = {}
  for _, setting in ipairs(needed) do
    local value = session and session[setting] or profile[setting]
    if not value or value == "" then return nil, ("the profile %s has no %s"):format(name, setting) end
    settings[setting] = value
  end
  if not settings.sso_region:find "^%w[%w-]*$" then
    return nil, ("the profile %s: sso_region: expected a region such as eu-west-1"):format(name)
  end
  return {
    start_url = settings.sso_start_url, region = settings.sso_region, account = settings.sso_account_id,
    role = settings.sso_role_name, source = "the SSO role of the profile " .. name,
    login = "aws sso login --profile " .. name,
  }
end

-- ---- the token --------------------------------------------------------------------------------

---@return { token: string, expiry: number }? cached nil if the file has no token for the URL
local function token_in(path, start_url)
  local text = home.read(path, LARGEST)
  local object = text and identity.decode(text)
  if not object or type(object.accessToken) ~= "string" then return nil end
  if object.startUrl ~= start_url or not object.accessToken:find "^[!-~]+$" then return nil end
  return { token = object.accessToken, expiry = protocol_time.read(object.expiresAt) or 0 }
end

---Returns the token of the cache for a start URL that is valid for the longest time.
local function cached_token(start_url, getenv)
  local folder, latest = home.expand("~/.aws/sso/cache", getenv), nil
  for _, name in ipairs(names_in(folder, "%.json$")) do
    local found = token_in(folder .. "/" .. name, start_url)
    if found and (not latest or found.expiry > latest.expiry) then latest = found end
  end
  return latest
end

-- ---- the keys ---------------------------------------------------------------------------------

---Returns the URL of a role's keys.
---@param role bide.aws.SsoRole
---@param endpoint string? in place of that of the region
---@return string
function M.url(role, endpoint)
  endpoint = endpoint or ("https://portal.sso.%s.%s"):format(role.region, sts.suffix(role.region))
  return ("%s/federation/credentials?role_name=%s&account_id=%s")
    :format(endpoint:gsub("/+$", ""), web_address.escape(role.role), web_address.escape(role.account))
end

---@param role bide.aws.SsoRole
---@param response bide.http.Response
---@return bide.aws.Identity?
---@return string? mistake
local function read(role, response)
  if response.status == 401 then
    return nil, ("%s: the token of the session is no longer valid: run %s"):format(role.source, role.login)
  end
  local object, mistake = identity.decode(response.body)
  if response.status ~= 200 then
    local said = object and type(object.message) == "string" and object.message or "no message"
    return nil, ("%s: the portal answered with the status %d: %s"):format(role.source, response.status, said)
  end
  if not object then return nil, ("%s: the portal's answer: %s"):format(role.source, mistake) end
  local keys = object.roleCredentials
  if type(keys) == "table" and math.type(keys.expiration) then
    keys.expiration = keys.expiration / 1000 -- they are milliseconds
  end
  return identity.of_object(keys, role.source)
end

---Gets the keys of a role.
---@param role bide.aws.SsoRole
---@param place { endpoint: string?, ca: string? }
---@param getenv bide.aws.Getenv
---@return bide.aws.Identity?
---@return string? mistake
function M.credentials(role, place, getenv)
  local cached = cached_token(role.start_url, getenv)
  if not cached then
    return nil, ("%s: ~/.aws/sso/cache has no token for %s: run %s"):format(role.source, role.start_url, role.login)
  elseif cached.expiry <= home.now() then
    return nil, ("%s: the session has expired: run %s"):format(role.source, role.login)
  end
  secret.remember_latest(role.start_url, cached.token)
  local response, mistake = ask({
    url = M.url(role, place.endpoint),
    headers = { ["x-amz-sso_bearer_token"] = cached.token, Accept = "application/json" },
    ca = place.ca, timeout = TIMEOUT, retry = "standard",
  }, place.endpoint or "https://" .. sts.suffix(role.region), origin.LABELS)
  if not response then return nil, ("%s: %s"):format(role.source, mistake) end
  return read(role, response)
end

return M
