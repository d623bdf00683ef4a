---The message of a failed request named a host and a port that nobody had asked: those of a URL over a unix socket, and those
---behind a proxy that had refused to connect, of which only its address in brackets was shown.

local Server = require "spec.support.server"
local failure_of = require "spec.support.failure_of"
local http = require "bide.http"

describe("a request that failed", function()
  it("over a unix socket names the socket alone", function()
    local failure = failure_of(http.get, "http://docker/_ping", { unix_socket = "/nowhere/docker.sock" })
    assert.same({ "ConnectionFailed", "cannot connect to /nowhere/docker.sock: No such file or directory" },
      { failure.type, failure.message })
  end)

  for status, words in pairs { [403] = "", [501] = "", [407] = ", which asks for a user and a password" } do
    it("since a proxy refused the tunnel names it, with the status " .. status, function()
      local server = Server.start(function() return { status = status, body = "no" } end)
      finally(function() server:close() end)
      local failure = failure_of(http.get, "https://thing.example/", { proxy = server.url })
      local address = server.url:match "//(.*)$"
      assert.equal("ConnectionFailed", failure.type)
      assert.equal(("cannot connect to thing.example:443 (by the proxy %s): it refused, with the status %d%s")
        :format(address, status, words), failure.message)
    end)
  end
end)
