local chain = require "spec.support.aws.chain"
local AwsServer = require "spec.support.aws.server"

local get, is_masked, mistake_of, prepare = chain.get, chain.is_masked, chain.mistake_of, chain.prepare

---Returns the mistake of a new provider if the service answers so.
---@param answer table|fun(request: table): table?
---@param given? bide.aws.ProviderOptions
---@return string
local function mistake_when(answer, given)
  chain.server.options.answer = type(answer) == "function" and answer or function() return answer end
  return mistake_of(given)
end

---Returns a profile that assumes a role.
local function role(name, ...)
  return ("[profile %s]\nrole_arn = arn:x\n%s\n"):format(name, table.concat({ ... }, "\n"))
end

describe("credentials", function()
  after_each(chain.finish)

  -- ---- roles ------------------------------------------------------------------------------------

  describe("of a role", function()
    local base = "[profile base]\naws_access_key_id=AKBASE\naws_secret_access_key=base-secret\n"
    local keys = { keys = { AKBASE = "base-secret" } }

    it("are asked for with the keys of its source_profile, along a chain", function()
      prepare(base .. [[
[profile middle]
role_arn = arn:aws:iam::1:role/middle
source_profile = base
external_id = a b&c
duration_seconds = 900
role_session_name = me@here
[profile top]
role_arn = arn:aws:iam::1:role/top
source_profile = middle
]], nil, keys)
      local found = assert(get { profile = "top" })
      assert.equal("ASIA2", found.access_key)
      assert.equal("given-secret-2", found.secret_key)
      assert.equal("given-token-2", found.session_token)
      assert.equal("the role of the profile top", found.source)
      assert.is_true(math.abs(found.expiry - os.time() - 3600) < 60)
      local first, second = AwsServer.form(chain.server.requests[1].body), AwsServer.form(chain.server.requests[2].body)
      assert.same({ Action = "AssumeRole", Version = "2011-06-15", RoleArn = "arn:aws:iam::1:role/middle",
        RoleSessionName = "me@here", DurationSeconds = "900", ExternalId = "a b&c" }, first)
      assert.matches("^bide%-%d+$", second.RoleSessionName)
      assert.equal("given-token-1", chain.server.requests[2].headers["x-amz-security-token"])
      assert.matches("/eu%-west%-1/sts/aws4_request", chain.server.requests[1].headers.authorization)
      is_masked("base-secret", "given-secret-1", "given-token-1", "given-secret-2", "given-token-2")
    end)

    it("are asked for again by the clock of STS, if that is another one", function()
      for _, ahead in ipairs { 3600, -3600, 200 } do
        prepare(base .. role("default", "source_profile=base"), nil, { keys = keys.keys, ahead = ahead })
        assert.equal("ASIA1", assert(get()).access_key)
        assert.equal(ahead == 200 and 1 or 2, #chain.server.requests)
        chain.finish()
      end
      prepare ""
    end)

    it("may have the keys of the profile itself", function()
      prepare("[default]\naws_access_key_id=AKBASE\naws_secret_access_key=base-secret\nrole_arn=arn:x\nsource_profile=default\n",
        nil, keys)
      assert.equal("ASIA1", get().access_key)
    end)

    it("are refused before anything is sent if the profiles are wrong", function()
      local other = { role("pong", "source_profile = ping"), "[profile empty]\n" }
      local rows = {
        alone = { "the profile alone has a role_arn, and neither source_profile nor credential_source" },
        self = { "the profile self is its own source_profile: self -> self", "source_profile = self" },
        ping = { "the profile ping is its own source_profile: ping -> pong -> ping", "source_profile = pong" },
        lost = { 'the source_profile of the profile lost: there is no profile "bsae" in ~/.aws/config and ~/.aws/credentials, '
          .. 'did you mean "base"?', "source_profile = bsae" },
        both = { "the profile both has both source_profile and credential_source", "source_profile = base",
          "credential_source = Environment" },
        word = { 'the profile word: credential_source: expected "Environment", "Ec2InstanceMetadata" or "EcsContainer", '
          .. 'found "Enviroment", did you mean "Environment"?', "credential_source = Enviroment" },
        env = { "credential_source is Environment, and AWS_ACCESS_KEY_ID is not set", "credential_source = Environment" },
        ecs = { "credential_source is EcsContainer, and AWS_CONTAINER_CREDENTIALS_RELATIVE_URI is not set",
          "credential_source = EcsContainer" },
        ec2 = { "credential_source is Ec2InstanceMetadata, and AWS_EC2_METADATA_DISABLED is set",
          "credential_source = Ec2InstanceMetadata" },
        mfa = { "the profile mfa has an mfa_serial, and bide cannot ask for a code: use a credential_process that does",
          "source_profile = base", "mfa_serial = arn:y" },
        long = { 'the profile long: duration_seconds: expected a number of seconds, found "9999999999"',
          "source_profile = base", "duration_seconds = 9999999999" },
        nokeys = { "the profile empty, the source_profile of the profile nokeys, has no credentials",
          "source_profile = empty" },
      }
      for name, row in pairs(rows) do other[#other + 1] = role(name, table.unpack(row, 2)) end
      prepare(base .. table.concat(other))
      for name, row in pairs(rows) do
        assert.same({ n = 2, [2] = row[1] }, table.pack(chain.provider { profile = name }))
      end
      assert.equal(0, #chain.server.requests)
    end)

    it("are not looked for through a hundred profiles", function()
      local lines = {}
      for number = 1, 100 do
        lines[number] = role("p" .. number, "source_profile = p" .. number + 1)
      end
      prepare(table.concat(lines))
      assert.equal("the profile p1 assumes a role through more than 16 profiles", mistake_of { profile = "p1" })
    end)

    it("that STS refuses are a mistake with its words", function()
      prepare(base .. "[default]\nrole_arn=arn:denied\nsource_profile=base\n", nil, keys)
      assert.equal("the role of the profile default: AssumeRole answered AccessDenied: not authorized to assume arn:denied",
        mistake_of())
      local rows = {
        { { body = "<a/>" }, "AssumeRole answered InvalidResponse: the answer: expected <AssumeRoleResponse>, found <a>" },
        { { body = "<AssumeRoleResponse><AssumeRoleResult/></AssumeRoleResponse>" }, "AssumeRole answered without keys" },
        { { body = "<AssumeRoleResponse><AssumeRoleResult><Credentials/></AssumeRoleResult></AssumeRoleResponse>" },
          "there is no access key" },
        { { body = '<!DOCTYPE a [<!ENTITY b "c">]><a/>' },
          "AssumeRole answered InvalidResponse: the answer has a DOCTYPE, which is refused" },
        { { body = "<a><b>" },
          "AssumeRole answered InvalidResponse: the answer is not XML: no element found, line 1, column 7" },
        { { status = 400, body = "garbage" }, "AssumeRole answered Http400: garbage" },
        { { status = 302, headers = { Location = "http://127.0.0.1:1/" } }, "AssumeRole answered Http302: Found" },
      }
      for _, row in ipairs(rows) do
        assert.equal("the role of the profile default: " .. row[2], mistake_when(row[1]))
      end
    end)

    it("may be assumed with keys of the environment, the container or the instance", function()
      prepare(role("env", "credential_source = Environment") .. role("ecs", "credential_source = EcsContainer")
        .. role("ec2", "credential_source = Ec2InstanceMetadata"),
        { AWS_ACCESS_KEY_ID = "AKBASE", AWS_SECRET_ACCESS_KEY = "base-secret", AWS_EC2_METADATA_DISABLED = "",
        AWS_CONTAINER_CREDENTIALS_FULL_URI = "{server}/container", AWS_EC2_METADATA_SERVICE_ENDPOINT = "{server}" }, keys)
      assert.equal("ASIA1", assert(get { profile = "env" }).access_key)
      assert.equal("ASIA3", assert(get { profile = "ecs" }).access_key)
      assert.equal("ASIA5", assert(get { profile = "ec2" }).access_key)
    end)

    it("may be assumed with a web identity of the profile or the environment, without a signature", function()
      prepare("[profile web]\nrole_arn = arn:web\nweb_identity_token_file = ~/token\nrole_session_name = s\n")
      chain.home:write("token", "eyJ.web-identity.token\n")
      assert.equal("the role of the profile web", assert(get { profile = "web" }).source)
      local form = AwsServer.form(chain.server.requests[1].body)
      assert.same({ Action = "AssumeRoleWithWebIdentity", Version = "2011-06-15", RoleArn = "arn:web", RoleSessionName = "s",
        WebIdentityToken = "eyJ.web-identity.token" }, form)
      assert.is_nil(chain.server.requests[1].headers.authorization)
      is_masked "eyJ.web-identity.token"
      local variables = chain.home.variables
      variables.AWS_WEB_IDENTITY_TOKEN_FILE = chain.home.path .. "/token"
      assert.equal("AWS_WEB_IDENTITY_TOKEN_FILE is set, and AWS_ROLE_ARN is not", mistake_of())
      variables.AWS_ROLE_ARN, variables.AWS_ROLE_SESSION_NAME = "arn:env", "mine"
      assert.equal("the web identity of the environment", assert(get()).source)
      form = AwsServer.form(chain.server:last().body)
      assert.same({ "arn:env", "mine" }, { form.RoleArn, form.RoleSessionName })
      variables.AWS_WEB_IDENTITY_TOKEN_FILE = "/no/such"
      assert.equal("the web identity of the environment: the token file /no/such cannot be read: no such file", mistake_of())
    end)
  end)

  -- ---- SSO --------------------------------------------------------------------------------------

  describe("of SSO", function()
    local config = [[
[sso-session corp]
sso_start_url = https://corp.awsapps.com/start
sso_region = eu-central-1
[profile new]
sso_session = corp
sso_account_id = 111122223333
sso_role_name = Read Only
[profile old]
sso_start_url = https://corp.awsapps.com/start
sso_region = eu-central-1
sso_account_id = 111122223333
sso_role_name = ReadOnly
[profile lost]
sso_session = crop
[profile part]
sso_session = corp
sso_role_name = x
]]

    local function cache(name, token, expires, url)
      chain.home:write(".aws/sso/cache/" .. name .. ".json", ('{"startUrl": "%s", "accessToken": "%s", "expiresAt": "%s"}')
        :format(url or "https://corp.awsapps.com/start", token, expires))
    end

    it("are asked for with the cached token, by both kinds of profiles", function()
      prepare(config)
      cache("a", "sso-token-past", "2001-01-01T00:00:00Z")
      cache("b", "sso-token-valid", "2099-01-01T00:00:00Z")
      cache("c", "sso-token-other", "2099-01-02T00:00:00Z", "https://other/start")
      chain.home:write(".aws/sso/cache/d.json", "garbage")
      chain.home:write(".aws/sso/cache/e.json", '{"clientId": "x", "expiresAt": "2099-01-01T00:00:00UTC"}')
      local found = assert(get { profile = "new" })
      assert.same({ "ASIA1", "given-secret-1", "given-token-1" }, { found.access_key, found.secret_key, found.session_token })
      assert.is_true(math.abs(found.expiry - os.time() - 3600) < 60)
      assert.equal("/federation/credentials?role_name=Read%20Only&account_id=111122223333", chain.server:last().target)
      assert.equal("ASIA2", assert(get { profile = "old" }).access_key)
      is_masked("sso-token-valid", "given-secret-1", "given-token-1")
    end)

    it("say how to log in, if the token is missing, has expired or is refused", function()
      prepare(config)
      assert.equal("the SSO role of the profile old: ~/.aws/sso/cache has no token for https://corp.awsapps.com/start: "
        .. "run aws sso login --profile old", mistake_of { profile = "old" })
      cache("a", "sso-token-past", "2001-01-01T00:00:00Z")
      assert.equal("the SSO role of the profile new: the session has expired: run aws sso login --profile new",
        mistake_of { profile = "new" })
      assert.equal(0, #chain.server.requests)
      cache("a", "sso-token-wrong", "2099-01-01T00:00:00Z")
      assert.equal("the SSO role of the profile new: the token of the session is no longer valid: "
        .. "run aws sso login --profile new", mistake_of { profile = "new" })
    end)

    it("that the portal refuses are a mistake with its words", function()
      prepare(config)
      cache("a", "sso-token-valid", "2099-01-01T00:00:00Z")
      local rows = {
        { { status = 403, body = '{"message":"No access to sso-token-valid"}' }, "answered with the status 403: No access" },
        { { status = 404, body = "[]" }, "answered with the status 404: no message" },
        { { body = "garbage" }, "expected JSON, found something else" },
        { { body = "{}" }, "expected an object with keys" },
        { { body = '{"roleCredentials": {"accessKeyId": "A", "secretAccessKey": 5}}' }, "there is no secret key" },
      }
      for _, row in ipairs(rows) do
        assert.matches(row[2], mistake_when(row[1], { profile = "new" }), 1, true)
      end
    end)

    it("are refused if a setting is missing", function()
      prepare(config)
      assert.equal("the profile lost: there is no section [sso-session crop] in ~/.aws/config", mistake_of { profile = "lost" })
      assert.equal("the profile part has no sso_account_id", mistake_of { profile = "part" })
    end)
  end)

  -- ---- the machine --------------------------------------------------------------------------------

  describe("of a container", function()
    it("are asked for with the token, also one in a file", function()
      prepare("", { AWS_CONTAINER_CREDENTIALS_FULL_URI = "{server}/container",
        AWS_CONTAINER_AUTHORIZATION_TOKEN = "container-token" })
      assert.equal("ASIA1", assert(get()).access_key)
      assert.equal("container-token", chain.server:last().headers.authorization)
      chain.home.variables.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE = chain.home:write("token", "token-of-a-file\r\n")
      assert.equal("ASIA2", assert(get()).access_key)
      assert.equal("token-of-a-file", chain.server:last().headers.authorization)
      is_masked("container-token", "token-of-a-file", "given-secret-1", "given-token-1")
      chain.home:write("token", "two-lines-token\r\nX-Evil: 1")
      assert.equal("the authorization token of the container has a control character in it", mistake_of())
      local asked = #chain.server.requests
      for _, empty in ipairs { "", "\r\n", " \n\t" } do
        chain.home:write("token", empty)
        assert.matches("^AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: .*/token: the file is empty$", mistake_of())
      end
      assert.equal(asked, #chain.server.requests)
    end)

    it("are asked for on this machine, or by https", function()
      prepare("", { AWS_CONTAINER_CREDENTIALS_FULL_URI = "http://example.com/x" })
      assert.equal("AWS_CONTAINER_CREDENTIALS_FULL_URI: expected https, or the host of this machine, found http to example.com",
        mistake_of())
      for _, wrong in ipairs { "ftp://localhost/", "localhost", "http://127.0.0.1@example.com/", "http://127.0.0.1.example.com/",
        "http://127.1.example.com/", "http://169.254.170.20/", "http://[::2]/", "http://localhost\r\nX: y/", "\0" } do
        chain.home.variables.AWS_CONTAINER_CREDENTIALS_FULL_URI = wrong
        assert.matches("^AWS_CONTAINER_CREDENTIALS_FULL_URI: expected ", mistake_of())
      end
      chain.home.variables.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI = ".evil.example/x"
      assert.equal("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: expected a path that begins with /", mistake_of())
      chain.home.variables.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI = "/v2/x"
      assert.matches("^http://169%.254%.170%.2/v2/x", mistake_of())
      assert.equal(0, #chain.server.requests)
    end)

    it("are refused if the answer is garbage or a redirect, or does not come", function()
      prepare("", { AWS_CONTAINER_CREDENTIALS_FULL_URI = "{server}/container" })
      local rows = {
        { { body = "garbage" }, "^the container's credentials: expected JSON, found something else$" },
        { { body = "{}" }, "^the container's credentials: there is no access key$" },
        { { status = 302, headers = { Location = "/container" } }, "/container answered with the status 302$" },
        { { body = ("x"):rep(2 << 20) }, "/container: BodyTooLarge: " },
        { { silent = true }, "/container: RequestTimeout: " },
      }
      for _, row in ipairs(rows) do
        assert.matches(row[2], mistake_when(row[1]))
      end
    end)
  end)

  describe("of an instance", function()
    local variables = { AWS_EC2_METADATA_DISABLED = "", AWS_EC2_METADATA_SERVICE_ENDPOINT = "{server}/" }

    it("are asked for with a session of the metadata service, and without a proxy", function()
      prepare("", variables)
      local found = assert(get())
      assert.equal("ASIA1", found.access_key)
      assert.equal("the role of the instance", found.source)
      assert.equal("PUT", chain.server.requests[1].method)
      assert.equal("21600", chain.server.requests[1].headers["x-aws-ec2-metadata-token-ttl-seconds"])
      is_masked("given-secret-1", "given-token-1", "metadata-token")
    end)

    it("that are not there are a mistake that says where was looked", function()
      prepare("", variables)
      local paths = { "/latest/api/token", "/latest/meta-data/iam/security-credentials/",
        "/latest/meta-data/iam/security-credentials/my-role" }
      for _, path in ipairs(paths) do
        for _, answer in ipairs { { status = 404 }, { status = 302, headers = { Location = "/" } }, { silent = true },
          { body = "" }, { body = "\0\1\r\n" }, { body = ("x"):rep(2 << 20) } } do
          if path ~= paths[2] or answer.body ~= ("x"):rep(2 << 20) then
            assert.matches("^no AWS credentials: AWS_ACCESS_KEY_ID is not set, .*, the instance metadata has none: ",
              mistake_when(function(request) return request.path == path and answer or nil end))
          end
        end
      end
    end)
  end)
end)
