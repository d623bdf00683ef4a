local AwsHome = require "spec.support.aws.home"
local Server = require "spec.support.server"
local region = require "bide.aws.region"

local home

local function find(given, variables)
  home = AwsHome.make({ config = "[default]\nregion = profile-1\n[profile none]\n[profile bad]\nregion = x.evil/\n" }, variables)
  given.getenv = home.getenv
  return region.find(given)
end

describe("the region", function()
  after_each(function() home:remove() end)

  it("is the given one, that of the environment, or that of the profile", function()
    local variables = { AWS_REGION = "env-1", AWS_DEFAULT_REGION = "env-2" }
    assert.equal("given-1", find({ region = "given-1" }, variables))
    assert.equal("env-1", find({}, variables))
    assert.equal("env-2", find({ profile = "none" }, { AWS_DEFAULT_REGION = "env-2" }))
    assert.equal("profile-1", find {})
  end)

  it("is a mistake that says where was looked if there is none", function()
    local found, mistake = find { profile = "none" }
    assert.is_nil(found)
    assert.equal("no AWS region: AWS_REGION and AWS_DEFAULT_REGION are not set, the profile none has none in "
      .. "~/.aws/config, and AWS_EC2_METADATA_DISABLED is set", mistake)
    assert.matches('^there is no profile "missing" in', select(2, find { profile = "missing" }))
  end)

  it("is refused if it cannot be a part of a host's name", function()
    for _, wrong in ipairs { "", "evil.example/", "a b", "-x", "eu-west-1\n", ("x"):rep(64) } do
      local found, mistake = find { region = wrong }
      assert.is_nil(found)
      assert.matches("^region: expected a region such as eu%-west%-1, found ", mistake)
    end
    assert.matches("^AWS_REGION: expected", select(2, find({}, { AWS_REGION = "x/y" })))
    assert.equal('the region of the profile bad: expected a region such as eu-west-1, found "x.evil/"',
      select(2, find { profile = "bad" }))
  end)

  it("is that of the instance, if nothing else says one", function()
    local server = Server.start(function(request)
      if request.method == "PUT" then return { body = "metadata-token" } end
      return { body = request.headers["x-aws-ec2-metadata-token"] == "metadata-token"
        and request.path == "/latest/meta-data/placement/region" and "instance-1" or "no" }
    end)
    local variables = { AWS_EC2_METADATA_DISABLED = false, AWS_EC2_METADATA_SERVICE_ENDPOINT = server.url .. "/" }
    assert.equal("instance-1", find({ profile = "none" }, variables))
    server:close()
    assert.matches("has none in ~/.aws/config, and the instance metadata has none: http://127.0.0.1:%d+/latest/api/token: "
      .. "ConnectionRefused: ", select(2, find({ profile = "none" }, variables)))
  end)

  it("takes no unknown options", function()
    assert.has_error(function() find { profil = "x" } end,
      'bide.aws.region.find: profil: unknown option, did you mean "profile"?')
  end)
end)
