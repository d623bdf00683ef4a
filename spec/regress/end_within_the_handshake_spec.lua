---A peer that closes or resets the connection within the TLS handshake, as a proxy does that starts, was a TlsFailure,
---which is final. It is a ConnectionReset, as without TLS; whatever TLS itself refuses stays a TlsFailure.

local http = require "bide.http"
local Directory = require "spec.support.directory"
local Nginx = require "spec.support.nginx"
local Server = require "spec.support.server"
local failure_of = require "spec.support.failure_of"
local leftovers = require "spec.support.leftovers"
local make_certificates = require "spec.support.certificates"
local process = require "spec.support.process"

---Begins a record of the server's hello, without the rest of it.
local HALF_A_HELLO = "\x16\x03\x03\x00\x7a\x02\x00\x00\x76"

local function alert(level, description) return string.char(0x15, 3, 3, 0, 2, level, description) end

---What the server does once the client's hello has come.
local function answers(bytes, after)
  return { raw = function(peer)
    peer:write(bytes)
    peer:later(0.02, function() peer[after or "finish"](peer) end)
  end }
end

local ends = {
  ["closes before the client has said a word"] = { connected = function(peer) peer:stop() end },
  ["closes after the client's hello"] = { raw = function(peer) peer:finish() end },
  ["resets after the client's hello"] = { raw = function(peer) peer:reset() end },
  ["closes within its own hello"] = answers(HALF_A_HELLO),
  ["resets within its own hello"] = answers(HALF_A_HELLO, "reset"),
  ["says that it closes, in TLS"] = answers(alert(1, 0)),
}

local refusals = {
  ["refuses the handshake"] = answers(alert(2, 40)),
  ["reports an error of its own"] = answers(alert(2, 80)),
  ["speaks HTTP without TLS"] = answers "HTTP/1.1 400 Bad Request\r\n\r\n",
  ["speaks another protocol"] = { connected = function(peer) peer:write "SSH-2.0-OpenSSH_9.2\r\n" end },
  ["sends garbage"] = answers(("\0\1\2\3\255"):rep(50)),
}

describe("a server behind TLS that", function()
  local server

  after_each(function()
    server:close()
    assert.is_nil(leftovers.find())
  end)

  local function failure_at(options)
    server = Server.start(nil, options)
    return failure_of(http.get, "https://127.0.0.1:" .. server.port, { timeout = 5 })
  end

  for what, options in pairs(ends) do
    it(what .. " is a lost connection", function()
      local failure = failure_at(options)
      assert.equal("ConnectionReset", failure.type)
      assert.equal(("connection lost to 127.0.0.1:%d: it ended within the TLS handshake"):format(server.port), failure.message)
    end)
  end

  for what, options in pairs(refusals) do
    it(what .. " is a failure of TLS", function()
      assert.equal("TlsFailure", failure_at(options).type)
    end)
  end

  it("speaks no TLS is named so", function()
    assert.matches(": the answer is not TLS %(wrong version number%)$", failure_at(refusals["speaks HTTP without TLS"]).message)
  end)
end)

describe("a service that starts behind TLS", function()
  local directory = Directory.of_each()

  it("is waited for", function()
    make_certificates(directory)
    local nginx = Nginx.start(directory, [[
      ssl_certificate server.pem;
      ssl_certificate_key server.key;
      server { listen 127.0.0.1:PORT ssl; location / { return 204; } }
    ]])
    nginx:stop()
    local starting = Server.start(nil, { port = nginx.port, raw = function(peer) peer:finish() end })
    local started = process.start({ process.bide, "run", "http", "url=https://localhost:" .. nginx.port,
      "--min-delay", "50ms", "--max-delay", "50ms", "--max-wait", "20s" },
      { env = { CURL_CA_BUNDLE = directory.path .. "/ca.pem" } })
    started:wait_for_output "ConnectionReset"
    starting:close()
    nginx:restart()
    started:wait()
    nginx:stop()
    assert.equal(0, started.code, started.stderr)
  end)
end)
