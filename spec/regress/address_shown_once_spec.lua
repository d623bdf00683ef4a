---A URL with an address in place of a name: the message of a failure had the address twice.

local Port = require "spec.support.port"
local http = require "bide.http"

describe("the message of a connection to an address", function()
  for _, host in ipairs { "127.0.0.1", "[::1]" } do
    it("has it once: " .. host, function()
      local port = Port.free()
      local ok, failure = pcall(http.get, ("http://%s:%d/"):format(host, port))
      assert.is_false(ok)
      assert.equal(("connection refused by %s:%d"):format(host, port), failure.message)
    end)
  end
end)
