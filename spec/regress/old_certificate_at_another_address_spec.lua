---CertificateValid asked the first address of a name that accepted a connection: it succeeded while another one still
---showed the old certificate, and CertificateInvalid did not see that one. Each address has to show a valid one.

local TlsServer = require "spec.support.tls_server"
local Workspace = require "spec.support.workspace"
local certificates = require "spec.support.certificates"
local process = require "spec.support.process"

describe("a certificate that one of two addresses shows", function()
  local workspace = Workspace.of_each()
  local other

  before_each(function()
    certificates(workspace)
    certificates.sign(workspace, "old", { to = "20210101000000Z" })
  end)

  local server = TlsServer.of_each(workspace, { "-cert", "server.pem", "-key", "server.key" })

  after_each(function()
    if other then other:kill() end
    other = nil
  end)

  ---Starts a server at ::1, beside the one at 127.0.0.1.
  local function serve_beside(name)
    other = process.start({ "openssl", "s_server", "-accept", "[::1]:" .. server.port, "-cert", name .. ".pem", "-key",
      name .. ".key", "-www" }, { cwd = workspace.path })
    other:wait_for_output "ACCEPT"
  end

  local function run(...)
    return workspace:bide { "tls", ... , "localhost:" .. server.port, "ca=ca.pem", "--max-wait", "300ms" }
  end

  it("is not renewed while the other one is old", function()
    serve_beside "old"
    run("CertificateValid"):says(124, "the certificate of CN=old expired on 2021")
    assert.equal(0, run("CertificateInvalid").code)
  end)

  it("is valid if both are, or if the other one does not listen", function()
    assert.equal(0, run("CertificateValid").code)
    serve_beside "server"
    assert.equal(0, run("CertificateValid").code)
    assert.equal(124, run("CertificateInvalid").code)
  end)
end)
