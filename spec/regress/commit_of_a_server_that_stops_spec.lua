---A server that is stopped while it commits says that the transaction is committed, and then, in place of being ready, that it
---stops. `bide submit` ended with 2, as if the run were not there. Nobody knows what became of it: 70.

require "bide"
local Server = require "spec.support.server"
local sessions = require "bide.postgres.session"
local message = require "spec.support.postgres_message"

local ready = message("Z", "I")
local accepted = message("R", "\0\0\0\0") .. ready
local head = message("1", "") .. message("2", "") .. message("n", "")
local stop = message("E", "SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0")

it("a commit that was answered by a server that stops may have been carried out", function()
  local said, position = { accepted, head .. message("C", "BEGIN\0") .. message("Z", "T"),
    head .. message("C", "COMMIT\0") .. stop }, 0
  local server = Server.start(nil, { raw = function(peer)
    position = position + 1
    peer:write(said[position])
    if position == #said then peer:finish() end
  end })
  local session <close> = assert(sessions.open { host = "127.0.0.1", port = server.port, user = "app", sslmode = "disable" })
  local done, failure = session:transaction(function() return true end)
  assert.is_nil(done)
  assert.same({ "57P01", true }, { failure.sqlstate, failure.uncertain })
  server:close()
end)
