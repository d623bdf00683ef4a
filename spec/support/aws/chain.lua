---The chain of credentials, with a home folder and a server of a spec that stands for all of AWS.
---
---    chain.prepare("[default]\nrole_arn = …", { AWS_ACCESS_KEY_ID = "AK" })
---    local identity = assert(chain.get { profile = "dev" })
---    chain.finish()

local luassert = require "luassert"
local AwsHome = require "spec.support.aws.home"
local AwsServer = require "spec.support.aws.server"
local credentials = require "bide.aws.credentials"
local secret = require "bide.text.secret"

local M = {}

---@param config string of ~/.aws/config
---@param variables? table<string, string> of the environment; {server} is the server's URL
---@param options? spec.AwsServerOptions
function M.prepare(config, variables, options)
  M.server = AwsServer.start(options)
  M.home = AwsHome.make({ config = config }, { AWS_ENDPOINT_URL = M.server.url, AWS_REGION = "eu-west-1" })
  for name, value in pairs(variables or {}) do M.home.variables[name] = value:gsub("{server}", M.server.url) end
end

function M.finish()
  M.server:close()
  M.home:remove()
end

---@param given? bide.aws.ProviderOptions
function M.provider(given)
  given = given or {}
  given.getenv = M.home.getenv
  return credentials.provider(given)
end

---Returns the keys of a new provider, or the mistake.
---@param given? bide.aws.ProviderOptions
---@return bide.aws.Identity?
---@return string? mistake
function M.get(given)
  local found, mistake = M.provider(given)
  if not found then return nil, mistake end
  return found:get()
end

---@param given? bide.aws.ProviderOptions
---@return string
function M.mistake_of(given)
  local found, mistake = M.get(given)
  luassert.is_nil(found)
  luassert.is_string(mistake)
  return mistake
end

---Fails unless each value is hidden in texts.
function M.is_masked(...)
  for _, value in ipairs { ... } do
    luassert.equal("x [redacted] y", secret.any():text("x " .. value .. " y"))
  end
end

return M
