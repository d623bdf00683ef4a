---`bide run model --endpoint URL`: waiters of a model over its own protocol, with no operations of Lua.

local core = require "bide.core"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local json = core.json

local MODEL = [[
$version: "2.0"
namespace example.things
use alloy#simpleRestJson
use aws.protocols#awsJson1_0
use aws.protocols#restJson1
use smithy.waiters#waitable

%s
service Things { version: "1", operations: [GetThing] }

@readonly
%s
@waitable(ThingExists: {minDelay: 1, acceptors: [
  {state: "success", matcher: {output: {path: "status", comparator: "stringEquals", expected: "on"}}},
  {state: "failure", matcher: {output: {path: "status", comparator: "stringEquals", expected: "gone"}}},
  {state: "retry", matcher: {errorType: "NotFound"}}]})
@http(method: "GET", uri: "/things/{name}")
operation GetThing {
    input := { @required @httpLabel name: String, @httpQuery("since") since: Timestamp, @httpHeader("X-Zone") zone: String }
    output := { @jsonName("State") status: String }
    errors: [NotFound]
}
@error("client") @httpError(404)
structure NotFound { message: String }
]]

local SECRET = "c0rrect horse/battery+staple"

describe("a model with --endpoint", function()
  local workspace = Workspace.of_each()
  local answers
  local server = Server.of_each(function() return table.remove(answers, 1) or { body = '{"State": "on"}' } end)
  before_each(function() answers = {} end)

  local function write(of_service, of_operation)
    workspace:write("things.smithy", MODEL:format(of_service, of_operation or ""))
  end

  ---Runs the waiter; the words may replace the endpoint and the input.
  local function run(words, options)
    local all = { "run", "things.smithy", "ThingExists", "--max-wait", "10s", "--min-delay", "1ms", "--max-delay", "5ms",
      "--quiet" }
    options = options or {}
    options.env = options.env or { SECRET = SECRET }
    return workspace:bide(table.move(words, 1, #words, #all + 1, all), options)
  end

  local function run_here(...)
    return run { "name=a b/c", "--endpoint", server.url, ... }
  end

  local function assert_mistake(expected, done)
    assert.same({ 2, "" }, { done.code, done.stdout })
    assert.matches(expected, done.stderr, 1, true)
    assert.equal(0, #server.requests)
  end

  for protocol, header in pairs { ["@restJson1"] = "X-Amzn-Errortype", ["@simpleRestJson"] = "X-Error-Type" } do
    it("sends the requests of " .. protocol .. " and reads the answers", function()
      write(protocol)
      answers = {
        { status = 404, headers = { [header] = "NotFound" }, body = '{"message": "not yet"}' }, { body = '{"State": "off"}' },
      }
      local done = run { "name=a b/c", "since:=0", "zone=x", "--endpoint", server.url }
      assert.equal("", done.stderr)
      assert.matches('^ThingExists succeeded after 3 attempts in .*: status is "on"\n$', done.stdout)
      local request = server:last()
      assert.same({ "GET", "/things/a%20b%2Fc?since=1970-01-01T00%3A00%3A00Z", "x", "" },
        { request.method, request.target, request.headers["x-zone"], request.body })
    end)
  end

  it("believes no error that the answer does not name", function()
    for protocol, header in pairs { ["@restJson1"] = "X-Error-Type", ["@simpleRestJson"] = "X-Other" } do
      write(protocol)
      answers = { { status = 404, headers = { [header] = "NotFound" }, body = '{"message": "not yet"}' } }
      run_here():says(3, "no acceptor matched the error Http404 (404): not yet")
    end
  end)

  it("sends the requests of an RPC protocol", function()
    write "@awsJson1_0"
    answers = { { body = '{"status": "on"}' } }
    assert.equal(0, run_here().code)
    local request = server:last()
    assert.same({ "POST", "/", "Things.GetThing", '{"name":"a b/c"}' },
      { request.method, request.target, request.headers["x-amz-target"], request.body })
  end)

  it("puts the path of the endpoint before that of the operation", function()
    write "@restJson1"
    for _, path in ipairs { "/api/v1", "/api/v1/" } do
      assert.equal(0, run({ "name=x", "--endpoint", server.url .. path }).code)
      assert.equal("/api/v1/things/x", server:last().target)
    end
  end)

  it("puts no prefix before the host of an IP address or of this machine", function()
    write("@restJson1", '@endpoint(hostPrefix: "data.")')
    for _, host in ipairs { "127.0.0.1", "localhost" } do
      assert.equal(0, run({ "name=x", "--endpoint", ("http://%s:%d"):format(host, server.port) }).code)
      assert.equal(("%s:%d"):format(host, server.port), server:last().headers.host)
    end
    local done = run { "name=x", "--endpoint", "http://things.invalid", "--output", "json" }
    assert.matches("data.things.invalid", done.stdout, 1, true)
  end)

  it("is https where the endpoint says nothing", function()
    write "@restJson1"
    local plain = Server.start(nil, { raw = function(peer)
      peer:write "HTTP/1.1 400 Bad Request\r\n\r\n"
      peer:finish()
    end })
    finally(function() plain:close() end)
    local done = run { "name=x", "--endpoint", "127.0.0.1:" .. plain.port, "--output", "json" }
    assert.equal("TlsFailure", json.decode(done.stdout).error.type)
  end)

  it("shows the service's error, with its word as the code", function()
    write "@restJson1"
    answers = { { status = 403, body = '{"__type": "x#Denied", "message": "no"}' } }
    local done = run_here("--output", "json")
    assert.equal(3, done.code)
    local failure = json.decode(done.stdout).error
    assert.same({ "Denied", "Denied", "no", 403 }, { failure.type, failure.code, failure.message, failure.status })
  end)

  it("follows no redirect", function()
    write "@restJson1"
    answers = { { status = 301, headers = { Location = "/elsewhere" } } }
    local done = run_here("--output", "json")
    assert.same({ "Http301", 1 }, { json.decode(done.stdout).error.type, #server.requests })
  end)

  it("honours the service's Retry-After", function()
    write "@restJson1"
    answers = { { body = "{}", headers = { ["Retry-After"] = "1" } } }
    local outcome = json.decode(run_here("--max-delay", "3s", "--output", "json").stdout)
    assert.is_true(outcome.history[1].delay >= 1)
  end)

  -- ---- what is missing or wrong -------------------------------------------------------------

  it("needs an endpoint, and a protocol that bide speaks", function()
    write "@restJson1"
    assert_mistake("waiter ThingExists: --endpoint is missing: the model does not say where the service Things is; or give "
      .. "GetThing a call by --with", run { "name=x" })
    write '@documentation("x")'
    assert_mistake("waiter ThingExists: the service Things has no protocol that bide knows; or give GetThing a call by "
      .. "--with", run { "name=x", "--endpoint", server.url })
  end)

  it("refuses what is no endpoint", function()
    write "@restJson1"
    for given, found in pairs {
      ["ftp://x"] = '"ftp://x"', ["http://"] = '"http://"', ["http://a b"] = '"http://a b"',
      ["http://me:pw@x"] = "one with a user",
      ["http://x?a=b"] = "one with a query", ["http://x/#a"] = "one with a fragment",
    } do
      assert_mistake("--endpoint: expected an endpoint such as https://api.example.com/v1, found " .. found,
        run { "name=x", "--endpoint", given })
    end
  end)

  it("refuses an input of which no request can be made", function()
    write "@restJson1"
    assert_mistake('since: expected a timestamp, found "soon"', run { "name=x", "since=soon", "--endpoint", server.url })
    assert_mistake("name: expected a text that is not empty, found an empty text", run { "name=", "--endpoint", server.url })
    assert_mistake("name: expected a value, since it is a part of the path", run { 'name:=""', "--endpoint", server.url })
  end)

  it("refuses options that nothing uses", function()
    write "@restJson1"
    workspace:write("things.lua", [[return { GetThing = function() return { status = "on" } end }]])
    assert_mistake("--endpoint is for a model whose operations have no call of their own, and --with gives this one a call",
      run_here("--with", "things.lua"))
    assert_mistake("--bearer is for a model whose operations have no call of their own, and ", workspace:bide {
      "run", "command", "true", "--max-wait", "50s", "--bearer", "@env:HOME" })
    assert_mistake("--bearer: the operation GetThing takes no credentials", run_here("--bearer", "@env:SECRET"))
  end)

  -- ---- credentials --------------------------------------------------------------------------

  local BASE64 = require("bide.base64").encode(SECRET)

  local schemes = {
    { "@httpBearerAuth", "--bearer", "authorization", "Bearer " .. SECRET },
    { "@httpBasicAuth", "--basic", "authorization", "Basic " .. BASE64 },
    { '@httpApiKeyAuth(name: "X-Key", in: "header")', "--api-key", "x-key", SECRET },
    { '@httpApiKeyAuth(name: "Authorization", in: "header", scheme: "Key")', "--api-key", "authorization", "Key " .. SECRET },
  }
  for _, scheme in ipairs(schemes) do
    local trait, option, header, value = table.unpack(scheme)

    it(("sends the credentials of %s"):format(trait), function()
      write("@restJson1 " .. trait)
      assert.equal(0, run_here(option, "@env:SECRET").code)
      assert.equal(value, server:last().headers[header])
      workspace:write("secret", SECRET .. "\n")
      assert.equal(0, run_here(option .. "=@file:secret").code)
      assert.equal(value, server:last().headers[header])
    end)

    it(("needs the credentials of %s"):format(trait), function()
      write("@restJson1 " .. trait)
      assert_mistake(("the operation GetThing needs %s (%s), found no credentials"):format(trait:match "%a+Auth", option),
        run_here())
    end)
  end

  it("sends an API key in the query", function()
    write '@restJson1 @httpApiKeyAuth(name: "key", in: "query")'
    assert.equal(0, run_here("--api-key", "@env:SECRET").code)
    assert.equal("/things/a%20b%2Fc?key=c0rrect%20horse%2Fbattery%2Bstaple", server:last().target)
  end)

  it("refuses a key of which the model does not say where it goes", function()
    for _, trait in ipairs { "@auth([httpApiKeyAuth])", '@httpApiKeyAuth(name: "x", in: "body")' } do
      write("@restJson1 " .. trait)
      assert_mistake("the service Things: httpApiKeyAuth: expected a name, and in with header or query",
        run_here("--api-key", "@env:SECRET"))
    end
  end)

  it("chooses the first scheme of those that it has secrets for", function()
    write "@restJson1 @httpBearerAuth @httpBasicAuth @auth([httpBearerAuth, httpBasicAuth])"
    assert.equal(0, run_here("--basic", "@env:SECRET").code)
    assert.equal("Basic " .. BASE64, server:last().headers.authorization)
    assert.equal(0, run_here("--basic", "@env:SECRET", "--bearer", "@env:SECRET").code)
    assert.equal("Bearer " .. SECRET, server:last().headers.authorization)
    server.requests = {}
    assert_mistake("the operation GetThing needs httpBearerAuth (--bearer) or httpBasicAuth (--basic), found no credentials",
      run_here())
  end)

  it("sends none where the operation needs none, unless they are given", function()
    for _, trait in ipairs { "@optionalAuth", "@auth([])", '@auth([httpBearerAuth, "smithy.api#noAuth"])' } do
      write("@restJson1 @httpBearerAuth", trait)
      assert.equal(0, run_here().code)
      assert.is_nil(server:last().headers.authorization)
    end
    assert.equal(0, run_here("--bearer", "@env:SECRET").code)
    assert.equal("Bearer " .. SECRET, server:last().headers.authorization)
  end)

  it("refuses a secret that is not in the environment or a file, and does not show it", function()
    write "@restJson1 @httpBearerAuth"
    local cases = {
      [SECRET] = "--bearer: expected @env:NAME or @file:PATH, since others can see this command line; found another text",
      ["@env:NO_SUCH"] = '--bearer: the environment variable "NO_SUCH" is not set',
      ["@file:none"] = "--bearer: none: no such file", ["@env:EMPTY"] = "--bearer: found an empty text",
      ["@env:BROKEN"] = "--bearer: found a control character in the text",
    }
    for given, mistake in pairs(cases) do
      local done = run({ "name=x", "--endpoint", server.url, "--bearer", given },
        { env = { EMPTY = "", BROKEN = "a\nb-secret" } })
      assert_mistake(mistake, done)
      assert.is_nil(done.stderr:find("horse", 1, true) or done.stderr:find("b-secret", 1, true))
    end
  end)

  it("refuses secrets within the sandbox", function()
    write "@restJson1 @httpBearerAuth"
    assert_mistake("--sandbox: expected no credentials, found --bearer",
      run_here("--sandbox", "--bearer", "@env:SECRET"))
  end)

  it("is reached within the sandbox, without credentials", function()
    for _, protocol in ipairs { "@restJson1", "@awsJson1_0" } do
      write(protocol)
      answers = { { body = '{"State": "on", "status": "on"}' } }
      local done = run_here "--sandbox"
      assert.same({ 0, "" }, { done.code, done.stderr })
    end
    workspace:write("wait.lua", [[
      local things = assert(require("bide").load("./things.smithy", { endpoint = arg[1] }))
      print(things.ThingExists:wait({ name = "x" }, { maxWait = 5 }).message)
    ]])
    write "@restJson1"
    local done = workspace:bide { "exec", "--sandbox", "wait.lua", server.url }
    assert.matches("^ThingExists succeeded", done.stdout, 1, done.stderr)
  end)

  it("warns of credentials that go to another machine without TLS", function()
    write "@restJson1 @httpBearerAuth"
    local warning = "warning: credentials are sent to things.invalid without TLS"
    local done = run { "name=x", "--endpoint", "http://things.invalid", "--bearer", "@env:SECRET" }
    assert.matches(warning, done.stderr, 1, true)
    assert.equal("", run_here("--bearer", "@env:SECRET").stderr)
    done = run { "name=x", "--endpoint", "things.invalid", "--bearer", "@env:SECRET" }
    assert.matches("^ThingExists failed after 1 attempt in [^\n]*: no acceptor matched the error NameNotResolved: [^\n]*\n$",
      done.stderr)
  end)

  it("shows no secret anywhere, even if the service sends it back", function()
    local texts = { SECRET, BASE64, "c0rrect%20horse%2Fbattery%2Bstaple" }
    for _, case in ipairs {
      { "@httpBearerAuth", "--bearer" }, { "@httpBasicAuth", "--basic" },
      { '@httpApiKeyAuth(name: "key", in: "query")', "--api-key" },
    } do
      write("@restJson1 " .. case[1])
      answers = { { status = 403, body = json.encode { message = table.concat(texts, " and ") } } }
      for _, url in ipairs { server.url, "http://127.0.0.1:1" } do
        local done = workspace:bide({ "run", "things.smithy", "name=x", "--endpoint", url, "--max-wait", "1s", case[2],
          "@env:SECRET", "--output", "json", "--verbose", "--explain", "--events", "events", "--journal", "journal" },
          { env = { SECRET = SECRET } })
        assert.equal(3, done.code)
        local all = done.stdout .. done.stderr .. workspace:read "events" .. workspace:read "journal"
        for _, text in ipairs(texts) do assert.is_nil(all:find(text, 1, true)) end
      end
    end
  end)

  -- ---- the ways in which waits are given ----------------------------------------------------

  it("runs with +, --each and lists of waits, each with its own service", function()
    write "@restJson1"
    assert.equal(0, run_here("+", "things.smithy", "name=y", "--endpoint", server.url .. "/b").code)
    assert.equal(2, #server.requests)
    workspace:write("names.jsonl", '{"name": "a"}\n{"name": "b"}\n')
    assert.equal(0, run({ "--endpoint", server.url, "--each", "names.jsonl" }).code)
    workspace:write("waits.json", json.encode { {
      recipe = "./things.smithy", input = { name = "z" }, endpoint = server.url .. "/list" } })
    server.requests = {}
    assert.equal(0, workspace:bide({ "run", "waits.json", "--max-wait", "5s", "--quiet" }).code)
    assert.equal("/list/things/z", server:last().target)
  end)

  it("takes the same options in a plan", function()
    write "@restJson1 @httpBearerAuth"
    local words = { "plan", "things.smithy", "--max-wait", "5s", "--endpoint", "x", "--bearer", "@env:NO" }
    assert.equal(0, workspace:bide(words).code)
  end)

  it("is waited for by scripts, with the same options", function()
    write "@restJson1 @httpBearerAuth"
    workspace:write("wait.lua", [[
      local bide = require "bide"
      local things = assert(bide.load("things.smithy", { endpoint = arg[1], bearer = arg[2] }))
      print(assert(things.ThingExists:wait({ name = "x" }, { maxWait = 5 })).message)
    ]])
    local done = workspace:bide { "exec", "wait.lua", server.url, SECRET }
    assert.matches("^ThingExists succeeded", done.stdout, 1, done.stderr)
    assert.equal("Bearer " .. SECRET, server:last().headers.authorization)
    done = workspace:bide { "exec", "wait.lua", server.url }
    assert.matches("wait.lua:3: the waiter ThingExists: the operation GetThing needs httpBearerAuth (bearer), found no "
      .. "credentials", done.stderr, 1, true)
    workspace:write("things.smithy", (MODEL:format("@restJson1", "")))
    done = workspace:bide { "exec", "wait.lua" }
    assert.matches("the waiter ThingExists: endpoint is missing: the model does not say where the service Things is; or "
      .. "give GetThing a call by with", done.stderr, 1, true)
    workspace:write("wrong.lua", [[require("bide").load("things.smithy", { endpont = "x" })]])
    done = workspace:bide { "exec", "wrong.lua" }
    assert.matches('wrong.lua:1: bide.load: endpont: unknown option, did you mean "endpoint"?', done.stderr, 1, true)
  end)

  it("continues from a journal", function()
    write "@restJson1"
    for position = 1, 200 do answers[position] = { body = "{}" } end
    local words = { "name=x", "--endpoint", server.url, "--journal", "journal", "--min-delay", "50ms", "--max-delay", "50ms" }
    local cut = run(words, { signal = "sigkill", caught_for = 1.5 })
    assert.equal(9, cut.signal)
    answers = {}
    words[#words + 1] = "--resume"
    local done = run(words)
    assert.matches("succeeded", done.stdout)
    assert.is_nil(done.stderr:find("a new one begins", 1, true))
  end)
end)
