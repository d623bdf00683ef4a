local AwsHome = require "spec.support.aws.home"
local profiles = require "bide.aws.profiles"
local uv = require "luv"

local home

local function open(files, variables)
  home = AwsHome.make(files, variables)
  return profiles.open(home.getenv)
end

describe("the profiles of AWS", function()
  after_each(function() home:remove() end)

  it("come from both files, of which the one with credentials wins", function()
    local found = assert(open {
      config = "[default]\nregion=a\n[profile default]\noutput=x\n[profile 'my dev']\nregion=b\n[dev]\nregion=c\n"
        .. "[sso-session corp]\nsso_region=d\n[services local]\ns3=\n",
      credentials = "[default]\nregion=e\naws_access_key_id=K\n[other]\naws_access_key_id=L\n[profile no]\nx=1",
    })
    assert.same({ region = "e", output = "x", aws_access_key_id = "K" }, found:find "default")
    assert.same({ region = "b" }, found:find "my dev")
    assert.same({ aws_access_key_id = "L" }, found:find "other")
    assert.is_nil(found:find "dev")
    assert.is_nil(found:find "no")
    assert.same({ sso_region = "d" }, found.sso_sessions.corp)
    assert.is_table(found.services["local"])
  end)

  it("are in the files that the environment names, if those exist", function()
    local found = assert(open({ mine = "[profile x]\nregion=a" }, { AWS_CONFIG_FILE = "~/.aws/mine" }))
    assert.same({ region = "a" }, found:find "x")
    home.variables.AWS_CONFIG_FILE, home.variables.AWS_SHARED_CREDENTIALS_FILE = "/dev/null", home.path .. "/no/such"
    found = assert(profiles.open(home.getenv))
    assert.same({}, found.profiles)
    local mistake = select(2, found:must_find "x")
    assert.equal(('there is no profile "x" in /dev/null and %s/no/such'):format(home.path), mistake)
  end)

  it("that do not exist are named with the nearest one", function()
    local mistake = select(2, assert(open { config = "[profile production]\n" }):must_find "prodction")
    assert.equal('there is no profile "prodction" in ~/.aws/config and ~/.aws/credentials, did you mean "production"?', mistake)
  end)

  it("are refused with the file and the line if they are broken", function()
    local found, mistake = open { credentials = "[default]\nwJalrXUtnFEMI" }
    assert.is_nil(found)
    assert.equal("~/.aws/credentials: line 2: expected [section] or name = value", mistake)
  end)

  it("are not searched in a file that may not be read, that is a folder, a pipe or too large", function()
    local function label(path)
      home.variables.AWS_CONFIG_FILE = path
      return assert(profiles.open(home.getenv)).config
    end
    open()
    assert.equal(home.path .. " (illegal operation on a directory)", label(home.path))
    assert.matches("%(the file is larger than 4096 KiB%)$", label "/dev/zero")
    assert.matches("%(the file is larger than 4096 KiB%)$", label(home:write("large", ("#"):rep(5 << 20))))
    assert.equal(0, os.execute("mkfifo " .. home.path .. "/pipe") and 0)
    assert.equal(home.path .. "/pipe", label(home.path .. "/pipe"))
    if uv.getuid() ~= 0 then
      uv.fs_chmod(home:write("closed", ""), 0)
      assert.matches("%(permission denied%)$", label(home.path .. "/closed"))
    end
  end)

  it("are chosen by the argument, AWS_PROFILE, AWS_DEFAULT_PROFILE, or are the default", function()
    open()
    local function name(given, variables)
      return { profiles.name(given, function(variable) return variables[variable] end) }
    end
    assert.same({ "a", true }, name("a", { AWS_PROFILE = "b" }))
    assert.same({ "b", true }, name(nil, { AWS_PROFILE = "b", AWS_DEFAULT_PROFILE = "c" }))
    assert.same({ "c", true }, name(nil, { AWS_DEFAULT_PROFILE = "c" }))
    assert.same({ "default", false }, name(nil, {}))
  end)
end)

describe("the endpoint of a service", function()
  after_each(function() home:remove() end)

  local config = [[
[default]
endpoint_url = http://default
[profile dev]
endpoint_url = http://dev
services = local
[profile off]
endpoint_url = http://off
ignore_configured_endpoint_urls = true
[profile broken]
services = gone
[services local]
elastic_beanstalk =
  endpoint_url = http://eb
]]

  local function url(service, profile, variables)
    home = home or AwsHome.make { config = config }
    home.variables = variables or {}
    home.variables.HOME = home.path
    return profiles.endpoint_url(service, profile, home.getenv)
  end

  it("is that of the environment, of the services, or of the profile", function()
    home = AwsHome.make { config = config }
    assert.equal("http://default", url "S3")
    assert.equal("http://dev", url("S3", "dev"))
    assert.equal("http://eb", url("Elastic Beanstalk", "dev"))
    assert.equal("http://eb", url("Elastic Beanstalk", nil, { AWS_PROFILE = "dev" }))
    assert.equal("http://all", url("Elastic Beanstalk", "dev", { AWS_ENDPOINT_URL = "http://all" }))
    local both = { AWS_ENDPOINT_URL = "http://all", AWS_ENDPOINT_URL_ELASTIC_BEANSTALK = "http://own" }
    assert.equal("http://own", url("Elastic Beanstalk", "dev", both))
    assert.equal("http://all", url("S3", "dev", both))
  end)

  it("is ignored if the environment or the profile says so", function()
    home = AwsHome.make { config = config }
    assert.is_nil(url("S3", "dev", { AWS_IGNORE_CONFIGURED_ENDPOINT_URLS = "TRUE", AWS_ENDPOINT_URL = "http://all" }))
    assert.is_nil(url("S3", "off"))
    assert.equal("http://all", url("S3", "off", { AWS_ENDPOINT_URL = "http://all" }))
  end)

  it("is a mistake if the profile, or its section of services, does not exist", function()
    home = AwsHome.make { config = config }
    assert.same({ n = 2, [2] = "~/.aws/config: there is no section [services gone], which a profile names" },
      table.pack(url("S3", "broken")))
    assert.matches('^there is no profile "dve" in .*, did you mean "dev"%?$', select(2, url("S3", "dve")))
  end)
end)
