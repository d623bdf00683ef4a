---AWS_PROFILE="" was taken for a profile without a name; an empty variable counts as unset.

local AwsHome = require "spec.support.aws.home"
local Workspace = require "spec.support.workspace"

describe("an empty AWS_PROFILE", function()
  local space = Workspace.of_each()

  it("is the default profile", function()
    local home = AwsHome.make({}, { AWS_PROFILE = "", AWS_REGION = "eu-west-1" })
    local done = space:bide({ "aws", "acm", "certificate-validated", "CertificateArn=x", "--max-wait", "1s" },
      { env = home:environment() })
    home:remove()
    assert.equal(2, done.code)
    assert.matches("no AWS credentials: .*, the profile default has none in ", done.stderr)
  end)
end)
