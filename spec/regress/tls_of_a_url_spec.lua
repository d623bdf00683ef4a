---The parameters of TLS in a URL were ignored where a recipe did not read them: `mysql://db?ssl-mode=VERIFY_IDENTITY` spoke
---in clear.

local Workspace = require "spec.support.workspace"
local address = require "bide.address"
local url = require "bide.mysql.url"

describe("TLS in the URL of a recipe", function()
  local workspace = Workspace.of_block()

  for _, words in ipairs {
    { "mysql", "mysql://db/?ssl-crl=crl.pem", "ssl-crl" }, { "mysql", "mysql://db/?tls=skip-verify", "tls" },
    { "redis", "redis://cache?ssl_cert_reqs=required", "ssl_cert_reqs" }, { "nats", "nats://bus?tls=true", "tls" },
    { "amqp", "amqp://bus/shop?ssl_options.verify=verify_peer", "ssl_options.verify" },
    { "kafka", "kafka://one,two?ssl=true", "ssl" }, { "cassandra", "cassandra://db?SSL=true", "SSL" },
    { "redis_sentinel", "redis-sentinel://one?ssl=true", "ssl" }, { "postgres", "postgres://db/?sslcrl=crl.pem", "sslcrl" },
  } do
    it("is refused where it is not read: " .. words[2], function()
      local done = workspace:bide { "run", words[1], words[2], "--max-wait", "1s" }
      done:says(2, ("the parameter %s is not read: give tls, ca, certificate or key as inputs"):format(words[3]))
    end)
  end

  it("does not concern other parameters, and callers that read them themselves", function()
    assert.truthy(address.read("mysql://db?charset=utf8", { schemes = { "mysql" }, parameters = {}, harmless = { "charset" } }))
    assert.truthy(address.read("mysql://db?ssl=true", { schemes = { "mysql" } }))
  end)
end)

describe("the URL of a MySQL server", function()
  local function options(text, input)
    input = input or {}
    input.url = text
    return assert(url.read(input)).tls
  end

  for text, expected in pairs {
    ["mysql://db?ssl-mode=REQUIRED"] = { verify = false },
    ["mysql://db?ssl-mode=required"] = { verify = false },
    ["mysql://db?ssl-mode=REQUIRED&ssl-ca=ca.pem"] = { verify = "authority", ca = "ca.pem" },
    ["mysql://db?ssl-ca=ca.pem"] = { verify = "authority", ca = "ca.pem" },
    ["mysql://db?ssl-mode=VERIFY_CA&ssl-ca=ca.pem"] = { verify = "authority", ca = "ca.pem" },
    ["mysql://db?ssl-mode=VERIFY_IDENTITY&ssl-cert=c&ssl-key=k"] = { verify = true, certificate = "c", key = "k" },
  } do
    it("asks for TLS: " .. text, function() assert.same(expected, options(text)) end)
  end

  for _, text in ipairs { "mysql://db", "db", "mysql://db?ssl-mode=DISABLED", "mysql://db?ssl-mode=PREFERRED&ssl-ca=ca.pem" } do
    it("asks for none: " .. text, function() assert.is_nil(options(text)) end)
  end

  it("gives way to inputs", function()
    assert.is_nil(options("mysql://db?ssl-mode=REQUIRED", { tls = false }))
    assert.same({ verify = true, ca = "ca.pem" }, options("mysql://db?ssl-mode=REQUIRED&ssl-ca=ca.pem", { tls = true }))
    assert.same({ verify = true, ca = "b.pem" }, options("mysql://db?ssl-ca=a.pem", { ca = "b.pem" }))
  end)

  it("refuses another mode", function()
    local found, mistake = url.read { url = "mysql://db?ssl-mode=ON" }
    assert.is_nil(found)
    assert.matches('url: ssl%-mode: expected .*VERIFY_IDENTITY", found "ON"', mistake)
    found, mistake = url.read { url = "mysql://db?ssl-mode=REQUIRED&ssl-key=k.pem" }
    assert.same({ nil, "url: tls.key: expected a certificate with it, found none" }, { found, mistake })
  end)
end)
