local uv = require "luv"
local Server = require "spec.support.server"
local process = require "spec.support.process"
local words_of = require "spec.support.words"

require "spec.support.proven"

describe("the recipe tcp, with a socket", function()
  local server

  Server.close_after_each()

  local function start(...)
    return process.start(words_of { process.bide, "run", "tcp", "--min-delay", "50ms", "--max-delay", "50ms", ... })
  end

  local function run(...) return start(...):wait() end

  local function serve(answer, options)
    options = options or {}
    options.raw = answer or function() end
    server = Server.start(nil, options)
    return "port=" .. (server.port or "")
  end

  it("succeeds where somebody listens, as the command line of the contract says it", function()
    local done = run("host=localhost", serve(), "--max-wait", "30s", "--output", "json")
    done:prints(0, '"waiter": "PortOpen"')
    assert.matches('"address": "127.0.0.1:%d+"', done.stdout)
  end)

  it("takes the address that links of containers and charts write", function()
    serve()
    for url, code in pairs { ["tcp://127.0.0.1:PORT"] = 0, ["TCP://localhost:PORT/"] = 0, ["tcp://[::ffff:127.0.0.1]:PORT"] = 0,
      ["tcp://127.0.0.1:PORT/x"] = 2, ["tcp://me@127.0.0.1:PORT"] = 2, ["tcp://127.0.0.1:PORT?a=b"] = 2, ["tcp://127.0.0.1"] = 2,
      ["tcp://:PORT"] = 2, ["http://127.0.0.1:PORT"] = 2 } do
      local done = run((url:gsub("PORT", tostring(server.port))), "--max-wait", "50s", "--quiet")
      assert.equal(code, done.code, url .. done.stderr)
    end
    local done = run("tcp://127.0.0.1:1/x", "--max-wait", "50s")
    assert.matches("host: expected no more than tcp://HOST:PORT, found a path", done.stderr, 1, true)
    assert.equal(0, run("PortClosed", "tcp://127.0.0.1:1", "--max-wait", "50s").code)
  end)

  it("waits until somebody does", function()
    local port = serve()
    server:close()
    uv.run "nowait"
    local started = start("host=127.0.0.1", port, "--max-wait", "50s")
    started:wait_for_output "ConnectionRefused"
    local number = tonumber(port:match "%d+")
    serve(nil, { port = number })
    started:wait()
    assert.equal(0, started.code, started.stderr)
  end)

  it("exceeds its max wait where nobody does, and says whom it asked", function()
    local port = serve()
    server:close()
    local done = run("host=localhost", port, "--max-wait", "200ms")
    assert.equal(124, done.code)
    assert.matches("ConnectionRefused: connection refused by localhost:%d+ %(127.0.0.1:%d+, %[::1%]:%d+%)", done.stderr)
  end)

  it("waits for an answer", function()
    local words = { "-LOADING\r\n", "-LOADING\r\n", "+PONG\r\n" }
    local port = serve(function(peer, bytes)
      assert(bytes == "PING\r\n")
      peer:write(table.remove(words, 1))
      peer:finish()
    end)
    local done = run("host=127.0.0.1", port, "send=PING\r\n", "expect=+PONG", "--max-wait", "50s")
    done:prints(0, "after 3 attempts")
    assert.matches('found "%-LOADING', done.stderr)
  end)

  it("tries again where an answer does not come in time", function()
    run("host=127.0.0.1", serve(), "expect=+PONG", "timeout=0.05", "--max-attempts", "2", "--max-wait", "50s")
      :says(4, "RequestTimeout")
    assert.is_true(server.connections > 1)
  end)

  it("waits until nobody listens any more", function()
    local started = start("PortClosed", "host=127.0.0.1", serve(), "--max-wait", "50s")
    started:wait_for_output "attempt 1"
    server:close()
    assert.equal(0, started:wait().code, started.stderr)
    assert.matches("PortClosed succeeded .*the error ConnectionRefused", started.stdout)
  end)

  it("waits for a name that is not known yet", function()
    run("host=no-such-host.invalid", "port=1", "--max-attempts", "2", "--max-wait", "50s"):says(4, "NameNotResolved")
  end)

  it("takes its address as people write it", function()
    local port = serve():match "%d+"
    local forms = { { "localhost:" .. port }, { port }, { "127.0.0.1", port }, { "host=localhost:" .. port } }
    for _, words in ipairs(forms) do
      assert.equal(0, run("--max-wait", "50s", table.unpack(words)).code)
    end
    server:close()
    assert.equal(0, run("PortClosed", "localhost:" .. port, "--max-wait", "50s").code)
  end)

  it("refuses an address that is none", function()
    for word, message in pairs {
      ["localhost"] = "port: expected 1 to 65535, found nothing; for example localhost:80",
      ["localhost:http"] = 'host: expected HOST:PORT or a tcp:// URL, found "localhost:http"',
      ["http://localhost"] = 'host: expected HOST:PORT or a tcp:// URL, found "http://localhost"',
      ["port=80"] = "host: expected a string, found nothing; for example host=db:5432",
    } do
      local done = run(word, "--max-wait", "1s")
      assert.same({ 2, "bide: " .. message .. "\n" }, { done.code, done.stderr })
    end
  end)

  it("names an input that is mistyped or missing", function()
    assert.matches('unknown input "hots", did you mean "host"%?', run("hots=x", "--max-wait", "1s").stderr)
    local done = run("host=x", "--max-wait", "1s")
    assert.equal(2, done.code)
    assert.matches("port: expected .*, found nothing", done.stderr)
  end)
end)
