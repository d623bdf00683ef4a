---The authorities and proxies of the environment hold for every request that names none of its own.

local Nginx = require "spec.support.nginx"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local make_certificates = require "spec.support.certificates"
local process = require "spec.support.process"

local blocks = [[
  ssl_certificate server.pem;
  ssl_certificate_key server.key;
  server { listen 127.0.0.1:PORT ssl; location / { return 200 '{"status":"ok"}'; } }
]]

local script = [[
local bide, http = require "bide", require "bide.http"
local url, ca = ...
local ok, answer = pcall(http.get, url, ca and { ca = ca })
print(ok and answer.status or answer.type)
]]

local recipe = [[
local http = require "bide.http"
return { Get = { call = function(input) return http.get(input.url) end, waitable = {
  Answered = { acceptors = { { state = "success", matcher = { success = true } } } } } } }
]]

describe("the authorities of the environment", function()
  local workspace = Workspace.of_block()
  local nginx, url, ca, folder, other

  setup(function()
    make_certificates(workspace)
    workspace:write("script.lua", script)
    workspace:write("recipe.lua", recipe)
    ca, other = workspace.path .. "/ca.pem", workspace.path .. "/client.pem"
    folder = workspace.path .. "/authorities"
    assert(process.run({ "sh", "-c", "mkdir authorities && cp ca.pem authorities && openssl rehash authorities" },
      { cwd = workspace.path, tool = true }).code == 0)
    nginx = Nginx.start(workspace, blocks)
    url = "https://localhost:" .. nginx.port
  end)

  teardown(function() nginx:stop() end)

  ---The environment with no other authorities than these.
  local function only(env)
    for _, name in ipairs { "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR" } do env[name] = env[name] or false end
    return env
  end

  ---What a script prints of the answer.
  local function answer_in(env, ...)
    return workspace:bide({ "exec", "script.lua", url, ... }, { env = only(env) }).stdout
  end

  it("are those of CURL_CA_BUNDLE, SSL_CERT_FILE and SSL_CERT_DIR", function()
    assert.equal("TlsFailure\n", answer_in {})
    assert.equal("200\n", answer_in { CURL_CA_BUNDLE = ca })
    assert.equal("200\n", answer_in { SSL_CERT_FILE = ca })
    assert.equal("200\n", answer_in { SSL_CERT_DIR = folder })
    assert.equal("200\n", answer_in { SSL_CERT_DIR = "/nowhere:" .. folder })
  end)

  it("are read as curl reads them: the bundle wins, and an empty variable counts as unset", function()
    assert.equal("TlsFailure\n", answer_in { CURL_CA_BUNDLE = other, SSL_CERT_FILE = ca, SSL_CERT_DIR = folder })
    assert.equal("200\n", answer_in { CURL_CA_BUNDLE = "", SSL_CERT_FILE = ca })
    assert.equal("200\n", answer_in { SSL_CERT_FILE = "", SSL_CERT_DIR = folder })
    assert.equal("TlsFailure\n", answer_in { CURL_CA_BUNDLE = "/nowhere.pem" })
  end)

  it("do not hold for a request that names its own", function()
    assert.equal("200\n", answer_in({ CURL_CA_BUNDLE = other }, ca))
    assert.equal("TlsFailure\n", answer_in({ CURL_CA_BUNDLE = ca, SSL_CERT_DIR = folder }, other))
  end)

  it("hold within the walls of --sandbox, wherever their files are", function()
    for name, value in pairs { CURL_CA_BUNDLE = ca, SSL_CERT_FILE = ca, SSL_CERT_DIR = folder } do
      local elsewhere = Workspace.make()
      elsewhere:write("recipe.lua", recipe)
      local done = elsewhere:bide({ "run", "recipe.lua", "url=" .. url, "--sandbox", "--max-wait", "50s" },
        { env = only { [name] = value } })
      elsewhere:remove()
      assert.equal(0, done.code, name .. ": " .. done.stdout .. done.stderr)
    end
  end)

  it("hold in plain Lua", function()
    local done = process.run({ process.lua, "-e", ("print(require('bide.http').get(%q).status)"):format(url) }, {
      env = { CURL_CA_BUNDLE = ca, LUA_PATH = "lua/?.lua;lua/?/init.lua;;", LUA_CPATH = "build/lib/?.so;;" },
    })
    assert.equal("200\n", done.stdout, done.stderr)
  end)
end)

describe("the proxies of the environment", function()
  local workspace = Workspace.of_each()
  local proxy = Server.of_each(function() return { status = 403 } end)
  local service = Server.of_each(function() return { body = '{"status":"ok"}' } end)

  local function run(url, env)
    return workspace:bide({ "run", "http", "url=" .. url, "--max-wait", "50s", "--max-attempts", "1", "--quiet" }, { env = env })
  end

  it("get requests over TLS from HTTPS_PROXY, and no password of theirs is shown", function()
    local done = run("https://thing.example/",
      { HTTPS_PROXY = ("http://me:sesame@127.0.0.1:%d"):format(proxy.port), NO_PROXY = false })
    assert.equal("CONNECT", proxy:last().method)
    assert.matches("^bide/", proxy:last().headers["user-agent"])
    assert.equal("Basic bWU6c2VzYW1l", proxy:last().headers["proxy-authorization"])
    assert.not_equal(0, done.code)
    assert.not_matches("sesame", done.stdout .. done.stderr)
  end)

  it("get none from the hosts of NO_PROXY", function()
    assert.equal(0, run(service.url, { http_proxy = proxy.url, NO_PROXY = "127.0.0.1" }).code)
    assert.equal(0, #proxy.requests)
    assert.not_equal(0, run(service.url, { http_proxy = proxy.url, NO_PROXY = "elsewhere.example" }).code)
    assert.equal(1, #proxy.requests)
  end)
end)
