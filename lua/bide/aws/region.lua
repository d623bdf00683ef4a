---Finds the region that requests are for: the given one, AWS_REGION, AWS_DEFAULT_REGION, that of the profile, that of
---the instance.
---
---    local region, mistake = require("bide.aws.region").find { profile = "dev" }

local environment = require "bide.text.environment"
local option = require "bide.text.option"
local profiles = require "bide.aws.profiles"
local retries = require "bide.task.retries"

local M = {}

local kinds = option.kinds

local kind_of = { region = kinds.text, profile = kinds.identifier, getenv = kinds.callable }

---@class bide.aws.RegionOptions
---@field region? string what the user has given
---@field profile? string the name of a profile; by default that of the environment
---@field getenv? bide.aws.Getenv the environment of the process by default

---Checks a region, which becomes part of a host's name.
---@param place string where it is from
---@return string? region
---@return string? mistake
local function checked(region, place)
  if type(region) == "string" and #region < 64 and region:find "^%w[%w-]*$" then return region end
  return nil, ("%s: expected a region such as eu-west-1, found %s"):format(place, option.describe(region))
end

---Finds the region without asking the instance.
---@param given bide.aws.RegionOptions
---@return string? region
---@return string? mistake
---@return bide.aws.Profiles? searched the files, if there is no region and no mistake
function M.said(given)
  local getenv = given.getenv or environment
  if given.region then return checked(given.region, "region") end
  for _, name in ipairs { "AWS_REGION", "AWS_DEFAULT_REGION" } do
    if getenv(name) then return checked(getenv(name), name) end
  end
  local files, profile = profiles.chosen(given.profile, getenv)
  if not files then return nil, profile --[[@as string]] end
  if (profile.region or "") ~= "" then
    return checked(profile.region, "the region of the profile " .. profiles.name(given.profile, getenv))
  end
  return nil, nil, files
end

---Asks the instance, whose answer is the last place.
---@return string? region
---@return string? why
local function of_instance(getenv)
  local metadata = require "bide.model.aws.metadata"
  local refusal = metadata.refusal(getenv)
  if refusal then return nil, refusal end
  retries.expect "region yet from the instance metadata"
  local region, mistake = metadata.region(getenv)
  retries.expect(nil)
  if not region then return nil, "the instance metadata has none: " .. mistake end
  return checked(region, "the region of the instance")
end

---Finds the region. May wait.
---@param given? bide.aws.RegionOptions
---@return string? region
---@return string? mistake what was looked at
function M.find(given)
  given = given or {}
  local wrong = option.check(given, kind_of)
  if wrong then error("bide.aws.region.find: " .. wrong, 2) end
  local region, mistake, searched = M.said(given)
  if region or mistake then return region, mistake end
  local getenv = given.getenv or environment
  region, mistake = of_instance(getenv)
  if region then return region end
  return nil, ("no AWS region: AWS_REGION and AWS_DEFAULT_REGION are not set, the profile %s has none in %s, and %s")
    :format((profiles.name(given.profile, getenv)), searched --[[@as bide.aws.Profiles]].config, mistake)
end

return M
