---A certificate without any subjectAltName was accepted if its common name was the host or the address: libcurl and libcrypto
---compare that name if the certificate has no other. Browsers, Go and RFC 9525 do not, since authorities need not check it.

local TlsServer = require "spec.support.tls_server"
local Workspace = require "spec.support.workspace"
local certificates = require "spec.support.certificates"

describe("a certificate without any subjectAltName", function()
  local workspace = Workspace.of_each()
  local server

  before_each(function() certificates(workspace) end)

  after_each(function() server:close() end)

  ---Starts a server whose certificate has a common name, and nothing else unless there are extensions.
  local function serve(name, extensions)
    certificates.sign(workspace, name, { extensions = extensions or "basicConstraints=CA:FALSE\n" })
    server = TlsServer.start(workspace, { "-cert", name .. ".pem", "-key", name .. ".key", "-www" })
  end

  local function run(recipe, where, ...)
    return workspace:bide { recipe, where:format(server.port), "ca=ca.pem", ..., "--max-wait", "300ms" }
  end

  for _, name in ipairs { "localhost", "127.0.0.1" } do
    it("is not one for its common name, " .. name, function()
      serve(name)
      local done = run("http", "https://" .. name .. ":%d/")
      assert.equal(3, done.code, done.stdout .. done.stderr)
      assert.matches("TlsFailure: no TLS connection with .*: the certificate is for no host: it has no subjectAltName",
        done.stderr)
      done = run("tls", name .. ":%d")
      done:says(1, ("the certificate of CN=%s: expected one for %s, found one for no host"):format(name, name))
    end)
  end

  it("is still trusted by a request that is to trust any", function()
    serve "127.0.0.1"
    assert.equal(0, run("http", "https://127.0.0.1:%d/", "insecure=true").code)
  end)

  it("differs from one whose only other name is the host", function()
    serve("other", "subjectAltName=DNS:localhost\n")
    run("http", "https://localhost:%d/"):ends(0)
    assert.equal(0, run("tls", "localhost:%d").code)
  end)

  it("differs from one that names other hosts, which libcurl refuses", function()
    serve("localhost", "subjectAltName=DNS:other\n")
    assert.matches("no alternative certificate subject name matches", run("http", "https://localhost:%d/").stderr, 1, true)
  end)

  it("has no name of another kind for a host either", function()
    serve("localhost", "subjectAltName=email:root@localhost\n")
    assert.equal(3, run("http", "https://localhost:%d/").code)
    assert.equal(1, run("tls", "localhost:%d").code)
  end)
end)
