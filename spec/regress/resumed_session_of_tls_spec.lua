---A new connection of HTTP resumed the session of an earlier one, and so showed the certificate that was verified when that
---began: a server whose certificate had expired was trusted for days.

local http = require "bide.http"
local Directory = require "spec.support.directory"
local TlsServer = require "spec.support.tls_server"
local certificates = require "spec.support.certificates"
local leftovers = require "spec.support.leftovers"

describe("a second connection", function()
  local directory = Directory.of_block()

  setup(function() certificates(directory) end)

  local server = TlsServer.of_block(directory, { "-cert", "server.pem", "-key", "server.key", "-www" })

  teardown(function() assert.is_nil(leftovers.find()) end)

  for _, verify in ipairs { true, false } do
    it("begins a session of its own" .. (verify and "" or ", if nothing is verified too"), function()
      local options = { ca = directory.path .. "/ca.pem", verify = verify }
      for _ = 1, 3 do
        assert.matches("New, TLSv1.3", http.get("https://localhost:" .. server.port .. "/", options).body)
      end
    end)
  end
end)
