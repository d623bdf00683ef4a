local Directory = require "spec.support.directory"
local Server = require "spec.support.server"
local process = require "spec.support.process"

require "spec.support.proven"

describe("the recipe unix, with a socket", function()
  local directory = Directory.of_each()
  local path, server

  before_each(function() path = directory.path .. "/app.sock" end)

  Server.close_after_each()

  local function start(...)
    return process.start({ process.bide, "run", "unix", "--min-delay", "50ms", "--max-delay", "50ms", ... })
  end

  local function run(...) return start(...):wait() end

  local function serve(answer)
    server = Server.start(nil, { unix_socket = path, raw = answer or function() end })
  end

  it("waits until somebody listens", function()
    local started = start("path=" .. path, "--max-wait", "10s", "--output", "json")
    started:wait_for_output "ConnectionFailed"
    serve()
    started:wait():prints(0, '"waiter": "SocketOpen"')
  end)

  it("waits for an answer", function()
    local words = { "LOADING\n", "PONG\n" }
    serve(function(peer)
      peer:write(table.remove(words, 1))
      peer:finish()
    end)
    run("path=" .. path, "send=PING\n", "expect=PONG", "--max-wait", "10s"):prints(0, "after 2 attempts")
  end)

  it("waits until nobody listens any more", function()
    serve()
    local started = start("SocketClosed", "path=" .. path, "--max-wait", "10s")
    started:wait_for_output "attempt 1"
    server:close()
    assert.equal(0, started:wait().code, started.stderr)
    assert.equal(0, run("SocketClosed", "path=" .. directory.path .. "/never", "--max-wait", "10s").code)
  end)

  it("exceeds its max wait, and names the socket", function()
    run("path=" .. path, "--max-wait", "3s"):says(124, "cannot connect to " .. path)
  end)

  it("fails at once where waiting does not help", function()
    run("path=" .. ("x"):rep(200), "--max-wait", "5s"):says(3, "InvalidAddress")
  end)

  it("names an input that is mistyped or missing", function()
    assert.matches('unknown input "paht", did you mean "path"%?', run("paht=x", "--max-wait", "1s").stderr)
    assert.matches("path: expected .*, found nothing", run("--max-wait", "1s").stderr)
  end)
end)
