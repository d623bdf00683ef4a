---libcurl took "/a/../b" for "/b" before it was sent, which a service, a proxy or a signature may tell apart.

local http = require "bide.http"
local Server = require "spec.support.server"

describe("the path of a request", function()
  local server = Server.of_each(function() return { body = "{}" } end)

  for _, path in ipairs { "/a/../b", "/a//b/./c", "/..", "/a/.", "/a/%2e%2e/b", "/a/..?x=../y" } do
    it("is sent as it was given: " .. path, function()
      http.get(server.url .. path)
      assert.equal(path, server:last().target)
    end)
  end
end)
