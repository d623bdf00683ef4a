---Waiters of AWS's services over the wire: endpoints, signatures, and what time does to them. The server of the spec
---verifies signatures by itself.

local core = require "bide.core"
local Workspace = require "spec.support.workspace"
local signed_server = require "spec.support.aws.signed_server"

local json = core.json

local MODEL = [[
$version: "2.0"
namespace example.things
use aws.api#service
use aws.auth#sigv4
use aws.protocols#awsJson1_1
use smithy.rules#endpointRuleSet
use smithy.waiters#waitable

@awsJson1_1
@sigv4(name: "things")
@service(sdkId: "Many Things")
@endpointRuleSet({
  version: "1.0",
  parameters: {
    Region: { builtIn: "AWS::Region", required: true, type: "String" },
    UseFIPS: { builtIn: "AWS::UseFIPS", required: true, default: false, type: "Boolean" },
    UseDualStack: { builtIn: "AWS::UseDualStack", required: true, default: false, type: "Boolean" },
    Endpoint: { builtIn: "SDK::Endpoint", type: "String" }
  },
  rules: [
    { conditions: [{ fn: "isSet", argv: [{ ref: "Endpoint" }] }, { fn: "booleanEquals", argv: [{ ref: "UseFIPS" }, true] }],
      type: "error", error: "Invalid Configuration: FIPS and custom endpoint are not supported" },
    { conditions: [{ fn: "isSet", argv: [{ ref: "Endpoint" }] }], type: "endpoint",
      endpoint: { url: { ref: "Endpoint" }, headers: { "X-Rules": ["a", "b"] } } },
    { conditions: [{ fn: "booleanEquals", argv: [{ ref: "UseDualStack" }, true] }], type: "endpoint",
      endpoint: { url: "https://dual.{Region}.invalid" } },
    { conditions: [{ fn: "booleanEquals", argv: [{ ref: "UseFIPS" }, true] }], type: "endpoint",
      endpoint: { url: "https://fips.{Region}.invalid" } },
    { conditions: [], type: "endpoint", endpoint: { url: "https://things.{Region}.invalid" } }
  ]
})
service Things { version: "1", operations: [GetThing] }

@waitable(ThingExists: {acceptors: [
  {state: "success", matcher: {output: {path: "status", comparator: "stringEquals", expected: "on"}}},
  {state: "retry", matcher: {errorType: "ResourceNotFoundException"}}]})
operation GetThing {
    input := { @required name: String }
    output := { status: String }
    errors: [ResourceNotFoundException]
}
@error("client")
structure ResourceNotFoundException { message: String }
]]

local ON = { body = '{"status": "on"}' }

