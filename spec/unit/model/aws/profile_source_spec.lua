---Where STS and the portal of SSO are, as files and the environment say.

local AwsHome = require "spec.support.aws.home"
local profile_source = require "bide.model.aws.profile_source"
local profiles = require "bide.aws.profiles"
local sts = require "bide.model.aws.sts"

describe("the place of STS", function()
  local home

  after_each(function() home:remove() end)

  ---Returns its URL with an AWS_USE_FIPS_ENDPOINT, and lines of the profile.
  local function url_of(variable, lines)
    home = AwsHome.make({ config = "[default]\n" .. lines }, { AWS_USE_FIPS_ENDPOINT = variable })
    local search = { getenv = home.getenv, files = profiles.chosen(nil, home.getenv), profile = "default", region = "us-east-2" }
    return sts.url(assert(profile_source.place_of(search, "STS")))
  end

  local USUAL, FIPS = "https://sts.us-east-2.amazonaws.com/", "https://sts-fips.us-east-2.amazonaws.com/"

  for _, row in ipairs {
    { false, "", USUAL }, { "true", "", FIPS }, { "TRUE", "", FIPS }, { "false", "", USUAL },
    { false, "use_fips_endpoint = true\n", FIPS }, { false, "use_fips_endpoint = True\n", FIPS },
    { false, "use_fips_endpoint = false\n", USUAL }, { "false", "use_fips_endpoint = true\n", USUAL },
    { "true", "use_fips_endpoint = false\n", FIPS }, { "true", "endpoint_url = http://localhost:1/\n", "http://localhost:1/" },
  } do
    it(("is %s with AWS_USE_FIPS_ENDPOINT %s and %q"):format(row[3], row[1] or "unset", row[2]), function()
      assert.equal(row[3], url_of(row[1], row[2]))
    end)
  end
end)
