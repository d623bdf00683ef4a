---ServiceDown of the recipe http took any error that was called ConnectionRefused, BadGateway, ServiceUnavailable or
---GatewayTimeout for a service that does not answer: the refusal of a proxy, of a host to which the service redirects, and
---the names in the body of an answer. Every status is an answer, but for those that the input `down` lists.

local Server = require "spec.support.server"
local http = require "bide.http"
local failure_of = require "spec.support.failure_of"
local port = require "spec.support.port"
local process = require "spec.support.process"

describe("ServiceDown", function()
  local closed

  local server = Server.of_block(function(request)
    local status = tonumber(request.path:match "%d+") or 200
    local headers = { Location = ("http://127.0.0.1:%d/"):format(closed) }
    return { status = status, headers = request.path == "/302" and headers or nil, body = ({
      ["/500"] = '{"code":"ConnectionRefused","message":"no db"}',
      ["/400"] = '{"error":{"code":"ServiceUnavailable"}}',
      ["/409"] = '{"__type":"BadGateway"}',
      ["/503"] = '{"status":"DOWN"}',
    })[request.path] or "" }
  end)

  setup(function() closed = port.free() end)

  local function down(url, env, ...)
    local given = { http_proxy = false, HTTP_PROXY = false, all_proxy = false, ALL_PROXY = false, no_proxy = false }
    for name, value in pairs(env or {}) do given[name] = value end
    local words = { process.bide, "http", "ServiceDown", url, "--max-attempts", "2", "--max-wait", "50s", ... }
    return process.run(words, { env = given })
  end

  for _, path in ipairs { "", "/500", "/502", "/503", "/504", "/409", "/302" } do
    it("does not succeed by the answer of the service itself: " .. path, function()
      down(server.url .. path):ends(4)
    end)
  end

  it("fails by an answer that waiting does not change, whatever error it names", function()
    assert.is_true(down(server.url .. "/400").code ~= 0)
    assert.equal(3, down(server.url .. "/403").code)
  end)

  it("succeeds by the statuses of down", function()
    for _, words in ipairs { { "/503", "down=503" }, { "/502", "down=5xx" }, { "/504", "down=502,504" } } do
      down(server.url .. words[1], nil, words[2]):ends(0)
    end
    assert.equal(4, down(server.url .. "/503", nil, "down=502").code)
    local done = down(server.url .. "/503", nil, "down=503", "status=2xx,5xx")
    assert.same({ 2, "" }, { done.code, done.stdout })
    assert.matches("down: expected statuses that are not in status, found 503 in both", done.stderr, 1, true)
  end)

  it("does not succeed by a proxy that refuses, and names it", function()
    local proxy = "http://127.0.0.1:" .. closed
    local away = "http://127.0.0.1:" .. port.free()
    for _, done in ipairs {
      down(server.url, { http_proxy = proxy }), down(away, { http_proxy = proxy }), down(away, { all_proxy = proxy }),
      down(away, nil, "proxy=" .. proxy), down(away:gsub("^http", "https"), { https_proxy = proxy }),
      down(away, nil, "proxy=socks5://127.0.0.1:" .. closed), down(away, nil, "proxy=http://localhost:" .. closed),
    } do
      done:writes(4, "the proxy cannot be reached: Connection refused")
    end
    local failure = failure_of(http.get, server.url, { proxy = proxy })
    assert.same({ "ConnectionFailed", nil }, { failure.type, failure.code })
  end)

  it("succeeds by a refusal of the service where the environment exempts its host from the proxy", function()
    local away = "127.0.0.1:" .. port.free()
    local proxy = "http://127.0.0.2:" .. closed
    for _, env in ipairs { { http_proxy = proxy, no_proxy = "127.0.0.1" }, { http_proxy = proxy, no_proxy = "*" }, {} } do
      down(away, env):ends(0)
    end
    assert.equal(0, down("localhost" .. away:match ":.*", { http_proxy = proxy, no_proxy = "localhost" }).code)
    assert.equal(0, down(away, { http_proxy = proxy }, 'proxy:=""').code)
  end)

  it("succeeds by a Unix socket that is not there, or on which nobody listens", function()
    assert.equal(0, down("/health", nil, "unix=build/no.sock").code)
  end)
end)
