---Files, answers and environments that nobody would write: each gives keys or a mistake, and never an error of Lua.

local chain = require "spec.support.aws.chain"
local region = require "bide.aws.region"

local names = { "a", "b", "c", "default", "sso-session s", "", "a b", "__index", ("x"):rep(100) }

local settings = {
  "role_arn", "source_profile", "credential_source", "aws_access_key_id", "aws_secret_access_key", "aws_session_token",
  "sso_session", "sso_start_url", "sso_region", "sso_account_id", "sso_role_name", "web_identity_token_file", "services",
  "duration_seconds", "mfa_serial", "region", "endpoint_url", "ca_bundle", "use_fips_endpoint", "__gc",
}

local values = {
  "", "a", "b", "c", "default", "s", "Environment", "Ec2InstanceMetadata", "EcsContainer", "900", "-1", "1e9", "true",
  "http://127.0.0.1:1", "http://127.0.0.1:1/%", "http://[", "eu-west-1", "~", "/dev/null", "/", "%s%d", "\1\127", "\xFF\xFE",
  "\n  x = y", "# x", "[", ("y"):rep(5000), "arn:aws:iam::1:role/x",
}

local function any(list) return list[math.random(#list)] end

local function config()
  local lines = {}
  for _ = 1, math.random(4) do
    lines[#lines + 1] = ("[%s%s]"):format(any { "profile ", "", "profile\t", "sso-session ", "services " }, any(names))
    for _ = 1, math.random(0, 6) do lines[#lines + 1] = any(settings) .. " = " .. any(values) end
  end
  return table.concat(lines, any { "\n", "\r\n" })
end

local variables = {
  "AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_CREDENTIAL_EXPIRATION", "AWS_ROLE_ARN", "AWS_REGION",
  "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_ENDPOINT_URL_STS", "AWS_CONFIG_FILE",
  "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_USE_FIPS_ENDPOINT", "AWS_CA_BUNDLE", "HOME",
}

describe("credentials", function()
  before_each(function() chain.prepare "" end)
  after_each(chain.finish)

  local function check(seed, found, mistake)
    assert(found and mistake == nil or found == nil and type(mistake) == "string" and mistake ~= "", "seed " .. seed)
  end

  it("of random files and environments are a provider or a mistake", function()
    local usual = chain.home.variables
    for seed = 1, 500 do
      math.randomseed(seed)
      for _, name in ipairs { ".aws/config", ".aws/credentials" } do
        os.remove(chain.home.path .. "/" .. name) -- to write over a file makes the disk wait
        chain.home:write(name, config())
      end
      chain.home.variables = setmetatable({ HOME = usual.HOME }, { __index = usual })
      for _ = 1, math.random(0, 3) do
        local value = any(values)
        chain.home.variables[any(variables)] = value ~= "" and value or nil
      end
      local given = { profile = math.random(3) == 1 and any { "a", "b", "default" } or nil }
      check(seed, chain.provider(given))
      given = { profile = given.profile, getenv = chain.home.getenv }
      check(seed, region.find(given))
    end
    chain.home.variables = usual
  end)

  it("of random answers are keys or a mistake", function()
    local pieces = {
      "{", "}", "[", "]", ":", ",", '"', '"AccessKeyId"', '"SecretAccessKey"', '"Token"', '"Expiration"', "null", "1e999", "true",
      '"x"', '"2099-01-01T00:00:00Z"', "<a>", "</a>", "<AssumeRoleResult>", "<Credentials>", "<AccessKeyId>K", "&lt;", "&x;",
      "\0", "\xFF", "\r\n", "<!DOCTYPE x>", "<?xml?>",
    }
    chain.home:write(".aws/config", "[default]\nrole_arn = arn:x\ncredential_source = EcsContainer\n")
    chain.home.variables.AWS_CONTAINER_CREDENTIALS_FULL_URI = chain.server.url .. "/container"
    local good = '{"AccessKeyId": "A", "SecretAccessKey": "some-secret-key"}'
    for seed = 1, 300 do
      math.randomseed(seed)
      chain.server.options.answer = function(request)
        if request.path == "/container" and seed % 2 == 0 then return { body = good } end
        local body = {}
        for position = 1, math.random(0, 12) do body[position] = any(pieces) end
        return { status = any { 200, 200, 200, 204, 302, 403, 404 }, body = table.concat(body) }
      end
      check(seed, chain.get())
    end
  end)
end)
