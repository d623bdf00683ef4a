local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local free_port = require("spec.support.port").free
local service = require "spec.support.service"

require "spec.support.proven"

describe("the recipe memcached", function()
  local workspace = Workspace.of_each()

  local function start(port, limit)
    return workspace:start { "run", "memcached", "127.0.0.1:" .. port, "--min-delay", "50ms", "--max-delay", "50ms",
      "--max-wait", limit }
  end

  it("waits for memcached", function()
    local program, missing = service.find("memcached", "memcached")
    if not program then return pending(missing) end
    local port = free_port()
    local started = start(port, "20s")
    started:wait_for_output "ConnectionRefused"
    local memcached = service.start({ program, "-l", "127.0.0.1", "-p", tostring(port), "-U", "0" }, { unprivileged = true })
    assert.equal(0, started:wait().code, started.stderr)
    memcached:stop()
  end)

  it("fails at once where something else answers", function()
    local server = Server.start(nil, { raw = function(peer) peer:write "-ERR unknown command 'version'\r\n" end })
    local done = start(server.port, "5s"):wait()
    server:close()
    done:writes(3, "InvalidAnswer: expected VERSION, found -ERR unknown command")
  end)
end)
