local Server = require "spec.support.server"
local TlsServer = require "spec.support.tls_server"
local Workspace = require "spec.support.workspace"
local certificates = require "spec.support.certificates"
local free_port = require("spec.support.port").free

require "spec.support.proven"

describe("the recipe tls, with openssl's server", function()
  local workspace = Workspace.of_each()
  local server

  before_each(function() certificates(workspace) end)

  TlsServer.close_after_each()

  local function serve(name, port)
    server = TlsServer.start(workspace, { "-cert", name .. ".pem", "-key", name .. ".key" }, port)
    return "localhost:" .. server.port
  end

  local function run(...)
    return workspace:bide { "tls", "--max-wait", "10s", "--min-delay", "50ms", "--max-delay", "50ms", "--output", "json", ... }
  end

  it("waits until somebody shows a valid certificate, and says whose", function()
    local port = free_port()
    local started = workspace:start { "tls", "localhost:" .. port, "ca=ca.pem", "--max-wait", "20s", "--output", "json",
      "--min-delay", "50ms", "--max-delay", "50ms" }
    started:wait_for_output "ConnectionRefused"
    serve("server", port)
    started:wait()
    started:prints(0, '"waiter": "CertificateValid"', '"subject": "CN=server"', '"issuer": "CN=bide spec authority"')
    assert.matches('"not_after": "%d%d%d%d%-', started.stdout)
  end)

  it("takes an address with a port, as two words, or as a URL", function()
    serve "server"
    local port = tostring(server.port)
    for _, words in ipairs { { "localhost", port }, { "https://localhost:" .. port }, { "127.0.0.1:" .. port } } do
      assert.equal(0, run("ca=ca.pem", table.unpack(words)).code)
    end
    assert.equal(2, run("http://localhost", "ca=ca.pem").code)
    assert.equal(2, run("localhost", "tls=false").code)
  end)

  it("waits until enough days are left, and until the issuer is the one it wants", function()
    local where = serve "server"
    assert.equal(0, run(where, "ca=ca.pem", "days=1", "issuer=spec authority").code)
    for words, message in pairs {
      ["days=30"] = "CertificateExpires: expected 30 days left, found [12]",
      ["issuer=Let's Encrypt"] = "UnexpectedIssuer: expected the issuer Let's Encrypt, found CN=bide spec authority",
    } do
      local started = workspace:start { "tls", where, "ca=ca.pem", words, "--max-wait", "300ms" }
      started:wait()
      assert.equal(124, started.code)
      assert.matches(message, started.stderr)
    end
  end)

  it("waits for a certificate that has expired to be renewed", function()
    certificates.sign(workspace, "old", { to = "20210101000000Z" })
    local where = serve "old"
    local started = workspace:start { "tls", where, "ca=ca.pem", "--max-wait", "20s", "--min-delay", "50ms",
      "--max-delay", "50ms" }
    started:wait_for_output "the certificate of CN=old expired on 2021"
    server:close()
    serve("server", server.port)
    started:wait()
    assert.equal(0, started.code, started.stdout .. started.stderr)
  end)

  it("fails at once for what waiting does not mend", function()
    local where = serve "server"
    for _, words in ipairs { { where }, { where, "ca=client.pem" }, { where, "ca=ca.pem", "server_name=elsewhere" } } do
      local done = run(table.unpack(words))
      assert.equal(1, done.code)
      assert.matches(#words == 1 and '"type": "AuthorityNotGiven"' or '"type": "TlsFailure"', done.stdout)
      assert.matches("the certificate of CN=server", done.stdout)
    end
    assert.equal(0, run(where, "insecure=true").code)
    local other = Server.start(nil, { raw = function(peer) peer:write "SSH-2.0-OpenSSH_9.2\r\n" end })
    local done = run("127.0.0.1:" .. other.port)
    other:close()
    done:prints(1, "the answer is not TLS")
  end)

  it("waits until a certificate is not valid any more", function()
    local where = serve "server"
    assert.equal(0, run("CertificateInvalid", where, "ca=ca.pem", "days=30").code)
    local done = run("CertificateInvalid", where, "ca=client.pem", "--explain")
    assert.equal(0, done.code)
    assert.matches("CertificateInvalid succeeded after 1 attempt in %S+ s: .*the error TlsFailure: .*has no authority",
      done.stdout)
    assert.matches("a refused certificate: yes, the error is TlsFailure, the problem authority", done.stdout .. done.stderr)
    assert.equal(0, run("CertificateInvalid", where, "ca=ca.pem", "issuer=Let's Encrypt").code)
    assert.equal(124, workspace:bide({ "tls", "--invert", where, "ca=ca.pem", "--max-wait", "200ms" }).code)
  end)

  it("replays", function()
    workspace:write("answers.jsonl", [[
{"error": {"type": "ConnectionRefused"}}
{"error": {"type": "TlsFailure", "problem": "expired", "message": "the certificate of CN=db expired on 2026-01-01T00:00:00Z"}}
{"error": {"type": "CertificateExpires", "message": "expected 30 days left, found 3"}}
{"error": {"type": "TlsFailure", "problem": "host", "message": "the certificate of CN=db: expected one for db"}}
]])
    local outcome = workspace:outcome { "replay", "tls", "CertificateValid", "answers.jsonl", "db", "--max-wait", "10m" }
    assert.same({ "failure", 4 }, { outcome.state, outcome.attempts })
    outcome = workspace:outcome { "replay", "tls", "CertificateInvalid", "answers.jsonl", "db", "--max-wait", "10m" }
    assert.same({ "success", 2 }, { outcome.state, outcome.attempts })
  end)
end)
