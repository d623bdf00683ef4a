---A model that is a file says where its service is. It once got the user's keys, signatures and tokens sent there, for any
---host and service that it named. The server of these specs belongs to the author of the model: it must see no credentials.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local json = require("bide.core").json

local SECRET, SESSION, TOKEN = "wJalrXUtnFEMIK7MDENGbPxRfiCY", "session-token-of-the-user", "bearer-token-of-the-user"

---An empty object.
local NOTHING = json.decode "{}"

---Makes the model of a service that is signed for as `things`.
---@param given { url?: string, headers?: table, schemes?: table[], traits?: table, operation?: table, members?: table,
---  said?: table }
local function model_of(given)
  local endpoint = { url = given.url, headers = given.headers, properties = { authSchemes = given.schemes } }
  local service = { ["aws.api#service"] = given.said or { sdkId = "Foo", arnNamespace = "foo", endpointPrefix = "foo" },
    ["aws.auth#sigv4"] = { name = "things" }, ["aws.protocols#restJson1"] = NOTHING }
  if given.url then
    service["smithy.rules#endpointRuleSet"] = { version = "1.0",
      parameters = { Endpoint = { type = "string", builtIn = "SDK::Endpoint" } },
      rules = { { type = "endpoint", conditions = json.array {}, endpoint = endpoint } } }
  end
  for id, value in pairs(given.traits or {}) do service[id] = value or nil end
  local operation = { ["smithy.api#http"] = { method = "GET", uri = "/things", code = 200 },
    ["smithy.waiters#waitable"] = { Ready = { acceptors = { { state = "success", matcher = { success = true } } } } } }
  for id, value in pairs(given.operation or {}) do operation[id] = value end
  return json.encode { smithy = "2.0", shapes = {
    ["x#S"] = { type = "service", version = "1", operations = { { target = "x#Get" } }, traits = service },
    ["x#Get"] = { type = "operation", input = { target = "x#In" }, output = { target = "x#In" }, traits = operation },
    ["x#In"] = { type = "structure", members = given.members or NOTHING },
  } }
end

