---Finds the keys that sign requests to AWS, in the order of the SDKs:
---
---    the environment: AWS_ACCESS_KEY_ID …, unless a profile is given
---    the web identity of the environment: AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN, unless a profile is given
---    the profile: its role, keys, SSO, credential_process
---    the container: AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or AWS_CONTAINER_CREDENTIALS_FULL_URI
---    the instance: the metadata service of EC2
---
---    local provider, mistake = credentials.provider { profile = "dev", region = "eu-west-1" }
---    local identity, mistake = provider:get()
---
---Keys that expire are asked for again in time. All waits share a provider, and what it asks for.

local home = require "bide.model.aws.home"
local identities = require "bide.model.aws.identity"
local option = require "bide.text.option"
local profiles = require "bide.aws.profiles"
local region = require "bide.aws.region"
local retries = require "bide.task.retries"
local share = require "bide.probe.http.share"
local variable = require "bide.text.environment"

local M = {}

---Keys are renewed this many seconds before they expire.
local EARLY = 300

---The time after a renewal that failed, in seconds, in which keys that have not expired are used as they are.
local PAUSE = 30

local kinds = option.kinds

local kind_of = { profile = kinds.identifier, region = kinds.identifier, getenv = kinds.callable }

---@class bide.aws.ProviderOptions
---@field profile? string the name of a profile; by default that of the environment
---@field region? string for STS; by default that of the environment or of the profile
---@field getenv? bide.aws.Getenv the environment of the process by default

---The means of the links of the chain, and the places that had no credentials.
---@class bide.aws.ChainSearch : bide.aws.Search
---@field is_given boolean whether the user has given the profile
---@field looked string[]

-- ---- the chain --------------------------------------------------------------------------------

local function note(search, format, ...)
  table.insert(search.looked, format:format(...))
end

---@param search bide.aws.ChainSearch
local function environment(search)
  if search.is_given then return nil end
  local source, mistake = identities.environment(search.getenv)
  if not source and not mistake then note(search, "AWS_ACCESS_KEY_ID is not set") end
  return source, mistake
end

---@param search bide.aws.ChainSearch
local function web_identity(search)
  local getenv = search.getenv
  local file, arn = getenv "AWS_WEB_IDENTITY_TOKEN_FILE", getenv "AWS_ROLE_ARN"
  if search.is_given or not file then return nil end
  if not arn then return nil, "AWS_WEB_IDENTITY_TOKEN_FILE is set, and AWS_ROLE_ARN is not" end
  return require("bide.model.aws.profile_source").web_identity(search, {
    arn = arn, session_name = getenv "AWS_ROLE_SESSION_NAME", token_file = file,
    source = "the web identity of the environment",
  })
end

---@param search bide.aws.ChainSearch
local function profile(search)
  local source, mistake = require("bide.model.aws.profile_source").find(search)
  if not source and not mistake then
    note(search, "the profile %s has none in %s and %s", search.profile, search.files.config, search.files.credentials)
  end
  return source, mistake
end

