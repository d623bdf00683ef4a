---A server of HTTP/2 that retires its connections (GOAWAY, as nginx does after keepalive_requests) failed the requests
---on them: libcurl sends each again five times at most, over connections that many others retire in the meantime.

local json = require("bide.core").json
local Nginx = require "spec.support.nginx"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local make_certificates = require "spec.support.certificates"

local blocks = [[
  ssl_certificate server.pem;
  ssl_certificate_key server.key;
  server {
    keepalive_requests 3;
    listen 127.0.0.1:PORT ssl http2;
    location / { proxy_pass http://127.0.0.1:UPSTREAM; }
  }
]]

local recipe = [[
local http = require "bide.http"
local function get(input) return http.%s("https://localhost:%d/" .. input.id, { ca = "ca.pem", timeout = 250 }) end
return { Get = { call = get, waitable = { ThingExists = { minDelay = 0.01, maxDelay = 0.02, acceptors = {
  { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "success" } } },
} } } } }
]]

local WAITS, ATTEMPTS = 60, 8

describe("connections that their server retires", function()
  local workspace = Workspace.of_block()
  local nginx
  local server = Server.of_block(function() return { body = '{"status":"pending"}', delay = 0.02 } end)
  setup(function()
    make_certificates(workspace)
    nginx = Nginx.start(workspace, (blocks:gsub("UPSTREAM", tostring(server.port))))
    local lines = {}
    for id = 1, WAITS do lines[id] = ('{"id":%d}\n'):format(id) end
    workspace:write("waits.jsonl", table.concat(lines))
  end)

  teardown(function() nginx:stop() end)

  for _, method in ipairs { "get", "post" } do
    it("fail no request: " .. method, function()
      workspace:write("things.lua", recipe:format(method, nginx.port))
      local done = workspace:bide { "run", "things.lua", "--each", "waits.jsonl", "--max-wait", "250s",
        "--max-attempts", tostring(ATTEMPTS), "--output", "json", "--quiet" }
      local outcomes = json.decode(done.stdout).outcomes
      assert.equal(WAITS, #outcomes)
      for _, outcome in ipairs(outcomes) do
        assert.same({ "maxAttempts", ATTEMPTS }, { outcome.reason, outcome.attempts }, outcome.message)
        for _, entry in ipairs(outcome.history) do assert.is_nil(entry.error) end
      end
    end)
  end
end)
