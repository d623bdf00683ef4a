local sso = require "bide.model.aws.sso"
local sts = require "bide.model.aws.sts"

describe("STS", function()
  it("is in the region, with the suffix of its partition", function()
    local rows = {
      [{}] = "https://sts.amazonaws.com/",
      [{ region = "eu-west-1" }] = "https://sts.eu-west-1.amazonaws.com/",
      [{ region = "cn-north-1" }] = "https://sts.cn-north-1.amazonaws.com.cn/",
      [{ region = "us-iso-east-1" }] = "https://sts.us-iso-east-1.c2s.ic.gov/",
      [{ region = "us-gov-west-1" }] = "https://sts.us-gov-west-1.amazonaws.com/",
      [{ region = "us-east-2", is_fips = true }] = "https://sts-fips.us-east-2.amazonaws.com/",
      [{ region = "us-gov-west-1", is_fips = true }] = "https://sts.us-gov-west-1.amazonaws.com/",
      [{ region = "eu-west-1", endpoint = "http://localhost:1/x" }] = "http://localhost:1/x",
    }
    for place, url in pairs(rows) do assert.equal(url, sts.url(place)) end
  end)
end)

describe("the portal of SSO", function()
  it("is in the region of the session, with the suffix of its partition", function()
    local role = { region = "eu-central-1", account = "1", role = "a b" }
    local path = "/federation/credentials?role_name=a%20b&account_id=1"
    assert.equal("https://portal.sso.eu-central-1.amazonaws.com" .. path, sso.url(role))
    assert.equal("http://localhost:1" .. path, sso.url(role, "http://localhost:1/"))
    role.region = "cn-north-1"
    assert.equal("https://portal.sso.cn-north-1.amazonaws.com.cn" .. path, sso.url(role))
  end)
end)
