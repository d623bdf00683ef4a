---Credentials of AWS in whole runs: what is renewed while a wait lasts, and what no output may hold.

local AwsHome = require "spec.support.aws.home"
local AwsServer = require "spec.support.aws.server"
local Workspace = require "spec.support.workspace"
local json = require("bide.core").json
local moto = require "spec.support.aws.moto"
local port = require "spec.support.port"
local uv = require "luv"

---Returns the secrets of the keys in the output, too, under names that say nothing.
local recipe = [[
local credentials = require "bide.aws.credentials"
local provider

return { GetKeys = {
  call = function(input)
    provider = provider or assert(credentials.provider { profile = input.profile })
    local identity, mistake = provider:get()
    if not identity then error({ type = "NoCredentials", message = mistake }, 0) end
    local words = identity.secret_key .. " " .. (identity.session_token or "")
    if input.raises then error({ type = "Echo", message = words }, 0) end
    return { access = identity.access_key, source = identity.source, echo = words }
  end,
  waitable = {
    KeysExist = { acceptors = {
      { state = "success", matcher = { output = { path = "access != ''", comparator = "booleanEquals", expected = "true" } } },
    } },
    ThirdKeys = { acceptors = {
      { state = "success", matcher = { output = { path = "access", comparator = "stringEquals", expected = "ASIA3" } } },
    } },
  },
} }
]]

local space, home, server

local function prepare(config, variables, options)
  server = AwsServer.start(options)
  home = AwsHome.make({ config = config }, { AWS_ENDPOINT_URL = server.url, AWS_REGION = "eu-west-1" })
  for name, value in pairs(variables or {}) do home.variables[name] = value:gsub("{server}", server.url) end
  space = Workspace.make()
  space:write("keys.lua", recipe)
end

local function run(...)
  return space:bide({ "run", "keys.lua", ... }, { env = home:environment() })
end