describe("a model that is a file", function()
  local workspace = Workspace.of_each()
  local strangers, own

  ---Fails if a request holds anything of the user's.
  local function assert_no_credentials(server)
    for _, request in ipairs(server.requests) do
      local all = json.encode { request.target, request.headers, request.body }
      for _, word in ipairs { "authorization", "AWS4", "security%-token", SECRET, SESSION, TOKEN, "cookie" } do
        assert.is_nil(all:lower():find(word:lower()), all)
      end
    end
  end

  before_each(function()
    strangers = Server.start(function() return { body = "{}" } end)
    own = Server.start(function() return { body = "{}" } end)
  end)

  after_each(function()
    assert_no_credentials(strangers)
    strangers:close()
    own:close()
  end)

  local function bide(words, env)
    local all = { HOME = workspace.path, AWS_ACCESS_KEY_ID = "AKIAIOSFODNN7EXAMPLE", AWS_SECRET_ACCESS_KEY = SECRET,
      AWS_SESSION_TOKEN = SESSION, AWS_REGION = "eu-west-1", AWS_EC2_METADATA_DISABLED = "true", AWS_PROFILE = false,
      AWS_ENDPOINT_URL = false, AWS_CONFIG_FILE = false, AWS_SHARED_CREDENTIALS_FILE = false, BIDE_AWS_MODELS = false,
      TOKEN = TOKEN }
    for name, value in pairs(env or {}) do all[name] = value end
    return workspace:bide(words, { env = all })
  end

  local function run(words, env)
    return bide({ "run", "model.json", "Ready", "--max-wait", "5s", "--quiet", table.unpack(words or {}) }, env)
  end

  local function assert_refused(expected, done)
    assert.same({ 2, "" }, { done.code, done.stdout }, done.stderr)
    for _, part in ipairs(type(expected) == "table" and expected or { expected }) do
      assert.matches(part, done.stderr, 1, true)
    end
    assert.same({ 0, 0 }, { #strangers.requests, #own.requests })
  end

  ---The address of the stranger's server, as a host with a port.
  local function host()
    return ("127.0.0.1:%d"):format(strangers.port)
  end

  -- ---- without an endpoint of the user's --------------------------------------------------------

  local IAM = { { name = "sigv4", signingName = "iam", signingRegion = "us-east-1" } }

  for name, given in pairs {
    ["with the host of another service"] = { headers = { Host = { "iam.amazonaws.com" } }, schemes = IAM },
    ["with the name of another service"] = { schemes = IAM },
    ["with nothing special"] = {},
    ["by a bearer token"] = { traits = { ["smithy.api#httpBearerAuth"] = NOTHING }, words = { "--bearer", "@env:TOKEN" } },
    ["by a key in the query"] = { traits = { ["smithy.api#httpApiKeyAuth"] = { name = "k", ["in"] = "query" } },
      words = { "--api-key", "@env:TOKEN" } },
    ["by a token without a signature"] = { traits = { ["aws.auth#sigv4"] = false, ["smithy.api#httpBearerAuth"] = NOTHING },
      words = { "--bearer", "@env:TOKEN" } },
  } do
    it("gets no credentials " .. name, function()
      given.url = strangers.url
      workspace:write("model.json", model_of(given))
      assert_refused({ "the model model.json asks for credentials at " .. host(), "bide run model.json --endpoint URL",
        "bide run model.json --trust-model" }, run(given.words))
    end)
  end

  it("gets none in a list of waits, beside another wait, and by a name of BIDE_PATH", function()
    local text = model_of { url = strangers.url }
    workspace:write("model.json", text)
    workspace:write("list.json", '[{"recipe": "./model.json", "waiter": "Ready"}]')
    assert_refused("asks for credentials", bide { "run", "list.json", "--max-wait", "50s", "--quiet" })
    assert_refused("asks for credentials", run { "+", "command", "command=true" })
    workspace:shell "mkdir names && cp model.json names/stranger.json"
    assert_refused("asks for credentials", bide({ "run", "stranger", "--max-wait", "50s", "--quiet" },
      { BIDE_PATH = workspace.path .. "/names" }))
    workspace:write("list.json", '[{"recipe": "./model.json", "waiter": "Ready", "trustModel": true}]')
    assert_refused("trustModel", bide { "run", "list.json", "--max-wait", "50s", "--quiet" })
  end)

  it("names the data of AWS first where they have the service", function()
    workspace:write("model.json", model_of { url = strangers.url, said = { sdkId = "RDS" } })
    local done = run()
    assert_refused({ "bide run aws:rds …", "--trust-model" }, done)
    assert.is_true(done.stderr:find "aws:rds" < done.stderr:find "%-%-trust%-model")
  end)

  it("is refused before any credentials are fetched", function()
    workspace:write("model.json", model_of { url = strangers.url })
    workspace:write("config", ("[profile p]\ncredential_process = touch %s/fetched\n"):format(workspace.path))
    assert_refused("asks for credentials", run({ "--profile", "p" }, { AWS_CONFIG_FILE = workspace.path .. "/config" }))
    assert.equal("", workspace:shell("ls fetched 2>/dev/null").stdout)
  end)

  it("of botocore's form, with rules beside it, gets none", function()
    workspace:shell "mkdir -p foo/2020-01-01"
    workspace:write("foo/2020-01-01/service-2.json", json.encode { version = "2.0",
      metadata = { apiVersion = "2020-01-01", endpointPrefix = "foo", protocol = "rest-json", serviceId = "Foo",
        signatureVersion = "v4", signingName = "foo", uid = "foo" },
      operations = { Get = { name = "Get", http = { method = "GET", requestUri = "/" } } }, shapes = NOTHING })
    workspace:write("foo/2020-01-01/waiters-2.json", json.encode { version = 2, waiters = { Ready = { operation = "Get",
      delay = 1, maxAttempts = 2, acceptors = { { matcher = "status", expected = 200, state = "success" } } } } })
    workspace:write("foo/2020-01-01/endpoint-rule-set-1.json", json.encode { version = "1.0", parameters = NOTHING,
      rules = { { type = "endpoint", conditions = json.array {}, endpoint = { url = strangers.url } } } })
    local words = { "run", "foo/2020-01-01/waiters-2.json", "--max-wait", "50s", "--quiet" }
    assert_refused("asks for credentials at " .. host(), bide(words))
    -- The same file is data where the user says that its folder holds data; then only https will do.
    workspace:write("partitions.json", workspace:shell("cat " .. require("luv").cwd() .. "/scripts/aws/partitions.json").stdout)
    assert_refused("credentials go to no endpoint but https", bide(words, { BIDE_AWS_MODELS = workspace.path }))
    assert_refused("credentials go to no endpoint but https", bide({ "run", "aws:foo", "--max-wait", "50s", "--quiet" },
      { BIDE_AWS_MODELS = workspace.path }))
  end)

  for name, operation in pairs {
    ["that may have credentials"] = { ["smithy.api#optionalAuth"] = NOTHING },
    ["that has none"] = { ["smithy.api#auth"] = json.array {} },
  } do
    it("asks for an operation " .. name .. " without them, and says so", function()
      workspace:write("model.json", model_of { url = strangers.url, operation = operation })
      local done = run()
      assert.equal(0, done.code, done.stderr)
      assert.equal(1, #strangers.requests)
      assert.matches("Get is asked without credentials, which the model model.json does not get", done.stderr, 1, true)
    end)
  end

  -- ---- with one ---------------------------------------------------------------------------------

  it("gets credentials for the endpoint that the user gives, and for no other", function()
    workspace:write("model.json", model_of { url = "{Endpoint}" })
    for _, given in ipairs { { { "--endpoint", own.url } }, { {}, { AWS_ENDPOINT_URL = own.url } },
      { {}, { AWS_ENDPOINT_URL_FOO = own.url } } } do
      run(given[1], given[2]):ends(0)
      assert.matches("AWS4%-HMAC%-SHA256 .*SignedHeaders=host;", own:last().headers.authorization)
      assert.equal("127.0.0.1:" .. own.port, own:last().headers.host)
    end
    own.requests = {}
    for _, url in ipairs { strangers.url, "http://127.0.0.1:" .. own.port .. "@" .. host(), "http://localhost:" .. own.port,
      "https://127.0.0.1:" .. own.port } do
      workspace:write("model.json", model_of { url = url })
      assert_refused("was meant", run { "--endpoint", own.url })
    end
  end)

  -- ---- with --trust-model -----------------------------------------------------------------------

  it("has its rules checked where it is trusted", function()
    local cases = {
      ["credentials go to no endpoint but https"] = { url = strangers.url },
      ['signature for "iam"'] = { url = "https://" .. host(), schemes = IAM },
    }
    for _, name in ipairs { "Host", "hOST", "Authorization", "X-Amz-Date", "x-amz-security-token", "Content-Length", "Cookie",
      "Transfer-Encoding" } do
      cases[("set the header %q"):format(name)] = { url = "https://" .. host(), headers = { [name] = { "x" } } }
    end
    for _, region in ipairs { "", "*", "a/b", 5 } do
      local scheme = { name = "sigv4", signingName = "things", signingRegion = region }
      cases["expected a region such as eu-west-1, found " .. json.encode(region)] = {
        url = "https://" .. host(), schemes = { scheme } }
    end
    for expected, given in pairs(cases) do
      workspace:write("model.json", model_of(given))
      assert_refused(expected, run { "--trust-model" })
    end
    for _, schemes in ipairs { { 5 }, { NOTHING }, "sigv4", { a = NOTHING } } do
      workspace:write("model.json", model_of { url = "https://" .. host(), schemes = schemes })
      assert_refused("authSchemes: expected a list of objects with names", run { "--trust-model" })
    end
  end)

  it("asks its own host where it is trusted, over https", function()
    workspace:write("model.json", model_of { url = "https://things.invalid" })
    local done = run { "--trust-model", "--output", "json" }
    assert.matches("things.invalid", json.decode(done.stdout).error.message, 1, true)
  end)

  it("is trusted as the script that opens it", function()
    workspace:write("model.json", model_of { url = "https://things.invalid" })
    workspace:write("wait.lua", [[
      print(select(2, require("bide").load("model.json").Ready:wait({}, { maxWait = 1 })))
    ]])
    assert.matches("NameNotResolved", bide({ "exec", "wait.lua" }).stdout, 1, true)
    assert.matches("no service of AWS can be reached within the sandbox", bide({ "exec", "--sandbox", "wait.lua" }).stderr, 1,
      true)
  end)

  -- ---- paths and prefixes -----------------------------------------------------------------------

  local PLAIN = { ["aws.api#service"] = false, ["aws.auth#sigv4"] = false, ["smithy.api#httpBearerAuth"] = NOTHING }

  for name, uri_of in pairs {
    ["the endpoint as a user"] = function() return "@" .. host() .. "/x" end,
    ["another port"] = function() return (":%d/x"):format(strangers.port) end,
    ["a longer name"] = function() return ".evil.invalid/x" end,
  } do
    it("has no path that makes " .. name, function()
      workspace:write("model.json", model_of { traits = PLAIN,
        operation = { ["smithy.api#http"] = { method = "GET", uri = uri_of(), code = 200 } } })
      local words = { "--endpoint", "http://127.0.0.1:" .. own.port, "--bearer", "@env:TOKEN" }
      if name == "another port" then words[2] = "http://127.0.0.1" end
      assert_refused('uri: expected a path that begins with "/", found', run(words))
      assert.equal(1, bide({ "check", "model.json" }).code)
    end)
  end

  for name, prefix_of in pairs {
    ["a host of its own"] = function() return host() .. "/" end,
    ["a user"] = function() return host() .. "@" end,
    ["a query"] = function() return host() .. "?" end,
    ["an empty label"] = function() return "a..b." end,
    ["a name within another text"] = function() return "{x}/{y}." end,
  } do
    it("has no host prefix with " .. name, function()
      workspace:write("model.json", model_of { traits = PLAIN,
        operation = { ["smithy.api#endpoint"] = { hostPrefix = prefix_of() } } })
      assert_refused("hostPrefix: expected labels of a host's name", run { "--endpoint",
        ("http://api.localhost:%d"):format(own.port), "--bearer", "@env:TOKEN" })
      assert.equal(1, bide({ "check", "model.json" }).code)
    end)
  end

  for name, method in pairs {
    ["another target"] = "GET http://evil.invalid/", ["another request"] = "GET / HTTP/1.1\r\nHost: evil\r\n\r\nGET",
    nothing = "",
  } do
    it("has no method with " .. name, function()
      workspace:write("model.json", model_of { traits = PLAIN,
        operation = { ["smithy.api#http"] = { method = method, uri = "/things", code = 200 } } })
      assert_refused("method: expected a method of HTTP, found", run { "--endpoint", own.url, "--bearer", "@env:TOKEN" })
      assert.equal(1, bide({ "check", "model.json" }).code)
    end)
  end

  it("has no member that makes a signature for another host", function()
    for _, name in ipairs { "Host", "hOST", "X-Amz-Date", "x-amz-security-token", "Content-Length", "transfer-encoding" } do
      local member = { target = "smithy.api#String", traits = { ["smithy.api#httpHeader"] = name } }
      workspace:write("model.json", model_of { members = { a = member } })
      assert_refused("no member may be the header " .. name, run { "--endpoint", own.url, "a=iam.amazonaws.com" })
    end
  end)

  -- libcurl finds a host behind three slashes, and a signature found none.
  it("has no endpoint rules without a host", function()
    for _, url in ipairs { "https:///127.0.0.1", "https://", "https://x@127.0.0.1" } do
      workspace:write("model.json", model_of { url = url })
      assert_refused("the endpoint rules: expected an endpoint such as", run { "--trust-model" })
    end
  end)

  it("is signed for with a name", function()
    workspace:write("model.json", model_of { traits = { ["aws.auth#sigv4"] = { name = "" } } })
    assert_refused("sigv4: name: expected the name to sign for", run { "--endpoint", own.url })
  end)

  it("has no host prefix that makes another name of the endpoint's", function()
    workspace:write("model.json", model_of { traits = PLAIN, operation = { ["smithy.api#endpoint"] = { hostPrefix = "evil" } } })
    local words = { "--endpoint", ("http://api.localhost:%d"):format(own.port), "--bearer", "@env:TOKEN" }
    assert_refused('the host prefix "evil" makes another host of the endpoint', run(words))
    workspace:write("model.json", model_of { traits = PLAIN, operation = { ["smithy.api#endpoint"] = { hostPrefix = "data." } } })
    assert.equal(0, run(words).code)
    assert.equal(("data.api.localhost:%d"):format(own.port), own:last().headers.host)
    words[2] = ("http://0x7f.1:%d"):format(own.port)
    assert.equal(0, run(words).code)
    assert.equal("127.0.0.1:" .. own.port, own:last().headers.host)
  end)

  it("makes no other host of the user's own endpoint, even if it is trusted", function()
    workspace:write("model.json", model_of { url = "{Endpoint}",
      operation = { ["smithy.api#endpoint"] = { hostPrefix = "evil" } } })
    assert_refused('the host prefix "evil" makes another host of the endpoint', run { "--trust-model", "--endpoint",
      ("http://api.localhost:%d"):format(own.port) })
  end)

  it("says of no header but its own that a key is in it", function()
    for _, name in ipairs { "Host", "content-length", "X-Amz-Date" } do
      workspace:write("model.json", model_of { traits = { ["aws.api#service"] = false, ["aws.auth#sigv4"] = false,
        ["smithy.api#httpApiKeyAuth"] = { name = name, ["in"] = "header" } } })
      assert_refused(("a key may not be in the header %s"):format(name),
        run { "--endpoint", own.url, "--api-key", "@env:TOKEN" })
    end
  end)
end)
