---A query of MySQL without a password, by a user that the server refuses, has no rows to wait for: it fails, as it does
---with a wrong password.

local Server = require "spec.support.server"
local mysql = require "bide.mysql"
local mysql_packet = require "spec.support.mysql_packet"

local greeting = mysql_packet.greeting()
local denied = mysql_packet.packet(2, "\xFF\x15\x04#28000Access denied")

---A server that greets first.
local function call(options)
  local server = Server.start(nil, { connected = function(peer) peer:write(greeting) end, raw = function(peer)
    peer:write(denied)
  end })
  options.host, options.port, options.timeout = "127.0.0.1", server.port, 2
  local ok, result = pcall(mysql, options)
  server:close()
  return ok, result
end

describe("bide.mysql without a password", function()
  it("fails with a query, and is ready without one", function()
    local ok, failure = call { query = "SELECT 1" }
    assert.same({ false, "28000" }, { ok, failure.type })
    local is_ready, result = call {}
    assert.same({ true, "passwordWanted" }, { is_ready, result.answer })
  end)
end)
