local DatagramServer = require "spec.support.datagram_server"
local process = require "spec.support.process"

require "spec.support.proven"

describe("the recipe udp, with a socket", function()
  local server

  DatagramServer.close_after_each()

  local function start(...)
    return process.start({ process.bide, "run", "udp", "host=127.0.0.1", "port=" .. server.port, "--min-delay", "50ms",
      "--max-delay", "50ms", ... })
  end

  it("waits until somebody answers", function()
    server = DatagramServer.start()
    server:close()
    local started = start("send=ping", "--max-wait", "50s", "--output", "json")
    started:wait_for_output "ConnectionRefused"
    server = DatagramServer.start(function(bytes, reply) reply(bytes .. "!") end, { port = server.port })
    started:wait():prints(0, '"waiter": "PortAnswers"', '"received": "ping!"')
  end)

  it("waits for the answer that is expected", function()
    server = DatagramServer.start(function(_, reply, count) reply(count < 3 and "LOADING" or "READY") end)
    local done = start("send=ping", "expect=READY", "timeout=0.05", "--max-wait", "10s"):wait()
    done:prints(0, "after 3 attempts")
    assert.matches('UnexpectedAnswer: .*expected "READY", found "LOADING"', done.stderr)
  end)

  it("sends again where it is asked to", function()
    server = DatagramServer.start(function(_, reply, count) if count == 2 then reply "pong" end end)
    local done = start("send=ping", "retransmit=0.05", "--max-wait", "50s"):wait()
    assert.matches("after 1 attempt ", done.stdout)
  end)

  it("exceeds its max wait where nobody answers, and says whom it asked", function()
    server = DatagramServer.start()
    local done = start("send=ping", "timeout=0.05", "--max-wait", "250ms"):wait()
    assert.equal(124, done.code)
    assert.matches("RequestTimeout: no answer in time from 127.0.0.1:%d+", done.stderr)
  end)

  it("names an input that is mistyped or missing", function()
    server = DatagramServer.start()
    assert.matches("send: expected .*, found nothing", start("--max-wait", "1s"):wait().stderr)
    start("send=x", "exepct=y", "--max-wait", "1s"):wait():says(2, 'unknown input "exepct", did you mean "expect"?')
  end)
end)
