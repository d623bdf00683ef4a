---Chunks that are none were taken for a connection that was lost, which passes and is tried
---again; a body beyond the limit was refused without saying what the limit is.

local http = require "bide.http"
local Server = require "spec.support.server"
local failure_of = require "spec.support.failure_of"

describe("an answer that is refused", function()
  local server

  after_each(function() server:close() end)

  it("is no lost connection where its chunks are none", function()
    server = Server.start(nil, {
      raw = function(peer) peer:write "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n" end,
    })
    local failure = failure_of(http.get, server.url)
    assert.equal("InvalidResponse", failure.type)
    assert.matches("no valid HTTP answer from 127.0.0.1", failure.message, 1, true)
  end)

  it("is told with the limit of its body", function()
    server = Server.start(function(request)
      return { body = ("x"):rep(2000), chunked = request.path == "/chunked" }
    end)
    for _, path in ipairs { "/", "/chunked" } do
      local failure = failure_of(http.get, server.url .. path, { body_limit = 1000 })
      assert.equal("BodyTooLarge", failure.type)
      assert.matches("more than the body limit of 1000 bytes", failure.message, 1, true)
    end
  end)
end)
