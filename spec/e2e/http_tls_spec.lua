local http = require "bide.http"
local Directory = require "spec.support.directory"
local Nginx = require "spec.support.nginx"
local Server = require "spec.support.server"
local failure_of = require "spec.support.failure_of"
local leftovers = require "spec.support.leftovers"
local make_certificates = require "spec.support.certificates"
local process = require "spec.support.process"

local blocks = [[
  ssl_certificate server.pem;
  ssl_certificate_key server.key;
  gzip on;
  gzip_types text/plain;
  gzip_min_length 1;
  server {
    listen 127.0.0.1:PORT ssl http2;
    server_name localhost;
    root .;
    location = /json { return 200 '{"protocol":"$server_protocol","name":"$ssl_client_s_dn"}'; }
    location = /bomb { types { } default_type text/plain; }
    location = /bomb.gz { types { } default_type text/plain; gzip off; add_header Content-Encoding gzip; }
  }
  server {
    listen 127.0.0.1:PORT ssl http2;
    server_name client.localhost;
    ssl_client_certificate ca.pem;
    ssl_verify_client on;
    location / { return 200 '{"name":"$ssl_client_s_dn"}'; }
  }
  server {
    listen unix:FOLDER/clear.sock http2;
    location / { return 200 '{"agent":"$http_user_agent","codings":"$http_accept_encoding"}'; }
  }
]]

describe("bide.http over TLS", function()
  local directory = Directory.of_block()
  local nginx, url, ca

  setup(function()
    make_certificates(directory)
    process.run({ "sh", "-c", "head -c 100000000 /dev/zero | gzip > bomb.gz" }, {
      cwd = directory.path, tool = true,
    })
    directory:write("bomb", ("bide "):rep(1000))
    nginx = Nginx.start(directory, (blocks:gsub("FOLDER", directory.path)))
    url = "https://localhost:" .. nginx.port
    ca = directory.path .. "/ca.pem"
  end)

  teardown(function() nginx:stop() end)

  after_each(function() assert.is_nil(leftovers.find()) end)

  it("trusts nobody whom the system does not", function()
    local failure = failure_of(http.get, url .. "/json")
    assert.equal("TlsFailure", failure.type)
    assert.matches("localhost:%d+ %(127.0.0.1:%d+%): .*certificate", failure.message)
  end)

  it("trusts the authorities that it is given, and uses HTTP/2", function()
    local response = http.get(url .. "/json", { ca = ca })
    assert.equal("2", response.version)
    assert.equal("HTTP/2.0", response:json().protocol)
    assert.equal("text/plain", response.headers["Content-Type"])
    assert.equal("127.0.0.1:" .. nginx.port, response.address)
  end)

  it("wants the certificate to be the host's", function()
    local failure = failure_of(http.get, "https://elsewhere.localhost:" .. nginx.port .. "/json", { ca = ca })
    assert.equal("TlsFailure", failure.type)
  end)

  it("trusts anybody where it is told to, for that request only", function()
    assert.equal(200, http.get(url .. "/json", { verify = false }).status)
    assert.equal("TlsFailure", failure_of(http.get, url .. "/json").type)
  end)

  it("shows its certificate", function()
    local address = url:gsub("localhost", "client.localhost")
    local options = {
      ca = ca, certificate = directory.path .. "/client.pem", key = directory.path .. "/client.key",
    }
    assert.equal("CN=client", http.get(address, options):json().name)
    assert.equal(400, http.get(address, { ca = ca }).status)
  end)

  it("opens the key of its certificate with a password", function()
    directory:write("locked.pem", directory:read "client.pem")
    process.run({ "openssl", "ec", "-in", "client.key", "-aes128", "-passout", "pass:sesame", "-out", "locked.key" },
      { cwd = directory.path, tool = true })
    local address = url:gsub("localhost", "client.localhost")
    local options = { ca = ca, certificate = directory.path .. "/locked.pem", key = directory.path .. "/locked.key" }
    options.key_password = "other password"
    local failure = failure_of(http.get, address, options)
    assert.equal("TlsFailure", failure.type)
    assert.not_matches("other password", failure.message)
    options.key_password = "sesame"
    assert.equal("CN=client", http.get(address, options):json().name)
  end)

  it("uses the version of HTTP that it is asked for", function()
    assert.equal("1.1", http.get(url .. "/json", { ca = ca, http2 = false }).version)
    assert.equal("2", http.get(url .. "/json", { ca = ca, http2 = true }).version)
    local clear = directory.path .. "/clear.sock"
    assert.equal("InvalidResponse", failure_of(http.get, "http://localhost/", { unix_socket = clear }).type)
    local response = http.get("http://localhost/", { unix_socket = clear, http2 = true })
    assert.equal("2", response.version)
    assert.matches("^bide/%d", response:json().agent)
    assert.equal("deflate, gzip", response:json().codings)
  end)

  it("says when a file is not there", function()
    assert.equal("TlsFailure", failure_of(http.get, url, { ca = "/nonexistent.pem" }).type)
    local failure = failure_of(http.get, url, { ca = ca, certificate = "/nonexistent.pem" })
    assert.equal("TlsFailure", failure.type)
    assert.matches("/nonexistent.pem", failure.message)
  end)

  it("says when the other side speaks no TLS", function()
    local server = Server.start(function() return {} end)
    finally(function() server:close() end)
    local failure = failure_of(http.get, (server.url:gsub("http", "https")), { ca = ca, timeout = 2 })
    assert.equal("RequestTimeout", failure.type)
    server:close()
    server = Server.start(nil, { raw = function(peer)
      peer:write("HTTP/1.1 400 Bad Request\r\n\r\n")
      peer:finish()
    end })
    failure = failure_of(http.get, (server.url:gsub("http", "https")), { ca = ca })
    assert.equal("TlsFailure", failure.type)
  end)

  it("takes compressed bodies, and limits them by what they become", function()
    assert.equal(("bide "):rep(1000), http.get(url .. "/bomb", { ca = ca }).body)
    local failure = failure_of(http.get, url .. "/bomb.gz", { ca = ca })
    assert.equal("BodyTooLarge", failure.type)
  end)

  it("keeps its connection", function()
    local before
    for i = 1, 10 do
      http.get(url .. "/json", { ca = ca })
      if i == 1 then before = leftovers.descriptors() end
    end
    assert.equal(before, leftovers.descriptors())
  end)
end)
