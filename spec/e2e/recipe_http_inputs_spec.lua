---What the recipe `http` can be told on one line: the request, what a good answer is, and what a failure.

local json = require("bide.core").json
local Nginx = require "spec.support.nginx"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local make_certificates = require "spec.support.certificates"
local process = require "spec.support.process"

local quick = { "--interval", "20ms" }

---The words of `bide http` with a short delay.
local function words_of(...)
  local words = table.move(quick, 1, #quick, 2, { "http" })
  return table.move({ ... }, 1, select("#", ...), #words + 1, words)
end

require "spec.support.proven"

describe("the recipe http", function()
  local workspace = Workspace.of_each()
  local server, address

  before_each(function()
    server = Server.start(function(request)
      return { headers = { ["Content-Type"] = "application/json" }, body = json.encode(request) }
    end)
    address = "127.0.0.1:" .. server.port
  end)

  after_each(function() server:close() end)

  ---Runs it against the server, which answers with the request; returns the output.
  local function request_of(...)
    local outcome, done = workspace:outcome(words_of(address .. "/p", "--max-wait", "9s", ...))
    assert.equal(0, done.code, done.stdout .. done.stderr)
    return outcome.output, done
  end

  it("asks an address as people write it", function()
    assert.same({ "GET", "/p" }, { request_of().method, request_of().path })
    local outcome = workspace:outcome(words_of("http://" .. address .. "/q?a=b", "--max-wait", "50s"))
    assert.equal("/q?a=b", outcome.output.target)
    assert.equal(0, workspace:bide(words_of("url=" .. address, "--max-wait", "50s")).code)
  end)

  it("sends a method and a body", function()
    assert.equal("PUT", request_of("method=put").method)
    local sent = request_of "body=a=b&c=d"
    assert.same({ "POST", "a=b&c=d" }, { sent.method, sent.body })
    assert.is_nil(sent.headers["content-type"])
    workspace:write("body.txt", "from a file\n")
    request_of "body=@file:body.txt"
    assert.equal("from a file", server:last().body)
    assert.same({ "PATCH", "x" }, { request_of("method=PATCH", "body=x").method, request_of("method=PATCH", "body=x").body })
  end)

  it("reads its input, or a secret, from standard input", function()
    local input = ('{"url":"%s/p","bearer":"open-sesame"}'):format(address)
    assert.equal(0, workspace:bide({ "run", "http", "--input", "@-", "--max-wait", "50s" }, { stdin = input }).code)
    assert.equal("Bearer open-sesame", server:last().headers.authorization)
    assert.equal(0, workspace:bide(words_of(address, "bearer=@file:-", "--max-wait", "50s"), { stdin = "from-a-pipe\n" }).code)
    assert.equal("Bearer from-a-pipe", server:last().headers.authorization)
  end)

  it("sends JSON, as a text or as a value", function()
    for _, word in ipairs { 'json={"b":1,"a":[]}', 'json:={"b":1,"a":[]}' } do
      local sent = request_of(word)
      assert.same({ "POST", "application/json" }, { sent.method, sent.headers["content-type"] })
      assert.same({ b = 1, a = json.array {} }, json.decode(sent.body))
    end
    assert.equal("application/x-ndjson", request_of("json=1", "headers=Content-Type: application/x-ndjson")
      .headers["content-type"])
  end)

  it("sends headers as lines, in a list and in an object", function()
    for _, word in ipairs { "headers=X-A: one, two\nX-B:three", 'headers:=["X-A: one, two","X-B: three"]',
      'headers:={"X-A":"one, two","X-B":"three"}' } do
      request_of(word)
      local headers = server:last().headers
      assert.same({ "one, two", "three" }, { headers["x-a"], headers["x-b"] }, word)
    end
    assert.equal("1, 2", request_of("headers=X-A: 1\nX-A: 2").headers["x-a"])
    workspace:write("headers.txt", "X-A: 1\nX-B: 2\n")
    request_of "headers=@file:headers.txt"
    assert.equal("2", server:last().headers["x-b"])
  end)

  it("sends credentials, and shows them nowhere", function()
    local sent, done = request_of("bearer=sesame-open-1", "--events", "events.jsonl")
    assert.equal("[redacted]", sent.headers.authorization)
    assert.equal("Bearer sesame-open-1", server:last().headers.authorization)
    assert.not_matches("sesame", done.stdout .. done.stderr .. workspace:read "events.jsonl")
    done = select(2, request_of("user=me:sesame-open-2", "--events", "events.jsonl"))
    assert.equal("Basic bWU6c2VzYW1lLW9wZW4tMg==", server:last().headers.authorization)
    assert.not_matches("sesame", done.stdout .. done.stderr .. workspace:read "events.jsonl")
    done = select(2, request_of("headers=X-Vault: sesame-open-3", "--events", "events.jsonl"))
    assert.equal("sesame-open-3", server:last().headers["x-vault"])
    assert.not_matches("sesame", done.stdout .. done.stderr .. workspace:read "events.jsonl")
  end)

  it("shows no secret that it expects", function()
    server.handler = function() return { body = '{"pin":"1","token":"2"}' } end
    for _, words in ipairs { { "path=pin", "expect=@env:SECRET" }, { "path=token", "expect=sesame-open-4", "--quiet" } } do
      local done = workspace:bide(words_of(address, "--max-wait", "300ms", table.unpack(words)),
        { env = { SECRET = "sesame-open-4" } })
      done:says(124, "last seen")
      assert.not_matches("sesame", done.stdout .. done.stderr)
    end
  end)

  it("follows redirects as it is told", function()
    local target = address
    local moved = Server.start(function()
      return { status = 302, headers = { Location = ("http://%s/there"):format(target) } }
    end)
    finally(function() moved:close() end)
    local url = "127.0.0.1:" .. moved.port
    assert.equal("/there", workspace:outcome(words_of(url, "follow=true", "--max-wait", "50s")).output.path)
    assert.equal("/there", workspace:outcome(words_of(url, "path=path", "expect=/there", "--max-wait", "50s")).output.path)
    assert.equal(3, workspace:bide(words_of(url, "follow=false", "--max-wait", "50s")).code)
    assert.equal(0, workspace:bide(words_of(url, "follow=false", "status=302", "--max-wait", "50s")).code)
  end)

  it("asks over a socket, and through a proxy", function()
    local socket = Server.start(function(request) return { body = json.encode(request) } end,
      { unix_socket = workspace.path .. "/socket" })
    finally(function() socket:close() end)
    local outcome = workspace:outcome(words_of("/_ping", "unix=socket", "--max-wait", "50s"))
    assert.same({ "/_ping", "localhost" }, { outcome.output.path, outcome.output.headers.host })
    outcome = workspace:outcome(words_of("thing.example/p", "proxy=http://me:sesame@" .. address, "--max-wait", "50s"))
    assert.equal("http://thing.example/p", outcome.output.target)
    assert.equal("http://[redacted]@" .. address, outcome.input.proxy)
    outcome = workspace:outcome(words_of(address .. "/p", "proxy=", "--max-wait", "50s"),
      { env = { http_proxy = "http://127.0.0.1:1" } })
    assert.equal("/p", outcome.output.target)
  end)

  it("takes statuses of several kinds, and gives the JSON of each", function()
    server.handler = function() return { status = 404, body = '{"state":"gone"}' } end
    local outcome = workspace:outcome(words_of(address, "status=2xx,404", "--max-wait", "50s"))
    assert.same({ "success", { state = "gone" } }, { outcome.state, outcome.output })
    assert.equal(0, workspace:bide(words_of(address, "status=40x", "path=state", "expect=gone", "--max-wait", "50s")).code)
    outcome = workspace:outcome(words_of(address, "status=200", "--max-wait", "500ms"))
    assert.same({ "failure", 404 }, { outcome.state, outcome.error.status })
    server.handler = function() return { status = 500, body = "<html>" } end
    assert.same({}, workspace:outcome(words_of(address, "status=500", "--max-wait", "50s")).output)
  end)

  it("gives the output {} for an answer without JSON, announced or not", function()
    for _, kind in ipairs { "text/plain", "application/json" } do
      server.handler = function() return { body = "all is well", headers = { ["Content-Type"] = kind } } end
      local outcome = workspace:outcome(words_of(address, "--max-wait", "50s"))
      assert.same({ "success", {} }, { outcome.state, outcome.output })
    end
  end)

  it("lets the matcher status see the status of an answer", function()
    workspace:write("trait.json", [[{ "Made": { "minDelay": 1, "acceptors": [
      { "state": "success", "matcher": { "status": 201 } } ] } }]])
    workspace:write("with.lua", [[
      local http = require "bide.http"
      return { Get = { input = http.inputs(), check = http.mistake, call = function(input)
        return http.output(http.request(http.request_of(input)), input)
      end } }
    ]])
    server.handler = function() return { status = 201, body = "[1]" } end
    local words = { "run", "trait.json", "--with", "with.lua", "url=" .. address, "--max-wait", "50s" }
    local outcome = workspace:outcome(words)
    assert.same({ "success", { 1 } }, { outcome.state, outcome.output })
    words[#words + 1] = "--sandbox"
    assert.equal("success", workspace:outcome(words).state)
  end)

  it("matches the text with a pattern", function()
    server.handler = function() return { body = "version 12.3 is ready" } end
    assert.equal(0, workspace:bide(words_of(address, "matches=^version \\d+\\.\\d", "--max-wait", "50s")).code)
    local outcome = workspace:outcome(words_of(address, "matches=^ready", "--max-wait", "300ms"))
    assert.equal('expected a match of "^ready", found none', outcome.error.message)
    assert.equal(0, workspace:bide(words_of(address, "matches=ready$", "--sandbox", "--max-wait", "50s")).code)
  end)

  it("puts the groups of matches into the output, beside what the answer has", function()
    server.handler = function() return { body = '{"version":"12.3"}', headers = { ["x-state"] = "up" } } end
    local outcome = workspace:outcome(words_of(address, "matches=(\\d+)\\.(\\d+)", "--until", "captures[1]=3", "--until",
      "version=12.3", "--until", "header('x-state')=up", "--max-wait", "50s"))
    assert.same({ version = "12.3", captures = { "12", "3" } }, outcome.output)
    server.handler = function() return { status = 503, body = "busy 7" } end
    outcome = workspace:outcome(words_of(address, "status=503", "matches=busy (\\d)", "--until", "captures[0]=7",
      "--max-wait", "50s"))
    assert.same({ captures = { "7" } }, outcome.output)
  end)

  it("ends a pattern that would match for hours at the deadline", function()
    server.handler = function() return { body = ("a"):rep(20000) } end
    local done = workspace:bide(words_of(address, "matches_lua=" .. (".-"):rep(12) .. "b", "--max-wait", "300ms"))
    assert.equal(124, done.code)
    assert.is_true(done.elapsed < 5, done.elapsed)
  end)

  it("fails at once on a value of failed, with the reason", function()
    server.handler = function() return { body = '{"state":"failed","reason":"disk full","code":7}' } end
    local outcome, done = workspace:outcome(words_of(address, "path=state", "expect=done", "failed=cancelled,failed",
      "message=reason", "--max-wait", "50s"))
    assert.same({ 1, "failure", "acceptor", 1 }, { done.code, outcome.state, outcome.reason, outcome.attempts })
    assert.matches("^ServiceHealthy failed after 1 attempt in .*: disk full$", outcome.message)
    assert.equal("failed", outcome.output.state)
    assert.same({ { acceptor = 1, path = "state", value = "failed" } }, outcome.seen)
    outcome = workspace:outcome(words_of(address, "path=code", "failed=7", "--max-wait", "50s"))
    assert.matches("failed after 1 attempt in .*: code is 7$", outcome.message)
  end)

  it("fails at once on a text of failed", function()
    server.handler = function() return { body = "state: crashed" } end
    local outcome, done = workspace:outcome(words_of(address, "expect=ready", "failed=crashed", "--max-wait", "50s"))
    assert.same({ 1, "FailedValue" }, { done.code, outcome.error.type })
    assert.matches('failed after 1 attempt in .*: found "crashed"$', outcome.message)
    server.handler = function() return { body = '{"message":"no disk","state":"crashed"}' } end
    outcome = workspace:outcome(words_of(address, "failed=crashed", "--max-wait", "50s"))
    assert.matches("failed after 1 attempt in .*: no disk$", outcome.message)
  end)

  it("lets the command line's acceptors see what it expects otherwise", function()
    server.handler = function() return { body = '{"state":"failed"}' } end
    local outcome = workspace:outcome(words_of(address, "path=state", "expect=done", "--fail", "state=failed",
      "--max-wait", "50s"))
    assert.same({ "failure", "acceptor", 1 }, { outcome.state, outcome.reason, outcome.acceptor })
  end)

  it("is replayed by the same rules", function()
    workspace:write("answers.jsonl", '{"output":{"state":"running"}}\n{"output":{"state":"failed","reason":"disk full"}}\n')
    local function replay(...)
      return workspace:outcome { "replay", "http", "ServiceHealthy", "answers.jsonl", "url=x", "path=state",
        "--max-wait", "1h", ... }
    end
    assert.matches("failed after 2 attempts in .*: disk full$", replay("expect=done", "failed=failed", "message=reason").message)
    assert.equal("success", replay("expect=failed").state)
    assert.equal("maxWait", replay("expect=done").reason)
  end)

  it("runs in the sandbox, without files", function()
    assert.equal(0, workspace:bide(words_of(address, "bearer=x", "path=method", "expect=GET", "--sandbox",
      "--max-wait", "50s")).code)
    for word, message in pairs { ["ca=ca.pem"] = "ca: not for sandboxed recipes, since it names a file; CURL_CA_BUNDLE",
      ["unix=socket"] = "unix: not for", ["proxy=localhost/socket"] = "proxy: not for" } do
      local done = workspace:bide(words_of(address, word, "--sandbox", "--max-wait", "50s"))
      assert.equal(2, done.code)
      assert.matches(message, done.stderr)
    end
  end)
end)

describe("the jobs of a newcomer", function()
  local workspace = Workspace.of_each()

  it("1: a service behind TLS, self-signed, with a token from the environment", function()
    make_certificates(workspace)
    local nginx = Nginx.start(workspace, [[
      ssl_certificate server.pem;
      ssl_certificate_key server.key;
      server {
        listen 127.0.0.1:PORT ssl http2;
        location / {
          if ($http_authorization != "Bearer open-sesame") { return 401; }
          return 200 '{"status":"up","protocol":"$server_protocol"}';
        }
      }
    ]])
    finally(function() nginx:stop() end)
    local url = ("https://localhost:%d/health"):format(nginx.port)
    local env = { TOKEN = "open-sesame" }
    local outcome, done = workspace:outcome({ "http", url, "ca=ca.pem", "bearer=@env:TOKEN", "path=status", "expect=up",
      "--max-wait", "50s" }, { env = env })
    assert.same({ 0, { status = "up", protocol = "HTTP/2.0" } }, { done.code, outcome.output })
    assert.not_matches("sesame", done.stdout .. done.stderr)
    assert.equal(0, workspace:bide({ "http", url, "insecure=true", "bearer=@env:TOKEN", "http2=false", "--until",
      "protocol=HTTP/1.1", "--max-wait", "50s" }, { env = env }).code)
    done = workspace:bide({ "http", url, "bearer=@env:TOKEN", "--max-wait", "50s", "--quiet" }, { env = env })
    done:says(3, "TlsFailure")
    assert.equal(3, workspace:bide { "http", url, "ca=ca.pem", "--max-wait", "50s" } .code)
  end)

  it("1: a certificate that is issued later is waited for by name, and is final otherwise", function()
    local other = Workspace.make()
    make_certificates(workspace)
    make_certificates(other)
    local nginx = Nginx.start(other, [[
      ssl_certificate server.pem;
      ssl_certificate_key server.key;
      server { listen 127.0.0.1:PORT ssl; location / { return 204; } }
    ]])
    local url = "https://localhost:" .. nginx.port
    assert.equal(3, workspace:bide(words_of(url, "ca=ca.pem", "--tolerate", "5s", "--max-wait", "50s")).code)
    local started = workspace:start(words_of(url, "ca=ca.pem", "--retry-on", "TlsFailure", "--max-wait", "30s"))
    started:wait_for_output "TlsFailure"
    for _, name in ipairs { "server.pem", "server.key" } do other:write(name, workspace:read(name)) end
    nginx:stop()
    nginx:restart()
    started:wait()
    nginx:stop()
    other:remove()
    assert.equal(0, started.code, started.stderr)
  end)

  it("1: a certificate of the client, whose key has a password", function()
    make_certificates(workspace)
    assert(process.run({ "openssl", "ec", "-in", "client.key", "-aes128", "-passout", "pass:open-sesame", "-out", "locked.key" },
      { cwd = workspace.path, tool = true }).code == 0)
    local nginx = Nginx.start(workspace, [[
      ssl_certificate server.pem;
      ssl_certificate_key server.key;
      ssl_client_certificate ca.pem;
      ssl_verify_client on;
      server { listen 127.0.0.1:PORT ssl; location / { return 200 '{"name":"$ssl_client_s_dn"}'; } }
    ]])
    finally(function() nginx:stop() end)
    local outcome, done = workspace:outcome({ "http", "https://localhost:" .. nginx.port, "ca=ca.pem", "certificate=client.pem",
      "key=locked.key", "key_password=@env:PASS", "--max-wait", "50s" }, { env = { PASS = "open-sesame" } })
    assert.same({ 0, "CN=client" }, { done.code, (outcome.output or {}).name })
    assert.not_matches("sesame", done.stdout .. done.stderr)
  end)

  it("5: a job that fails ends the wait at once, with the reason", function()
    local asked = 0
    local server = Server.start(function()
      asked = asked + 1
      return { body = asked < 3 and '{"state":"running"}' or '{"state":"failed","reason":"disk full on node 7"}' }
    end)
    finally(function() server:close() end)
    local outcome, done = workspace:outcome(words_of("127.0.0.1:" .. server.port .. "/jobs/n7", "--until", "state=done",
      "--fail", "state=failed", "--fail-message", "reason", "--max-wait", "50s"))
    assert.same({ 1, "acceptor", 3 }, { done.code, outcome.reason, outcome.attempts })
    assert.matches("^ServiceHealthy failed after 3 attempts in .*: disk full on node 7", outcome.message)
    assert.same({ state = "failed", reason = "disk full on node 7" }, outcome.output)
  end)
end)
