---Finds where the keys of a profile come from: a role that it assumes, keys in the files, SSO, or a process. Only the
---files are looked at; asking for keys comes later.

local home = require "bide.model.aws.home"
local identity = require "bide.model.aws.identity"
local is_loopback = require("bide.probe.http.origin").is_loopback
local option = require "bide.text.option"
local shown = require "bide.text.shown"
local switch = require "bide.model.aws.switch"

local M = {}

---The most roles that are assumed one through another.
local MOST_ROLES = 16

---A place that keys come from.
---@class bide.aws.Source
---@field name string for messages
---@field fetch fun(): bide.aws.Identity?, string? may wait
---@field program? string what is run

---The means by which sources are found.
---@class bide.aws.Search
---@field getenv bide.aws.Getenv
---@field files bide.aws.Profiles
---@field profile string the name of the profile that is used
---@field region? string for STS
---@field ca? string

---Returns what a profile has for a setting, nil if that is empty.
local function setting(profile, name)
  local value = profile[name]
  return value ~= "" and value or nil
end

---The URLs that a warning has named.
local warned = {}

---Warns if an endpoint gets credentials without TLS over the network.
local function warn_of(url)
  if not url or not url:find "^http:" or warned[url] or is_loopback(url) then return end
  warned[url] = true
  shown.warn("credentials are sent to " .. url .. " without TLS")
end

---Returns where STS and the portal of SSO are.
---@param search bide.aws.Search
---@param service_id string
---@return bide.aws.Place?
---@return string? mistake
function M.place_of(search, service_id)
  local profile = search.files:find(search.profile) or {}
  local endpoint, mistake = search.files:endpoint_url(service_id, profile, search.getenv)
  if mistake then return nil, mistake end
  warn_of(endpoint)
  local fips = search.getenv "AWS_USE_FIPS_ENDPOINT"
  local is_fips, unread = switch(fips and "AWS_USE_FIPS_ENDPOINT" or "use_fips_endpoint of the profile",
    fips or profile.use_fips_endpoint)
  if unread then return nil, unread end
  return { region = search.region, endpoint = endpoint, ca = search.ca, is_fips = is_fips }
end

-- ---- keys -------------------------------------------------------------------------------------

---@return bide.aws.Source?
---@return string? mistake
local function keys_of(_, profile, name)
  local keys = {
    access_key = setting(profile, "aws_access_key_id"), secret_key = setting(profile, "aws_secret_access_key"),
    session_token = setting(profile, "aws_session_token"),
  }
  if not keys.access_key and not keys.secret_key then return nil end
  local source = "the profile " .. name
  local found, mistake = identity.new(keys, source)
  if not found then return nil, mistake end
  return { name = source, fetch = function() return found end }
end

---@return bide.aws.Source?
---@return string? mistake
local function sso_of(search, profile, name)
  if not setting(profile, "sso_session") and not setting(profile, "sso_start_url") then return nil end
  local sso = require "bide.model.aws.sso"
  local role, mistake = sso.role_of(search.files, profile, name)
  if not role then return nil, mistake end
  local place
  place, mistake = M.place_of(search, "SSO")
  if not place then return nil, mistake end
  return { name = role.source, fetch = function() return sso.credentials(role, place, search.getenv) end }
end

---@return bide.aws.Source?
local function process_of(_, profile, name)
  local command = setting(profile, "credential_process")
  if not command then return nil end
  command = command:gsub("\\?\n", " ") -- the SDKs take the end of a line as a blank
  local process = require "bide.model.aws.credential_process"
  local source = ("credential_process of the profile %s (%s)"):format(name, process.name_of(command))
  return { name = source, program = source, fetch = function() return process.run(command, source) end }
end

-- ---- roles ------------------------------------------------------------------------------------

local sources_of_role = {
  Environment = function(search)
    local source, mistake = identity.environment(search.getenv)
    if source or mistake then return source, mistake end
    return nil, "credential_source is Environment, and AWS_ACCESS_KEY_ID is not set"
  end,
  Ec2InstanceMetadata = function(search)
    local metadata = require "bide.model.aws.metadata"
    local why = metadata.refusal(search.getenv)
    if why then return nil, "credential_source is Ec2InstanceMetadata, and " .. why end
    return { name = "the role of the instance", fetch = function() return metadata.of_instance(search.getenv) end }
  end,
  EcsContainer = function(search)
    local metadata = require "bide.model.aws.metadata"
    if not metadata.is_container(search.getenv) then
      return nil, "credential_source is EcsContainer, and AWS_CONTAINER_CREDENTIALS_RELATIVE_URI is not set"
    end
    return { name = "the container", fetch = function() return metadata.of_container(search.getenv) end }
  end,
}

