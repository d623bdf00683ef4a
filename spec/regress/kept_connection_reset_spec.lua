---A server may reset a kept connection just when the next request is on its way, as nginx
---does when it runs out of connections. Nothing was answered, so it is sent once more, over
---a new one; that did not happen where the loop heard of the reset before libcurl read.

local http = require "bide.http"
local Server = require "spec.support.server"

local answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

describe("a kept connection that the server resets under a request", function()
  it("is taken for a race, and the request is sent over a new one", function()
    local answered = {}
    local server = Server.start(nil, { raw = function(peer)
      if answered[peer] then return peer:reset() end
      answered[peer] = true
      peer:write(answer)
    end })
    for _ = 1, 4 do assert.equal(200, http.get(server.url).status) end
    assert.equal(4, server.connections)
    server:close()
  end)

  it("is told where a new one is reset as well", function()
    local server = Server.start(nil, { raw = function(peer) peer:reset() end })
    local ok, failure = pcall(http.get, server.url)
    assert.is_false(ok)
    assert.equal("ConnectionReset", failure.type)
    server:close()
  end)
end)
