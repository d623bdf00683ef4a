---With insecure=true, a handshake that the server ended, since it wants a certificate of the client, was told of the server's
---own certificate, which bide had been told to trust. CertificateInvalid so succeeded.

local TlsServer = require "spec.support.tls_server"
local Workspace = require "spec.support.workspace"
local certificates = require "spec.support.certificates"

describe("a certificate that is to be trusted", function()
  local workspace = Workspace.of_block()

  setup(function() certificates(workspace) end)

  local server = TlsServer.of_block(workspace, { "-cert", "server.pem", "-key", "server.key", "-tls1_2", "-Verify", "1" })

  local function run(...)
    return workspace:bide { "tls", ... }
  end

  it("is not what a handshake fails for", function()
    local where = "localhost:" .. server.port
    local done = run(where, "ca=ca.pem", "insecure=true", "--max-wait", "300ms")
    assert.matches("alert handshake failure", done.stderr)
    assert.equal(1, done.code)
    done = run("CertificateInvalid", where, "ca=ca.pem", "insecure=true", "--max-wait", "300ms")
    assert.not_equal(0, done.code, done.stderr)
  end)
end)