local credential_source = option.one_of { "Environment", "Ec2InstanceMetadata", "EcsContainer" }

local find

---Finds the source of the keys that assume a role.
---@param visited string[] the profiles on the way, and each as a name
---@return bide.aws.Source?
---@return string? mistake
local function signer_of(search, profile, name, visited)
  local from, by = setting(profile, "source_profile"), setting(profile, "credential_source")
  if from and by then return nil, ("the profile %s has both source_profile and credential_source"):format(name) end
  if by then
    local mistake = option.mistake(by, credential_source)
    if mistake then return nil, ("the profile %s: credential_source: %s"):format(name, mistake) end
    return sources_of_role[by](search)
  end
  if not from then
    return nil, ("the profile %s has a role_arn, and neither source_profile nor credential_source"):format(name)
  end
  local source, mistake = search.files:must_find(from)
  if not source then return nil, ("the source_profile of the profile %s: %s"):format(name, mistake) end
  if from == name and setting(source, "aws_access_key_id") then return keys_of(search, source, name) end
  source, mistake = find(search, source, from, visited)
  if source or mistake then return source, mistake end
  return nil, ("the profile %s, the source_profile of the profile %s, has no credentials"):format(from, name)
end

---@return bide.aws.Role?
---@return string? mistake
local function read_role(profile, name)
  if setting(profile, "mfa_serial") then
    return nil, ("the profile %s has an mfa_serial, and bide cannot ask for a code: use a credential_process that does")
      :format(name)
  end
  local duration = setting(profile, "duration_seconds")
  if duration and not duration:find "^%d%d?%d?%d?%d?$" then
    return nil, ("the profile %s: duration_seconds: expected a number of seconds, found %s")
      :format(name, option.describe(duration))
  end
  return {
    arn = profile.role_arn, source = "the role of the profile " .. name, duration = duration,
    session_name = setting(profile, "role_session_name"), external_id = setting(profile, "external_id"),
    token_file = setting(profile, "web_identity_token_file"),
  }
end

---Makes the source of a role that is assumed by the token in a file.
---@param search bide.aws.Search
---@param role bide.aws.Role
---@return bide.aws.Source?
---@return string? mistake
function M.web_identity(search, role)
  local place, mistake = M.place_of(search, "STS")
  if not place then return nil, mistake end
  role.token_file = home.expand(role.token_file, search.getenv)
  return { name = role.source, fetch = function()
    return require("bide.model.aws.sts").assume_role_with_web_identity(role, place)
  end }
end

---@return bide.aws.Source?
---@return string? mistake
local function role_of(search, profile, name, visited)
  if not setting(profile, "role_arn") then return nil end
  local role, mistake = read_role(profile, name)
  if not role then return nil, mistake end
  if role.token_file then return M.web_identity(search, role) end
  local signer, place
  signer, mistake = signer_of(search, profile, name, visited)
  if not signer then return nil, mistake end
  place, mistake = M.place_of(search, "STS")
  if not place then return nil, mistake end
  return { name = role.source, program = signer.program, fetch = function()
    local found, why = signer.fetch()
    if not found then return nil, why end
    return require("bide.model.aws.sts").assume_role(role, found, place)
  end }
end

local finders = { role_of, keys_of, sso_of, process_of }

---@return bide.aws.Source?
---@return string? mistake
function find(search, profile, name, visited)
  if visited[name] then
    return nil, ("the profile %s is its own source_profile: %s -> %s"):format(name, table.concat(visited, " -> "), name)
  elseif #visited == MOST_ROLES then
    return nil, ("the profile %s assumes a role through more than %d profiles"):format(visited[1], MOST_ROLES)
  end
  visited[#visited + 1], visited[name] = name, true
  for _, finder in ipairs(finders) do
    local source, mistake = finder(search, profile, name, visited)
    if source or mistake then return source, mistake end
  end
end

---Finds where the keys of the profile come from.
---@param search bide.aws.Search
---@return bide.aws.Source? source nil if it has none
---@return string? mistake
function M.find(search)
  local profile = search.files:find(search.profile)
  if profile then return find(search, profile, search.profile, {}) end
end

return M
