---CertificateValid looked at the days of the server's certificate alone, though an intermediate one expires sooner and takes
---all clients with it. CertificateInvalid succeeded where bide itself was not told the authority, or the host's name.

local TlsServer = require "spec.support.tls_server"
local Workspace = require "spec.support.workspace"
local certificates = require "spec.support.certificates"
local process = require "spec.support.process"
local tls = require "bide.tls"

---Makes an authority, an intermediate one and a server's certificate with some days each.
local MAKE = [[
new() { openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -keyout $1.key -out $1.csr; }
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days ROOT -subj /CN=root -keyout root.key -out root.pem
printf "basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign\n" >between.ext
printf "subjectAltName=DNS:localhost\n" >leaf.ext
new between && openssl x509 -req -in between.csr -CA root.pem -CAkey root.key -CAcreateserial -days BETWEEN \
  -extfile between.ext -out between.pem &&
new leaf && openssl x509 -req -in leaf.csr -CA between.pem -CAkey between.key -CAcreateserial -days LEAF \
  -extfile leaf.ext -out leaf.pem]]

describe("the days of a certificate", function()
  local workspace = Workspace.of_each()
  local server

  TlsServer.close_after_each()

  local function serve(root, between, leaf)
    local script = MAKE:gsub("%f[%u]%u%u%u+%f[%U]", { ROOT = root, BETWEEN = between, LEAF = leaf })
    local done = process.run({ "sh", "-ec", script }, { cwd = workspace.path, tool = true })
    assert(done.code == 0, done.stderr)
    server = TlsServer.start(workspace, { "-cert", "leaf.pem", "-key", "leaf.key", "-cert_chain", "between.pem" })
    return "localhost:" .. server.port
  end

  local function run(...)
    return workspace:bide { "tls", ... }
  end

  for subject, days in pairs { ["CN=between"] = { 400, 3, 90 }, ["CN=root"] = { 3, 400, 90 } } do
    it("are those of the first to expire of the chain: " .. subject, function()
      local where = serve(table.unpack(days))
      local done = run(where, "ca=root.pem", "days=30", "--max-attempts", "1", "--max-wait", "50s")
      assert.equal(4, done.code)
      assert.matches("CertificateExpires: expected 30 days left, found [23] of the certificate of " .. subject, done.stderr)
      assert.equal(0, run(where, "ca=root.pem", "days=2", "--max-wait", "50s").code)
      assert.equal(0, run("CertificateInvalid", where, "ca=root.pem", "days=30", "--max-wait", "50s").code)
      local peer = tls.connect(where, { ca = workspace.path .. "/root.pem" }):peer()
      assert.equal(subject, peer.first_to_expire.subject)
      assert.is_true(peer.days_left >= 89 and peer.first_to_expire.days_left <= 3)
    end)
  end

  it("are the server's own where it is not verified, and where it expires first", function()
    local where = serve(400, 300, 50)
    assert.equal(0, run(where, "insecure=true", "days=30", "--max-wait", "50s").code)
    local done = run(where, "ca=root.pem", "days=60", "--max-attempts", "1", "--max-wait", "50s")
    assert.matches("expected 60 days left, found [45]", done.stderr)
    assert.not_matches("of the certificate of", done.stderr, 1, true)
  end)

  it("say nothing where bide was not told the authority or the host, for both waiters", function()
    local where = serve(400, 300, 50)
    for _, waiter in ipairs { "CertificateValid", "CertificateInvalid" } do
      local done = run(waiter, where, "--max-wait", "50s")
      assert.equal(1, done.code, done.stdout)
      assert.matches("AuthorityNotGiven: .*: give ca if the authority is one of your own", done.stderr)
      for _, written in ipairs { "127.0.0.1", "127.1", "0x7f.0.0.0x1" } do -- the system takes them all
        done = run(waiter, (where:gsub("localhost", written)), "ca=root.pem", "--max-wait", "50s")
        assert.equal(1, done.code, done.stdout)
        assert.matches("HostNotGiven: .*: give server_name, the name that the certificate is for", done.stderr)
      end
    end
    certificates.sign_itself(workspace, "other")
    assert.equal(0, run("CertificateInvalid", where, "ca=other.pem", "--max-wait", "50s").code)
    assert.equal(0, run("CertificateInvalid", where, "ca=root.pem", "server_name=elsewhere", "--max-wait", "50s").code)
    assert.equal(4, run("CertificateInvalid", where, "ca=root.pem", "--max-attempts", "1", "--max-wait", "50s").code)
  end)
end)
