---The second request of HTTP/2 without TLS failed: libcurl before 8.0 begins the protocol again on the connection that the
---first one left open, which the server takes for a broken frame.

local Nginx = require "spec.support.nginx"
local Workspace = require "spec.support.workspace"
local http = require "bide.http"

describe("HTTP/2 without TLS", function()
  local workspace = Workspace.of_each()

  it("takes more than one request", function()
    local nginx = Nginx.start(workspace, "server { listen 127.0.0.1:PORT http2; location / { return 200 '{}'; } }")
    for _ = 1, 3 do
      local ok, response = pcall(http.get, ("http://127.0.0.1:%d/"):format(nginx.port), { http2 = true })
      assert.is_true(ok, not ok and response.message or nil)
      assert.equal("2", response.version)
    end
    nginx:stop()
  end)
end)
