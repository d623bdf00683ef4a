---The keys that sign requests. Each of their secrets is remembered here before anything else is done with it,
---so that no message can hold one.

local core = require "bide.core"
local protocol_time = require "bide.model.protocol.time"
local secret = require "bide.text.secret"

local M = {}

---@class bide.aws.Identity : bide.aws.Credentials
---@field expiry? number seconds since 1970
---@field source string where they are from, for messages

---The names of an identity's members in JSON: those of containers and instances, credential_process and SSO.
local names_in_json = {
  access_key = { "AccessKeyId", "accessKeyId" },
  secret_key = { "SecretAccessKey", "secretAccessKey" },
  session_token = { "Token", "SessionToken", "sessionToken" },
  expiry = { "Expiration", "expiration" },
}

local function remember(keys, source)
  for _, name in ipairs { "secret_key", "session_token" } do
    if type(keys[name]) == "string" then secret.remember_latest(source .. "\n" .. name, keys[name]) end
  end
end

---@return string? mistake
local function mistake_of(keys)
  for _, name in ipairs { "access_key", "secret_key", "session_token" } do
    local value, words = keys[name], name:gsub("_", " ")
    if value == nil and name == "session_token" then return nil end
    if type(value) ~= "string" or value == "" then return "there is no " .. words end
    if value:find "[^!-~]" then return ("the %s has a blank or a control character in it"):format(words) end
  end
end

---Makes an identity of keys.
---@param keys { access_key: any, secret_key: any, session_token: any, expiry: any }
---@param source string
---@return bide.aws.Identity?
---@return string? mistake
function M.new(keys, source)
  if keys.session_token == "" then keys.session_token = nil end
  remember(keys, source)
  local mistake = mistake_of(keys)
  if mistake then return nil, ("%s: %s"):format(source, mistake) end
  local expiry = keys.expiry and protocol_time.read(keys.expiry)
  if keys.expiry and not expiry then return nil, ("%s: the time of expiry cannot be read"):format(source) end
  return {
    access_key = keys.access_key, secret_key = keys.secret_key, session_token = keys.session_token, expiry = expiry,
    source = source,
  }
end

---Makes the source of keys that the environment holds.
---@param getenv bide.aws.Getenv
---@return bide.aws.Source? source nil if there are none
---@return string? mistake
function M.environment(getenv)
  local keys = {
    access_key = getenv "AWS_ACCESS_KEY_ID", secret_key = getenv "AWS_SECRET_ACCESS_KEY",
    session_token = getenv "AWS_SESSION_TOKEN", expiry = getenv "AWS_CREDENTIAL_EXPIRATION",
  }
  if not keys.access_key and not keys.secret_key then return nil end
  local found, mistake = M.new(keys, "the environment")
  if keys.access_key and not keys.secret_key then
    mistake = "AWS_ACCESS_KEY_ID is set, and AWS_SECRET_ACCESS_KEY is not"
  elseif keys.secret_key and not keys.access_key then
    mistake = "AWS_SECRET_ACCESS_KEY is set, and AWS_ACCESS_KEY_ID is not"
  end
  if mistake then return nil, mistake end
  return { name = "the environment", fetch = function() return found end }
end

---Returns the value of an object, nil if it is null.
local function member(object, names)
  for _, name in ipairs(names) do
    local value = object[name]
    if value ~= nil and value ~= core.json.null then return value end
  end
end

---Makes an identity of an object of JSON that has its keys.
---@param object any
---@param source string
---@return bide.aws.Identity?
---@return string? mistake
function M.of_object(object, source)
  if type(object) ~= "table" then return nil, ("%s: expected an object with keys"):format(source) end
  local keys = {}
  for name, names in pairs(names_in_json) do keys[name] = member(object, names) end
  return M.new(keys, source)
end

---Decodes JSON that may hold secrets: a mistake shows nothing of it.
---@param text string
---@return table? object
---@return string? mistake
function M.decode(text)
  local object, failure = core.json.decode(text)
  if failure then return nil, "expected JSON, found something else" end
  if type(object) ~= "table" then return nil, "expected an object of JSON, found something else" end
  return object
end

return M
