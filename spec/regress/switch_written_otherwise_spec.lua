---A switch of AWS that was written as `yes` or `1` was off without a word: a request went to the usual endpoint where FIPS
---was asked for, to an endpoint that was to be ignored, and to the metadata service that was forbidden.

local Workspace = require "spec.support.workspace"

describe("a switch of AWS that is neither true nor false", function()
  local workspace = Workspace.of_each()

  local function run(variables)
    local env = { AWS_ACCESS_KEY_ID = "AKID", AWS_SECRET_ACCESS_KEY = "hunter2hunter2", AWS_REGION = "eu-west-1",
      AWS_PROFILE = false, AWS_CONFIG_FILE = "config", AWS_ENDPOINT_URL = "http://127.0.0.1:1",
      AWS_EC2_METADATA_DISABLED = "true" }
    for name, value in pairs(variables) do env[name] = value end
    return workspace:bide({ "aws", "ec2", "InstanceRunning", "InstanceIds=i-1", "--max-wait", "50s", "--max-attempts", "1",
      "--quiet" }, { env = env })
  end

  it("is a mistake, wherever it is written", function()
    workspace:write("config", "")
    for _, name in ipairs { "AWS_USE_FIPS_ENDPOINT", "AWS_USE_DUALSTACK_ENDPOINT", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS" } do
      for _, text in ipairs { "yes", "1", " true", "on" } do
        run({ [name] = text }):says(2, ("%s: expected true or false, found %q"):format(name, text))
      end
    end
    for member, variables in pairs { use_fips_endpoint = {}, use_dualstack_endpoint = {},
      ignore_configured_endpoint_urls = { AWS_ENDPOINT_URL = false } } do
      workspace:write("config", ("[default]\n%s = yes\n"):format(member))
      run(variables):says(2, member .. ' of the profile: expected true or false, found "yes"')
    end
  end)

  it("is off if it is false or nothing", function()
    for _, text in ipairs { "false", "FALSE", "" } do
      workspace:write("config", ("[default]\nuse_fips_endpoint = %s\nignore_configured_endpoint_urls = %s\n"):format(text, text))
      local done = run { AWS_USE_DUALSTACK_ENDPOINT = text, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS = text }
      assert.matches("connection refused by 127.0.0.1:1", done.stderr, 1, true)
    end
  end)

  it("lets nobody ask the metadata service", function()
    workspace:write("config", "")
    for _, unset in ipairs { "AWS_ACCESS_KEY_ID", "AWS_REGION" } do
      local done = run { [unset] = false, AWS_SECRET_ACCESS_KEY = false, AWS_EC2_METADATA_DISABLED = "yes", HOME = "/nowhere",
        AWS_EC2_METADATA_SERVICE_ENDPOINT = "http://127.0.0.1:1", AWS_SHARED_CREDENTIALS_FILE = "config",
        AWS_ENDPOINT_URL = unset == "AWS_ACCESS_KEY_ID" and "http://127.0.0.1:1" or false }
      done:says(2, 'AWS_EC2_METADATA_DISABLED: expected true or false, found "yes"')
    end
  end)
end)
