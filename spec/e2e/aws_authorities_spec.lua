---The authorities by which servers of AWS are checked: those of AWS_CA_BUNDLE, or of the profile.

local AwsHome = require "spec.support.aws.home"
local Nginx = require "spec.support.nginx"
local make_certificates = require "spec.support.certificates"
local process = require "spec.support.process"

---STS gets a form, ACM gets JSON.
local blocks = [[
  server {
    listen 127.0.0.1:PORT ssl;
    ssl_certificate server.pem;
    ssl_certificate_key server.key;
    location / {
      if ($content_type ~ form) {
        return 200 '<AssumeRoleResponse><AssumeRoleResult><Credentials>KEYS</Credentials>
          </AssumeRoleResult></AssumeRoleResponse>';
      }
      return 200 '{"Certificate":{"DomainValidationOptions":[{"ValidationStatus":"SUCCESS"}]}}';
    }
  }
]]

local keys = "<AccessKeyId>A</AccessKeyId><SecretAccessKey>role-secret</SecretAccessKey>"

local config = [[
[profile base]
aws_access_key_id = AKBASE
aws_secret_access_key = base-secret
[profile role]
role_arn = arn:x
source_profile = base
region = eu-west-1
[profile trusting]
role_arn = arn:x
source_profile = base
region = eu-west-1
ca_bundle = ~/ca.pem
]]

describe("the servers of AWS", function()
  local home, nginx

  setup(function()
    home = AwsHome.make { config = config }
    make_certificates(home)
    nginx = Nginx.start(home, (blocks:gsub("KEYS", keys)))
    home.variables.AWS_ENDPOINT_URL = "https://127.0.0.1:" .. nginx.port
  end)

  teardown(function()
    nginx:stop()
    home:remove()
  end)

  local function run(profile, bundle)
    home.variables.AWS_CA_BUNDLE = bundle
    return process.run({ process.bide, "aws", "acm", "certificate-validated",
      "CertificateArn=arn:aws:acm:eu-west-1:1:certificate/x", "--max-wait", "50s", "--min-delay", "1s",
      "--profile", profile }, { env = home:environment() })
  end

  it("are checked by the authorities of AWS_CA_BUNDLE, or of the profile", function()
    for _, done in ipairs { run("role", home.path .. "/ca.pem"), run("role", "~/ca.pem"), run "trusting" } do
      assert.equal(0, done.code, done.stdout .. done.stderr)
    end
  end)

  it("are refused by others: STS, and the service", function()
    local done = run "role"
    assert.equal(2, done.code)
    assert.matches("the role of the profile role: https://127.0.0.1:%d+: TlsFailure: ", done.stderr)
    done = run "base"
    assert.equal(2, done.code) -- it has no region
    home.variables.AWS_REGION = "eu-west-1"
    done = run "base"
    done:says(3, "TlsFailure")
  end)
end)
