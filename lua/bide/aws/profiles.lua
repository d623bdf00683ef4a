---The profiles of AWS: what AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE, or ~/.aws/config and ~/.aws/credentials,
---say about them. The files are read each time, so that a wait of hours sees keys that were renewed meanwhile.
---
---A file that is missing, or that may not be read, has no profiles; one that is not in the form of such files is a
---mistake.

local core = require "bide.core"
local environment = require "bide.text.environment"
local home = require "bide.model.aws.home"
local option = require "bide.text.option"
local switch = require "bide.model.aws.switch"

local M = {}

---The largest file that is read, in bytes.
local LARGEST = 4 * 1024 * 1024

---@alias bide.aws.Getenv fun(name: string): string? the value of an environment variable; nil if it is not set or empty

---@class bide.aws.Profiles
---@field profiles table<string, bide.aws.Section> the properties of both files, by the names of profiles
---@field sso_sessions table<string, bide.aws.Section>
---@field services table<string, bide.aws.Section>
---@field config string the name of that file in messages
---@field credentials string the same of the file of credentials
local Profiles = {}
Profiles.__index = Profiles

-- ---- reading ----------------------------------------------------------------------------------

---The sections of each file by its path, and the text that has them: large files are read more quickly than parsed.
---@type table<string, { text: string, sections: table<string, bide.aws.Section> }>
local parsed = {}

---@return table<string, bide.aws.Section>? sections
---@return string? mistake
local function parse(path, text)
  if parsed[path] and parsed[path].text == text then return parsed[path].sections end
  local found, mistake = require("bide.model.aws.sections").read(text)
  parsed[path] = found and { text = text, sections = found }
  return found, mistake
end

---@return table<string, bide.aws.Section>? sections
---@return string label the file's name for messages, with the reason if it may not be read
---@return string? mistake
local function read(path, getenv)
  local text, failure = home.read(home.expand(path, getenv), LARGEST)
  if not text then return {}, failure and ("%s (%s)"):format(path, failure) or path end
  local found, mistake = parse(path, text)
  return found, path, mistake and ("%s: %s"):format(path, mistake)
end

local function unquoted(name)
  return name:match '^"(.*)"$' or name:match "^'(.*)'$" or name
end

---Adds properties to those of a name.
local function merge(by_name, name, section)
  by_name[name] = by_name[name] or {}
  for property, value in pairs(section) do by_name[name][property] = value end
end

local kinds = { profile = "profiles", ["sso-session"] = "sso_sessions", services = "services" }

---Adds the sections of the file config: [default], [profile x], [sso-session x], [services x].
local function add_config(self, found)
  if found.default then merge(self.profiles, "default", found.default) end
  for title, section in pairs(found) do
    local kind, name = title:match "^(%S+)%s+(.*)$"
    if kinds[kind] then merge(self[kinds[kind]], unquoted(name), section) end
  end
end

---Reads both files.
---@param getenv? bide.aws.Getenv the environment of the process by default
---@return bide.aws.Profiles?
---@return string? mistake
function M.open(getenv)
  getenv = getenv or environment
  local self = setmetatable({ profiles = {}, sso_sessions = {}, services = {} }, Profiles)
  local found, mistake
  found, self.config, mistake = read(getenv "AWS_CONFIG_FILE" or "~/.aws/config", getenv)
  if mistake then return nil, mistake end
  add_config(self, found)
  found, self.credentials, mistake = read(getenv "AWS_SHARED_CREDENTIALS_FILE" or "~/.aws/credentials", getenv)
  if mistake then return nil, mistake end
  for name, section in pairs(found) do merge(self.profiles, name, section) end
  return self
end

-- ---- profiles ---------------------------------------------------------------------------------

---@param name string
---@return bide.aws.Section?
function Profiles:find(name)
  return self.profiles[name]
end

---Returns the names of all profiles, sorted.
---@return string[]
function Profiles:names()
  return option.sorted_names(self.profiles)
end

---Returns a profile that has to be there.
---@param name string
---@return bide.aws.Section?
---@return string? mistake
function Profiles:must_find(name)
  local profile = self.profiles[name]
  if profile then return profile end
  local near = core.names.nearest(name, self:names())
  return nil, ("there is no profile %s in %s and %s%s"):format(option.describe(name), self.config, self.credentials,
    near and (", did you mean %s?"):format(option.describe(near)) or "")