---Returns all that a run has written, wherever.
local function all_of(done)
  local texts = { done.stdout, done.stderr }
  for _, name in ipairs { "events", "journal", "journal-wal" } do
    if uv.fs_stat(space.path .. "/" .. name) then texts[#texts + 1] = space:read(name) end
  end
  return table.concat(texts, "\n")
end

local to_everywhere = { "--max-wait", "3s", "--min-delay", "1s", "--verbose", "--explain", "--output", "json",
  "--events", "events", "--journal", "journal" }

describe("credentials of AWS", function()
  after_each(function()
    server:close()
    home:remove()
    space:remove()
  end)

  it("are renewed while a wait lasts, when they expire", function()
    prepare("", { AWS_CONTAINER_CREDENTIALS_FULL_URI = "{server}/container" }, { lifetime = 1 })
    run("ThirdKeys", "--interval", "1s", "--max-wait", "50s"):prints(0, "ThirdKeys succeeded after 3 attempts")
    assert.equal(3, #server.requests)
  end)

  it("are shared by the waits of a fleet", function()
    prepare("", { AWS_CONTAINER_CREDENTIALS_FULL_URI = "{server}/container" })
    space:write("inputs.jsonl", ("{}\n"):rep(200))
    run("KeysExist", "--each", "inputs.jsonl", "--max-wait", "10s"):ends(0)
    assert.equal(1, #server.requests)
  end)

  it("that a service has refused as expired are renewed once", function()
    local used = {}
    prepare("", { AWS_CONTAINER_CREDENTIALS_FULL_URI = "{server}/container" }, { answer = function(request)
      if request.path ~= "/" then return nil end
      used[#used + 1] = request.headers.authorization:match "Credential=(%w+)/"
      if used[#used] == "ASIA1" then return { status = 400, body = '{"__type": "ExpiredTokenException"}' } end
      return { body = '{"Certificate": {"DomainValidationOptions": [{"ValidationStatus": "SUCCESS"}]}}' }
    end })
    local done = space:bide({ "aws", "acm", "certificate-validated", "CertificateArn=arn:aws:acm:::cert/x", "--max-wait", "50s",
      "--min-delay", "1s" }, { env = home:environment() })
    done:prints(0, "after 1 attempt")
    assert.same({ "ASIA1", "ASIA2" }, used)
  end)

  it("are sent to STS without TLS with a warning, unless it is on this machine", function()
    prepare("[default]\nrole_arn = arn:x\ncredential_source = Environment\n",
      { AWS_ACCESS_KEY_ID = "AK", AWS_SECRET_ACCESS_KEY = "environment-secret" })
    home.variables.AWS_ENDPOINT_URL_STS = "http://192.0.2.1:1/"
    space:write("keys.lua", 'print(require("bide.aws.credentials").provider { profile = "default" })')
    local function warning() return space:bide({ "exec", "keys.lua" }, { env = home:environment() }).stderr end
    assert.equal("bide: warning: credentials are sent to http://192.0.2.1:1/ without TLS\n", warning())
    home.variables.AWS_ENDPOINT_URL_STS = nil
    assert.equal("", warning())
  end)

  local base = "[profile base]\naws_access_key_id = AKBASE\naws_secret_access_key = base-secret\n"

  ---What is configured, and the secrets in it.
  local rows = {
    role = { base .. "[default]\nrole_arn = arn:x\nsource_profile = base\n", {}, "base-secret",
      "given-secret-1", "given-token-1" },
    environment = { "", { AWS_ACCESS_KEY_ID = "AK", AWS_SECRET_ACCESS_KEY = "environment-secret",
      AWS_SESSION_TOKEN = "environment-token" }, "environment-secret", "environment-token" },
    process = { "[default]\ncredential_process = echo '{\"Version\": 1, \"AccessKeyId\": \"AKP\", \"SecretAccessKey\": "
      .. "\"process-secret\", \"SessionToken\": \"process-token\"}'", {}, "process-secret", "process-token" },
    container = { "", { AWS_CONTAINER_CREDENTIALS_FULL_URI = "{server}/container",
      AWS_CONTAINER_AUTHORIZATION_TOKEN = "container-token" }, "container-token", "given-secret-1", "given-token-1" },
    ["web identity"] = { "[default]\nrole_arn = arn:x\nweb_identity_token_file = ~/token\n", {}, "eyJ0.web-identity.token",
      "given-secret-1", "given-token-1" },
    SSO = { "[default]\nsso_start_url = https://x/start\nsso_region = eu-west-1\nsso_account_id = 1\nsso_role_name = r\n", {},
      "sso-token-valid", "given-secret-1", "given-token-1" },
    instance = { "", { AWS_EC2_METADATA_DISABLED = "", AWS_EC2_METADATA_SERVICE_ENDPOINT = "{server}" }, "metadata-token",
      "given-secret-1", "given-token-1" },
  }

  local function write_tokens()
    home:write("token", "eyJ0.web-identity.token")
    home:write(".aws/sso/cache/x.json",
      '{"startUrl": "https://x/start", "accessToken": "sso-token-valid", "expiresAt": "2099-01-01T00:00:00Z"}')
  end

  for name, row in pairs(rows) do
    it(("are in no output, event, journal or message: %s"):format(name), function()
      local config, variables = row[1], row[2]
      prepare(config, variables, { keys = { AKBASE = "base-secret" } })
      write_tokens()
      local succeeded = run("KeysExist", table.unpack(to_everywhere))
      assert.equal(0, succeeded.code, succeeded.stderr)
      assert.matches('"echo": "%[redacted%] ?%[?', succeeded.stdout)
      local failed = run("KeysExist", "raises=yes", table.unpack(to_everywhere))
      assert.equal(3, failed.code)
      assert.matches('"message": "%[redacted%] ?%[?', failed.stdout)
      local shown = all_of(succeeded) .. all_of(failed)
      for position = 3, #row do assert.is_nil(shown:find(row[position], 1, true), row[position]) end
    end)

    it(("that are refused are in none either: %s"):format(name), function()
      local config, variables = row[1], row[2]
      prepare(config:gsub("Version", "Vision"), variables, { keys = { AKBASE = "base-secret" },
        answer = function(request)
          local headers = request.headers
          local echo = table.concat({ request.body, headers.authorization or "",
            headers["x-aws-ec2-metadata-token"] or "", headers["x-amz-sso_bearer_token"] or "" }, " ")
          if request.path == "/latest/api/token" then return nil end
          local failure = "<ErrorResponse><Error><Code>%s</Code><Message>%s</Message></Error></ErrorResponse>"
          if request.path == "/federation/credentials" then failure = '{"__type": "%s", "message": "%s"}' end
          return { status = 403, body = failure:format(echo, echo) }
        end })
      write_tokens()
      local shown = all_of(run("KeysExist", table.unpack(to_everywhere)))
      for position = 3, #row do assert.is_nil(shown:find(row[position], 1, true), row[position]) end
      assert.is_nil(shown:find "Signature=%x")
    end)
  end

  it("come past the proxy of the environment if they are those of the machine", function()
    local dead = "http://127.0.0.1:" .. port.free()
    prepare("", { AWS_CONTAINER_CREDENTIALS_FULL_URI = "{server}/container", http_proxy = dead, HTTP_PROXY = dead,
      all_proxy = dead })
    assert.equal(0, run("KeysExist", "--max-wait", "50s").code)
    home.variables.AWS_CONTAINER_CREDENTIALS_FULL_URI, home.variables.AWS_EC2_METADATA_DISABLED = nil, nil
    home.variables.AWS_EC2_METADATA_SERVICE_ENDPOINT = server.url
    assert.equal(0, run("KeysExist", "--max-wait", "50s").code)
  end)

  it("of a process name it in --verbose, without its arguments", function()
    prepare((rows.process[1]:gsub("= echo", "= KEY=hush /bin/echo")))
    local done = run("ThirdKeys", "--interval", "1s", "--max-attempts", "2", "--max-wait", "50s", "--verbose")
    assert.matches("attempt 1, .* %(ran credential_process of the profile default %(/bin/echo%)%)", done.stderr)
    assert.not_matches("attempt 2, [^\n]*credential_process", done.stderr)
    assert.not_matches("hush", done.stderr .. done.stdout)
  end)

  it("of a process that hangs are waited for until the deadline, and the process ends", function()
    prepare "[default]\ncredential_process = echo $$ > pid; sleep 1000\n"
    run("KeysExist", "--max-wait", "1s"):ends(124)
    local pid = math.tointeger(tonumber(space:read "pid"))
    local until_gone = uv.hrtime() + 3e9
    while uv.kill(pid, 0) == 0 and uv.hrtime() < until_gone do uv.sleep(20) end
    assert.is_nil((uv.kill(pid, 0)))
  end)

  describe("that are got before the first attempt", function()
    local function wait_for(...)
      return space:bide({ "aws", "acm", "certificate-validated", "CertificateArn=arn:aws:acm:::cert/x", "--output", "json", ... },
        { env = home:environment() })
    end

    it("end the wait at its deadline, with what was waited for", function()
      prepare "[default]\ncredential_process = sleep 1000\n[profile web]\nrole_arn = arn:x\nsource_profile = default\n"
      for profile, name in pairs {
        default = "credential_process of the profile default (sleep)", web = "the role of the profile web",
      } do
        local done = wait_for("--max-wait", "300ms", "--profile", profile)
        assert.equal(124, done.code, done.stderr)
        local outcome = json.decode(done.stdout)
        assert.equal("maxWait", outcome.reason)
        assert.equal("CertificateValidated exceeded --max-wait 300ms after 1 attempt in 0.3 s; nothing was seen; bide itself "
          .. "had no credentials yet from " .. name, (outcome.message:gsub(" in [%d.]+ s;", " in 0.3 s;")))
      end
      assert.same({}, server.requests)
    end)

    it("count towards the max wait, and that of every other wait of the run", function()
      prepare("[default]\ncredential_process = sleep 0.4; echo '{\"Version\": 1, \"AccessKeyId\": \"AK\", "
        .. "\"SecretAccessKey\": \"process-secret\"}'\n", {}, { answer = function()
          return { body = '{"Certificate": {"DomainValidationOptions": [{"ValidationStatus": "SUCCESS"}]}}' }
        end })
      local done = wait_for("--max-wait", "20s")
      assert.equal(0, done.code, done.stderr)
      local outcome = json.decode(done.stdout)
      assert.is_true(outcome.elapsed >= 0.4, done.stdout)
      assert.is_true(outcome.history[1].at >= 0.4, done.stdout)
      done = wait_for("--max-wait", "20s", "--journal", "journal", "+", "file", "path=.")
      assert.equal(0, done.code, done.stderr)
      local outcomes = json.decode(done.stdout).outcomes
      assert.equal(2, #outcomes)
      for _, one in ipairs(outcomes) do assert.is_true(one.elapsed >= 0.4, done.stdout) end
    end)

    it("leave no time to the other waits of the run, if they do not come", function()
      prepare "[default]\ncredential_process = sleep 1000\n"
      local done = wait_for("--max-wait", "300ms", "+", "file", "path=.", "+", "aws:rds", "DBInstanceAvailable", "X=y")
      assert.equal(2, done.code, done.stdout)
      done = wait_for("--max-wait", "300ms", "--keep-going", "+", "file", "path=.", "+", "aws:rds", "DBInstanceAvailable")
      assert.equal(124, done.code, done.stderr)
      local messages = {}
      for _, one in ipairs(json.decode(done.stdout).outcomes) do messages[one.waiter] = one.message end
      assert.matches("no credentials yet from credential_process", messages.CertificateValidated, 1, true)
      assert.matches("nothing was seen: attempt 1 came too late", messages.FileExists, 1, true)
      assert.matches("nothing was seen; bide itself had no time to connect to the service", messages.DBInstanceAvailable, 1, true)
    end)

    it("hold the deadline of a script's wait, which may ask again", function()
      prepare "[default]\ncredential_process = test -f ready || sleep 1000; cat ready\n"
      space:write("wait.lua", [=[
        local acm = assert(require("bide").load("aws:acm"))
        local input = { CertificateArn = "arn:aws:acm:::cert/x" }
        local function wait() return select(2, acm.CertificateValidated:wait(input, { maxWait = 0.3 })) end
        local late = wait()
        assert(late.reason == "maxWait" and late.message:find("no credentials yet", 1, true), late.message)
        local file <close> = io.open("ready", "w")
        file:write '{"Version": 1, "AccessKeyId": "AK", "SecretAccessKey": "process-secret"}'
        file:close()
        local next = wait()
        assert(not next.message:find("no credentials yet", 1, true), next.message)
      ]=])
      space:bide({ "exec", "wait.lua" }, { env = home:environment() }):ends(0)
    end)
  end)

  it("are not to be had in the sandbox", function()
    prepare("", rows.environment[2])
    for _, module in ipairs { "credentials", "profiles", "region", "sts", "sso", "metadata", "home", "identity", "sections" } do
      space:write("keys.lua", ('local it = require "bide.aws.%s"\n'):format(module) .. recipe)
      run("KeysExist", "--max-wait", "1s", "--sandbox"):says(2, "bide.aws." .. module)
    end
  end)

  it("are given out by moto's STS and metadata", function()
    prepare ""
    if not moto.find() then return pending(select(2, moto.find())) end
    local real = moto.start()
    home.variables = { HOME = home.path, AWS_ENDPOINT_URL = real.url, AWS_EC2_METADATA_SERVICE_ENDPOINT = real.url }
    home:write("token", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.")
    home:write(".aws/config", base .. [[
[profile first]
role_arn = arn:aws:iam::123456789012:role/first
source_profile = base
duration_seconds = 900
[profile second]
role_arn = arn:aws:iam::123456789012:role/second
source_profile = first
[profile web]
role_arn = arn:aws:iam::123456789012:role/web
web_identity_token_file = ~/token
[profile ec2]
role_arn = arn:aws:iam::123456789012:role/ec2
credential_source = Ec2InstanceMetadata
]])
    for _, profile in ipairs { "second", "web", "ec2" } do
      local outcome, done = space:outcome({ "run", "keys.lua", "KeysExist", "--max-wait", "50s", "profile=" .. profile },
        { env = home:environment() })
      assert.equal(0, done.code, done.stderr)
      assert.equal("the role of the profile " .. profile, outcome.output.source)
      assert.matches("^ASIA", outcome.output.access)
    end
    local outcome = space:outcome({ "run", "keys.lua", "KeysExist", "--max-wait", "50s" }, { env = home:environment() })
    assert.equal("the role of the instance", outcome.output.source)
    space:write("region.lua", 'print(require("bide.aws.region").find())')
    local done = space:bide({ "exec", "region.lua" }, { env = home:environment() })
    assert.equal("us-east-1\n", done.stdout)
    real:stop()
  end)
end)