describe("a waiter of AWS", function()
  local python, missing = signed_server.find()
  if not python then
    pending(missing)
    return
  end

  local workspace = Workspace.of_each { ["things.smithy"] = MODEL }
  local server

  after_each(function()
    if server then server:stop() end
    server = nil
  end)

  local function serve(config)
    config.service = config.service or "things"
    server = signed_server.start(config)
  end

  ---The environment of a machine that knows nothing of AWS but some keys.
  local function environment(more)
    local all = { AWS_ACCESS_KEY_ID = signed_server.access_key, AWS_SECRET_ACCESS_KEY = signed_server.secret_key,
      AWS_REGION = signed_server.region, AWS_EC2_METADATA_DISABLED = "true", HOME = workspace.path,
      AWS_SESSION_TOKEN = false, AWS_PROFILE = false, AWS_ENDPOINT_URL = false, AWS_CONFIG_FILE = false,
      AWS_SHARED_CREDENTIALS_FILE = false }
    for name, value in pairs(more or {}) do all[name] = value end
    return all
  end

  local function bide(words, env)
    local all = table.move({ "--max-wait", "20s", "--quiet" }, 1, 3, #words + 1, table.move(words, 1, #words, 1, {}))
    return workspace:bide(all, { env = environment(env) })
  end

  local function run(words, env)
    return bide(table.move(words, 1, #words, 6, { "run", "things.smithy", "name=foo", "--max-delay", "10ms" }), env)
  end

  local function run_here(words, env)
    return run(table.move(words or {}, 1, #(words or {}), 3, { "--endpoint", server.url }), env)
  end

  local function outcome_of(done)
    local outcome, mistake = json.decode(done.stdout)
    return outcome or error(("%s: %s%s"):format(mistake, done.stdout, done.stderr))
  end

  -- ---- signatures ---------------------------------------------------------------------------

  it("is signed for its service and region", function()
    serve { answers = { { status = 400, body = '{"__type": "ResourceNotFoundException"}' }, { body = "{}" }, ON } }
    local done = run_here()
    assert.equal("", done.stderr)
    assert.matches("^ThingExists succeeded after 3 attempts", done.stdout)
    assert.same({}, server:refusals())
    local request = server:requests()[1]
    assert.same({ "POST", "/", '{"name":"foo"}', "Things.GetThing", "a, b" }, { request.method, request.target, request.body,
      request.headers["x-amz-target"], request.headers["x-rules"] })
  end)

  it("is signed with a session token", function()
    serve { answers = { ON }, keys = { [signed_server.access_key] = { secret = signed_server.secret_key, token = "to/ken" } } }
    assert.equal(0, run_here({}, { AWS_SESSION_TOKEN = "to/ken" }).code)
    assert.same({}, server:refusals())
  end)

  it("is signed for a path of the endpoint that needs escapes", function()
    serve { answers = { ON } }
    assert.equal(0, run({ "--endpoint", server.url .. "/a%20b/c:d" }).code)
    assert.same({}, server:refusals())
    assert.equal("/a%20b/c:d/", server:requests()[1].target)
  end)

  it("is signed in every protocol, and for labels that need escapes", function()
    local cases = {
      { "lambda", "aws:lambda", "FunctionExists", "FunctionName=arn:aws:lambda:eu-west-1:123456789012:function:f" },
      { "ec2", "aws:ec2", "InstanceExists", "InstanceIds=i-1,i-2" },
      { "cloudformation", "aws:cloudformation", "StackExists", "StackName=a b&c=d+é" },
      { "dynamodb", "aws:dynamodb", "TableNotExists", "TableName=t" },
    }
    for _, case in ipairs(cases) do
      serve { service = case[1], answers = { { body = case[1] == "ec2" and "<DescribeInstancesResponse/>" or "{}" } } }
      bide { "run", case[2], case[3], case[4], "--endpoint", (server.url:gsub("127.0.0.1", "LOCALHOST")), "--max-attempts", "1" }
      assert.equal(1, #server:requests(), case[1])
      assert.same({}, server:refusals())
      server:stop()
    end
    server = nil
  end)

  it("is refused where the secret is wrong, and not sent again", function()
    serve { answers = { ON } }
    local done = run_here({ "--output", "json" }, { AWS_SECRET_ACCESS_KEY = "wrong-secret-key" })
    assert.equal(3, done.code)
    assert.equal("SignatureDoesNotMatch", outcome_of(done).error.type)
    assert.same({ "SignatureDoesNotMatch" }, server:refusals())
  end)

  it("is not signed with --no-sign-request", function()
    serve { answers = { ON } }
    run_here({ "--no-sign-request" }, { AWS_ACCESS_KEY_ID = false, AWS_SECRET_ACCESS_KEY = false })
    assert.same({ nil, "MissingAuthenticationToken" },
      { server:requests()[1].headers.authorization, server:refusals()[1] })
  end)

  -- ---- what time does to signatures ---------------------------------------------------------

  for name, clock in pairs { ahead = 3600, behind = -3600 } do
    it(("succeeds after one retry where the service's clock is an hour %s"):format(name), function()
      serve { clock = clock, answers = { { body = "{}" }, ON } }
      local done = run_here { "--output", "json" }
      assert.equal(0, done.code)
      assert.same({ "RequestTimeTooSkewed" }, server:refusals())
      assert.equal(3, #server:requests())
      assert.equal(2, outcome_of(done).attempts)
      assert.equal(("1 retry; the service's clock is 1 h %s"):format(name), outcome_of(done).history[1].note)
    end)
  end

  it("gets new keys once where they have expired", function()
    workspace:write("keys.sh", ([[
      count=$(cat %s/count 2>/dev/null || echo 0); echo $((count + 1)) > %s/count
      if [ $count = 0 ]; then key=OLDKEY; else key=NEWKEY; fi
      echo "{\"Version\": 1, \"AccessKeyId\": \"$key\", \"SecretAccessKey\": \"secret-of-$key\"}"
    ]]):format(workspace.path, workspace.path))
    workspace:write("config", ("[profile p]\ncredential_process = sh %s/keys.sh\n"):format(workspace.path))
    serve { answers = { { body = "{}" }, ON }, expired = { "OLDKEY" },
      keys = { OLDKEY = { secret = "secret-of-OLDKEY" }, NEWKEY = { secret = "secret-of-NEWKEY" } } }
    local done = run_here({ "--profile", "p" }, { AWS_CONFIG_FILE = workspace.path .. "/config" })
    assert.same({ 0, "" }, { done.code, done.stderr })
    assert.same({ "ExpiredTokenException" }, server:refusals())
    assert.equal("2\n", workspace:read "count")
  end)

  it("reports expired keys that nothing renews, without a second try", function()
    serve { answers = { ON }, expired = { signed_server.access_key } }
    local done = run_here { "--output", "json" }
    assert.equal("ExpiredTokenException", outcome_of(done).error.type)
    assert.equal(1, #server:requests())
  end)

  -- ---- the operation's manners --------------------------------------------------------------

  it("tries again after throttling, beneath the waiter", function()
    serve { answers = { { status = 400, body = '{"__type": "ThrottlingException"}' }, ON } }
    local outcome = outcome_of(run_here { "--output", "json" })
    assert.same({ 1, "1 retry" }, { outcome.attempts, outcome.history[1].note })
    assert.same({}, server:refusals())
  end)

  it("shares equal requests of many waits", function()
    serve { answers = { ON } }
    workspace:write("names.jsonl", ('{"name": "a"}\n'):rep(50))
    assert.equal(0, bide({ "run", "things.smithy", "--endpoint", server.url, "--each", "names.jsonl" }).code)
    assert.equal(1, #server:requests())
  end)

  -- ---- endpoints and settings ---------------------------------------------------------------

  ---The host to which a request would go.
  local function host_of(words, env)
    local outcome = outcome_of(run({ "--trust-model", "--output", "json", "--max-attempts", "1", table.unpack(words) }, env))
    return outcome.error.message:match "[%w.-]+%.invalid" or outcome.error.message
  end

  it("goes where the rules of the service lead", function()
    assert.equal("things.eu-west-1.invalid", host_of {})
    assert.equal("things.us-east-1.invalid", host_of { "--region", "us-east-1" })
    assert.equal("fips.eu-west-1.invalid", host_of { "--fips" })
    assert.equal("dual.eu-west-1.invalid", host_of({}, { AWS_USE_DUALSTACK_ENDPOINT = "true" }))
    workspace:write("config", "[profile p]\nregion = ap-south-1\nuse_fips_endpoint = true\n")
    local of_profile = { AWS_CONFIG_FILE = workspace.path .. "/config", AWS_REGION = false, AWS_DEFAULT_REGION = false }
    workspace:write("credentials", "[p]\naws_access_key_id = A\naws_secret_access_key = secret-key\n")
    of_profile.AWS_SHARED_CREDENTIALS_FILE = workspace.path .. "/credentials"
    assert.equal("fips.ap-south-1.invalid", host_of({ "--profile", "p" }, of_profile))
  end)

  it("goes to the endpoint of the environment, unless --endpoint says another", function()
    serve { answers = { ON } }
    assert.equal(0, run({}, { AWS_ENDPOINT_URL_MANY_THINGS = server.url, AWS_ENDPOINT_URL = "http://no.invalid" }).code)
    assert.equal(0, run({}, { AWS_ENDPOINT_URL = server.url }).code)
    assert.equal(0, run_here({}, { AWS_ENDPOINT_URL = "http://no.invalid" }).code)
    assert.same({}, server:refusals())
  end)

  local function assert_mistake(expected, done)
    assert.same({ 2, "" }, { done.code, done.stdout })
    assert.matches(expected, done.stderr, 1, true)
    if server then assert.equal(0, #server:requests()) end
  end

  it("needs credentials and a region, and says where it looked", function()
    serve { answers = { ON } }
    assert_mistake("AWS_ACCESS_KEY_ID is not set", run_here({},
      { AWS_ACCESS_KEY_ID = false, AWS_SECRET_ACCESS_KEY = false }))
    assert_mistake("no AWS region: AWS_REGION and AWS_DEFAULT_REGION are not set",
      run_here({}, { AWS_REGION = false, AWS_DEFAULT_REGION = false }))
  end)

  it("refuses settings that the rules refuse, and options for others", function()
    serve { answers = { ON } }
    assert_mistake("Invalid Configuration: FIPS and custom endpoint are not supported", run_here { "--fips" })
    assert_mistake("--bearer: the operation GetThing takes sigv4", run_here({ "--bearer", "@env:HOME" }))
    workspace:write("things.smithy", (MODEL:gsub("@sigv4.-service Things", "service Things")))
    assert_mistake("--region: the service Things is not one of AWS's, and its requests are not signed",
      run_here { "--region", "us-east-1" })
  end)

  it("is out of reach within the sandbox", function()
    serve { answers = { ON } }
    assert_mistake("no service of AWS can be reached within the sandbox", run_here { "--sandbox" })
    assert_mistake("--sandbox: expected no credentials, found --profile", run_here { "--sandbox", "--profile", "p" })
    workspace:write("wait.lua", [[
      local things = assert(require("bide").load("things.smithy", { endpoint = arg[1], is_sandboxed = false }))
      things.ThingExists:wait({ name = "x" }, { maxWait = 5 })
    ]])
    local done = workspace:bide({ "exec", "--sandbox", "wait.lua", server.url }, { env = environment() })
    assert.matches("no service of AWS can be reached within the sandbox", done.stderr, 1, true)
    assert.equal(0, #server:requests())
  end)

  it("is waited for by scripts", function()
    serve { answers = { ON } }
    workspace:write("wait.lua", [[
      local things = assert(require("bide").load("things.smithy", { endpoint = arg[1], region = arg[2] }))
      print(assert(things.ThingExists:wait({ name = "x" }, { maxWait = 5 })).message)
    ]])
    local words = { "exec", "wait.lua", server.url, signed_server.region }
    local done = workspace:bide(words, { env = environment { AWS_REGION = false } })
    assert.matches("^ThingExists succeeded", done.stdout, 1, done.stderr)
    assert.same({}, server:refusals())
  end)

  it("warns of signed requests to another machine without TLS", function()
    local done = run { "--endpoint", "http://things.invalid", "--max-attempts", "1" }
    assert.matches("warning: credentials are sent to things.invalid without TLS", done.stderr, 1, true)
  end)

  -- ---- S3 -----------------------------------------------------------------------------------

  local function bucket_of(answer, words, env)
    serve { service = "s3", answers = { answer } }
    local all = { "run", "aws:s3", "--endpoint", server.url, "--output", "json", "--max-delay", "10ms" }
    return bide(table.move(words, 1, #words, #all + 1, all), env)
  end

  it("of S3 takes a redirect as an answer", function()
    local elsewhere = { status = 301, headers = { Location = "http://elsewhere.invalid/", ["x-amz-request-id"] = "1" } }
    local done = bucket_of(elsewhere, { "BucketExists", "Bucket=b1" })
    assert.equal("", done.stderr)
    assert.same({ 0, 1 }, { done.code, outcome_of(done).attempts })
    assert.same({}, server:refusals())
    local request = server:requests()[1]
    assert.same({ "HEAD", "/b1" }, { request.method, request.target })
  end)

  it("of S3 is signed by its own rules, for every key", function()
    for _, key in ipairs { "a b/c", "a/../b//c/./d", "x&y=z?#%[]{}\"<>\\^`|~!$()*,;:@+", "é", "%2F", "end/." } do
      bucket_of({ body = "" }, { "ObjectExists", "Bucket=b1", "Key=" .. key }):ends(0)
      assert.same({}, server:refusals())
      server:stop()
    end
    server = nil
  end)

  it("of S3 corrects its clock by an answer without a body", function()
    serve { service = "s3", clock = 3600, answers = { { body = "" } } }
    bide({ "run", "aws:s3", "--endpoint", server.url, "BucketExists", "Bucket=b1" }):ends(0)
    assert.same({ "RequestTimeTooSkewed" }, server:refusals())
  end)

  -- ---- secrets ------------------------------------------------------------------------------

  it("shows no key, token or signature", function()
    local secret, token = "sEcReT-of-the-spec-0123456789", "tOkEn-of-the-spec-0123456789"
    local echo = json.encode { __type = "Denied", message = ("%s %s"):format(secret, token) }
    for _, config in ipairs {
      { answers = { { status = 403, body = echo } },
        keys = { [signed_server.access_key] = { secret = secret, token = token } } },
      { answers = { ON }, keys = { [signed_server.access_key] = { secret = "other" } } },
    } do
      serve(config)
      for _, url in ipairs { server.url, "http://127.0.0.1:1" } do
        local done = workspace:bide({ "run", "things.smithy", "name=x", "--endpoint", url, "--max-wait", "1s", "--output", "json",
          "--verbose", "--explain", "--events", "events", "--journal", "journal" },
          { env = environment { AWS_SECRET_ACCESS_KEY = secret, AWS_SESSION_TOKEN = token } })
        local all = done.stdout .. done.stderr .. workspace:read "events" .. workspace:read "journal"
        assert.is_nil(all:find(secret, 1, true) or all:find(token, 1, true) or all:find("Signature=", 1, true))
      end
      server:stop()
    end
    server = nil
  end)
end)