end

---Returns the name of the profile that is used: the given one, that of the environment, or "default".
---@param given string?
---@param getenv bide.aws.Getenv
---@return string name
---@return boolean is_chosen whether anybody has said so
function M.name(given, getenv)
  local name = given or getenv "AWS_PROFILE" or getenv "AWS_DEFAULT_PROFILE"
  return name or "default", name ~= nil
end

---Opens the files, and finds the profile that is used.
---@param given? string the name that was given
---@param getenv? bide.aws.Getenv the environment of the process by default
---@return bide.aws.Profiles?
---@return bide.aws.Section|string profile without properties if "default" does not exist; or the mistake
function M.chosen(given, getenv)
  getenv = getenv or environment
  local self, mistake = M.open(getenv)
  if not self then return nil, mistake --[[@as string]] end
  local name, is_chosen = M.name(given, getenv)
  if not is_chosen then return self, self:find(name) or {} end
  local profile
  profile, mistake = self:must_find(name)
  return profile and self, profile or mistake --[[@as string]]
end

---Returns the file with the authorities to trust, of the environment or of a profile.
---@param profile bide.aws.Section
---@param getenv? bide.aws.Getenv the environment of the process by default
---@return string? path
function M.ca(profile, getenv)
  getenv = getenv or environment
  local path = getenv "AWS_CA_BUNDLE" or profile.ca_bundle
  return path and path ~= "" and home.expand(path, getenv) or nil
end

-- ---- endpoints --------------------------------------------------------------------------------

---Returns the endpoint that a section of services has for a service.
---@return string? url
---@return string? mistake
local function endpoint_of_services(self, profile, key)
  if not profile.services then return nil end
  local section = self.services[profile.services]
  if not section then
    return nil, ("%s: there is no section [services %s], which a profile names"):format(self.config, profile.services)
  end
  return section[key] and require("bide.model.aws.sections").nested(section[key]).endpoint_url
end

local function key_of(service_id)
  return (service_id:gsub("[ -]", "_"):lower())
end

---@return string? url
---@return boolean is_said whether nothing else counts
---@return string? mistake
local function endpoint_of_environment(service_id, getenv)
  local is_ignored, mistake = switch("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", getenv "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS")
  if is_ignored ~= false then return nil, true, mistake end
  local url = getenv("AWS_ENDPOINT_URL_" .. key_of(service_id):upper()) or getenv "AWS_ENDPOINT_URL"
  return url, url ~= nil
end

---Returns the URL that the environment or a profile names for a service.
---@param service_id string "DynamoDB", "Elastic Beanstalk": the service's id, as models have it
---@param profile bide.aws.Section
---@param getenv bide.aws.Getenv
---@return string? url nil if there is none
---@return string? mistake
function Profiles:endpoint_url(service_id, profile, getenv)
  local url, is_said, wrong = endpoint_of_environment(service_id, getenv)
  if is_said then return url, wrong end
  local is_ignored, unread = switch("ignore_configured_endpoint_urls of the profile", profile.ignore_configured_endpoint_urls)
  if is_ignored ~= false then return nil, unread end
  local own, mistake = endpoint_of_services(self, profile, key_of(service_id))
  if mistake then return nil, mistake end
  return own or profile.endpoint_url
end

---Returns the URL that the environment or the profile names for a service. If the environment says it, no file is read.
---@param service_id string "DynamoDB", "Elastic Beanstalk": the service's id, as models have it
---@param profile? string the name of a profile; by default that of the environment
---@param getenv? bide.aws.Getenv the environment of the process by default
---@return string? url nil if there is none
---@return string? mistake
function M.endpoint_url(service_id, profile, getenv)
  getenv = getenv or environment
  local url, is_said, mistake = endpoint_of_environment(service_id, getenv)
  if is_said then return url, mistake end
  local self, found = M.chosen(profile, getenv)
  if not self then return nil, found --[[@as string]] end
  return self:endpoint_url(service_id, found --[[@as bide.aws.Section]], getenv)
end

return M