---@param search bide.aws.ChainSearch
local function container(search)
  local getenv, metadata = search.getenv, require "bide.model.aws.metadata"
  if not metadata.is_container(getenv) then
    note(search, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI is not set")
    return nil
  end
  local mistake = metadata.container_mistake(getenv)
  if mistake then return nil, mistake end
  return { name = "the container", fetch = function() return metadata.of_container(getenv) end }
end

---Returns the mistake of a chain without keys.
local function nothing(search)
  return "no AWS credentials: " .. table.concat(search.looked, ", ")
end

---@param search bide.aws.ChainSearch
local function instance(search)
  local metadata = require "bide.model.aws.metadata"
  local why = metadata.refusal(search.getenv)
  if why then
    note(search, "%s", why)
    return nil, nothing(search)
  end
  return { name = "the role of the instance", fetch = function()
    local found, mistake = metadata.of_instance(search.getenv)
    if found then return found end
    note(search, "the instance metadata has none: %s", mistake)
    return nil, nothing(search)
  end }
end

local links = { environment, web_identity, profile, container, instance }

---Reads what the links need.
---@param given bide.aws.ProviderOptions
---@return bide.aws.ChainSearch?
---@return string? mistake
local function search_of(given)
  local getenv = given.getenv or variable
  local files, chosen = profiles.chosen(given.profile, getenv)
  if not files then return nil, chosen --[[@as string]] end
  local found, mistake = region.said { region = given.region, profile = given.profile, getenv = getenv }
  if mistake then return nil, mistake end
  return {
    getenv = getenv, files = files, profile = profiles.name(given.profile, getenv), region = found,
    ca = profiles.ca(chosen --[[@as bide.aws.Section]], getenv), is_given = given.profile ~= nil, looked = {},
  }
end

---Returns the first source of the chain.
---@param given bide.aws.ProviderOptions
---@return bide.aws.Source?
---@return string? mistake
local function find(given)
  local search, wrong = search_of(given)
  if not search then return nil, wrong end
  for _, link in ipairs(links) do
    local source, mistake = link(search)
    if source or mistake then return source, mistake end
  end
end

-- ---- the provider -----------------------------------------------------------------------------

---@class bide.aws.Provider
---@field given bide.aws.ProviderOptions
---@field name string where keys came from when it was made, for messages
---@field identity bide.aws.Identity?
---@field failed_at number? when keys could not be renewed, in seconds since 1970
local Provider = {}
Provider.__index = Provider

---The result that all callers that waited for keys share.
---@class bide.aws.Fetched
---@field identity bide.aws.Identity?
---@field mistake string?
local Fetched = {}
Fetched.__index = Fetched

function Fetched:copy() return self end

---Looks along the chain again, since files change while a wait lasts.
---@param provider bide.aws.Provider
---@return bide.aws.Fetched
local function fetch(provider)
  local fetched = setmetatable({}, Fetched)
  local source
  source, fetched.mistake = find(provider.given)
  if source then fetched.identity, fetched.mistake = source.fetch() end
  if source and source.program then retries.announce("ran " .. source.program) end
  if fetched.identity then provider.identity = fetched.identity end
  provider.failed_at = not fetched.identity and home.now() or nil
  return fetched
end

local function lasts(identity, seconds)
  return identity and (not identity.expiry or identity.expiry - seconds > home.now())
end

---Returns keys, and asks for them if there are none or they expire soon. May wait. If keys cannot be renewed, those
---that have not expired yet are returned.
---@return bide.aws.Identity?
---@return string? mistake
function Provider:get()
  local before = self.identity
  if lasts(before, EARLY) then return before end
  if lasts(before, 0) and self.failed_at and home.now() - self.failed_at < PAUSE then return before end
  retries.expect("credentials yet from " .. self.name)
  local fetched = share.run(("aws credentials %p"):format(self), function() return fetch(self) end)
  retries.expect(nil)
  if fetched.identity then return fetched.identity end
  if lasts(before, 0) then return before end
  return nil, fetched.mistake
end

---Forgets the keys, so that the next `get` asks for others: after the service has said that they have expired.
---@param identity? bide.aws.Identity those that the service refused; if others came meanwhile, they stay
function Provider:renew(identity)
  if not identity or identity == self.identity then self.identity = nil end
end

---Finds where keys come from, and sends nothing yet.
---@param given? bide.aws.ProviderOptions
---@return bide.aws.Provider?
---@return string? mistake what the files and the environment already show to be wrong
function M.provider(given)
  given = given or {}
  local wrong = option.check(given, kind_of)
  if wrong then error("bide.aws.credentials.provider: " .. wrong, 2) end
  local source, mistake = find(given)
  if not source then return nil, mistake end
  return setmetatable({ given = given, name = source.name }, Provider)
end

return M
