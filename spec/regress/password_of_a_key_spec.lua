---A client's key with a password, and a request without: OpenSSL asked the terminal, or standard input, and bide stood
---still until somebody answered.

local Nginx = require "spec.support.nginx"
local Workspace = require "spec.support.workspace"
local make_certificates = require "spec.support.certificates"
local process = require "spec.support.process"

local script = [[
local http = require "bide.http"
local ok, answer = pcall(http.get, ..., { verify = false, certificate = "client.pem", key = "locked.key" })
print(ok and answer.status or answer.type)
print(io.read "l")
]]

describe("a request with a locked key", function()
  local workspace = Workspace.of_each()

  it("asks nobody for the password", function()
    make_certificates(workspace)
    assert(process.run({ "openssl", "ec", "-in", "client.key", "-aes128", "-passout", "pass:sesame", "-out", "locked.key" },
      { cwd = workspace.path, tool = true }).code == 0)
    local nginx = Nginx.start(workspace, [[
      ssl_certificate server.pem;
      ssl_certificate_key server.key;
      server { listen 127.0.0.1:PORT ssl; location / { return 204; } }
    ]])
    workspace:write("script.lua", script)
    local done = workspace:bide({ "exec", "script.lua", "https://localhost:" .. nginx.port }, { stdin = "sesame\n" })
    nginx:stop()
    assert.equal("TlsFailure\nsesame\n", done.stdout)
    assert.equal("", done.stderr)
  end)
end)
