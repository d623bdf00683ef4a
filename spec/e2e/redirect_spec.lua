---Redirects over two origins: what goes along, what stays, and what is refused.

local http = require "bide.http"
local Directory = require "spec.support.directory"
local Nginx = require "spec.support.nginx"
local Server = require "spec.support.server"
local error_class = require "bide.error_class"
local failure_of = require "spec.support.failure_of"
local json = require("bide.core").json
local leftovers = require "spec.support.leftovers"
local make_certificates = require "spec.support.certificates"
local process = require "spec.support.process"

---What a request was, as the body of its answer.
local function echo(request)
  return { headers = { ["Content-Type"] = "application/json" }, body = json.encode {
    method = request.method, target = request.target, headers = request.headers, body = request.body,
  } }
end

describe("a redirect", function()
  local first, second

  ---Both servers answer "/end" with what they were asked; the first leads from all else to `location`.
  local function start(status, location)
    local function handle(request)
      if request.path:find "/end$" then return echo(request) end
      return { status = status, headers = { Location = type(location) == "function" and location(request) or location } }
    end
    first = Server.start(handle)
    second = Server.start(handle)
  end

  after_each(function()
    if first then first:close() end
    if second then second:close() end
    first, second = nil, nil
    assert.is_nil(leftovers.find())
  end)

  local headers = { Authorization = "Bearer hunter2", ["X-Api-Key"] = "hunter2", ["X-Vault-Token"] = "hunter2",
    Cookie = "a=hunter2", Host = "example", Accept = "a/b", ["User-Agent"] = "me", ["X-Any"] = "hunter2",
    ["Idempotency-Key"] = "hunter2" }

  it("is named by the outcome, without secrets, since a page of login is another answer", function()
    start(302, "/end?token=abcdefgh12345678/end")
    local words = { process.bide, "http", first.url, "--until", "a=b", "--max-attempts", "1", "--max-wait", "50s", "--quiet" }
    local place = "; redirected to " .. first.url:gsub("/$", "") .. "/end?token=[redacted]"
    assert.matches(place, process.run(words).stderr, 1, true)
  end)

  it("takes all headers along within an origin", function()
    start(302, "/end")
    local seen = http.get(first.url, { headers = headers, bearer = "hunter2" }):json()
    for name, value in pairs(headers) do assert.equal(value, seen.headers[name:lower()], name) end
  end)

  it("takes only harmless headers along to another origin", function()
    start(302, function() return second.url .. "/end" end)
    for _, options in ipairs {
      { headers = headers }, { headers = headers, bearer = "hunter2" }, { headers = headers, user = "me", password = "hunter2" },
    } do
      local seen = http.get(first.url:gsub("//", "//you:hunter2@"), options):json()
      assert.same({ "a/b", "me" }, { seen.headers.accept, seen.headers["user-agent"] })
      assert.equal(second.url:match "//(.*)", seen.headers.host)
      assert.is_nil(json.encode(seen):find "hunter2")
      assert.is_nil(seen.headers.authorization)
      assert.is_nil(seen.headers["x-any"])
    end
  end)

  it("does not give them back where a second one leads back", function()
    start(302, function(request) return request.path == "/back" and first.url .. "/end" or second.url .. "/back" end)
    local seen = http.get(first.url, { headers = headers }):json()
    assert.is_nil(json.encode(seen):find "hunter2")
    assert.equal(1, #second.requests)
  end)

  it("keeps the user part of the URL within its origin", function()
    start(302, function() return first.url .. "/end" end)
    local seen = http.get((first.url:gsub("//", "//me:pw@"))):json()
    assert.equal("Basic bWU6cHc=", seen.headers.authorization)
  end)

  it("takes a body to no other origin unless that is asked for", function()
    for _, status in ipairs { 307, 308 } do
      start(status, function() return second.url .. "/end?access_token=hunter2" end)
      local failure = failure_of(http.post, (first.url:gsub("//", "//me:hunter2@")), { body = "text", headers = headers })
      assert.equal("RedirectRefused", failure.type)
      assert.is_false(error_class.is_transient(failure))
      assert.is_nil(failure.message:find "hunter2")
      assert.matches(("(%d) from http://[redacted]@%s to %s/end?access_token=[redacted] is refused: the body")
        :format(status, first.url:match "//(.*)", second.url), failure.message, 1, true)
      assert.equal(0, #second.requests)
      local seen = http.post(first.url, { json = { a = 1 }, headers = headers, redirects = { bodies = true } }):json()
      assert.same({ "POST", '{"a":1}', "application/json" }, { seen.method, seen.body, seen.headers["content-type"] })
      assert.is_nil(seen.headers["x-api-key"])
      first:close()
      second:close()
    end
  end)

  it("takes the body of a PUT to no other origin after 302 either, and needs none after 303", function()
    start(302, function() return second.url .. "/end" end)
    assert.equal("RedirectRefused", failure_of(http.put, first.url, { body = "b" }).type)
    first:close()
    second:close()
    start(303, function() return second.url .. "/end" end)
    local seen = http.put(first.url, { json = {} }):json()
    assert.same({ "GET", "" }, { seen.method, seen.body })
    assert.is_nil(seen.headers["content-type"])
    assert.is_nil(seen.headers["content-length"])
  end)

  it("turns a HEAD into nothing else", function()
    for _, status in ipairs { 301, 302, 303, 307, 308 } do
      start(status, "/end")
      assert.equal(200, http.head(first.url).status)
      assert.equal("HEAD", first.requests[2].method)
      first:close()
      second:close()
    end
  end)

  it("is resolved as RFC 3986 has it", function()
    local resolved = {
      ["/end"] = "/end", ["end"] = "/a/b/end", ["./end"] = "/a/b/end", ["../end"] = "/a/end", ["../../../end"] = "/end",
      ["../end?x=1"] = "/a/end?x=1", ["/a b/end"] = "/a%20b/end", ["/x/../end"] = "/end",
    }
    for location, target in pairs(resolved) do
      start(302, location)
      assert.equal(target, http.get(first.url .. "/a/b/c?q=1"):json().target, location)
      first:close()
      second:close()
    end
    start(302, function() return second.url:match "^http:(.*)" .. "/end" end)
    http.get(first.url)
    assert.equal(1, #second.requests)
  end)

  it("has the fragment of what was asked, unless it has its own", function()
    for location, fragment in pairs { ["/end"] = "#mine", ["/end#own"] = "#own" } do
      start(302, location)
      assert.equal(first.url .. "/end" .. fragment, http.get(first.url .. "/#mine").url)
      assert.equal("/end", first.requests[2].target)
      first:close()
      second:close()
    end
  end)

  it("is none without an address, and after other statuses", function()
    for _, case in ipairs { { 302, nil }, { 302, "" }, { 304, "/end" }, { 305, "/end" }, { 201, "/end" } } do
      start(case[1], case[2])
      assert.equal(case[1], http.get(first.url).status)
      assert.equal(1, #first.requests)
      first:close()
      second:close()
    end
  end)

  it("is followed as often as the options say", function()
    start(302, function(request) return request.path == "/3" and "/end" or "/" .. ((tonumber(request.path:sub(2)) or 0) + 1) end)
    assert.equal(200, http.get(first.url, { redirects = { most = 4 } }).status)
    assert.equal(200, http.get(first.url, { redirects = 4 }).status)
    assert.equal("TooManyRedirects", failure_of(http.get, first.url, { redirects = { most = 3 } }).type)
    assert.equal(302, http.get(first.url, { redirects = { most = 0 } }).status)
  end)

  it("is followed ten times unless the options say otherwise", function()
    start(302, "/again")
    assert.equal("TooManyRedirects", failure_of(http.get, first.url).type)
    assert.equal(11, #first.requests)
  end)

  it("leaves one timeout for all hops", function()
    start(302, "/again")
    first:close()
    first = Server.start(function() return { status = 302, headers = { Location = "/again" }, delay = 0.1 } end)
    local failure = failure_of(http.get, first.url, { timeout = 0.25 })
    assert.equal("RequestTimeout", failure.type)
    assert.is_true(#first.requests <= 3)
  end)

  for options, mistake in pairs {
    [{ redirects = { mots = 5 } }] = 'redirects.mots: unknown option, did you mean "most"?',
    [{ redirects = { insecure = 1 } }] = "redirects.insecure: expected a boolean, found 1",
    [{ redirects = { most = -1 } }] = "redirects.most: expected a whole number, 0 or more, found -1",
    [{ redirects = "no" }] = 'redirects: expected a whole number, 0 or more, or "host" or "page", found "no"',
  } do
    it("is asked for by options that are checked: " .. mistake, function()
      local ok, raised = pcall(http.get, "http://h/", options)
      assert.is_false(ok)
      assert.matches(mistake, raised, 1, true)
    end)
  end
end)

describe("a redirect of https", function()
  local directory = Directory.of_block()
  local nginx, plain, ca

  setup(function()
    make_certificates(directory)
    plain = Server.start(echo)
    nginx = Nginx.start(directory, ([[
      ssl_certificate server.pem;
      ssl_certificate_key server.key;
      server {
        listen 127.0.0.1:PORT ssl http2;
        server_name localhost;
        location = /down { return 302 %s/end; }
        location = /same { return 302 https://LOCALHOST:PORT/end; }
        location = /end { return 200 '{"key": "$http_x_api_key"}'; }
      }]]):format(plain.url))
    ca = directory.path .. "/ca.pem"
  end)

  teardown(function()
    nginx:stop()
    plain:close()
  end)

  local function url(path) return ("https://localhost:%d%s"):format(nginx.port, path) end

  it("leads to http only where that is asked for, and then without secrets", function()
    local headers = { ["X-Api-Key"] = "hunter2", Accept = "a/b" }
    local failure = failure_of(http.get, url "/down", { ca = ca, headers = headers })
    assert.equal("RedirectRefused", failure.type)
    assert.matches("it leads from https to http; redirects = { insecure = true } follows it", failure.message, 1, true)
    assert.equal(0, #plain.requests)
    local seen = http.get(url "/down", { ca = ca, headers = headers, redirects = { insecure = true } }):json()
    assert.same({ "a/b" }, { seen.headers.accept, seen.headers["x-api-key"] })
  end)

  it("stays within its origin whatever the case of the host", function()
    assert.equal("hunter2", http.get(url "/same", { ca = ca, headers = { ["X-Api-Key"] = "hunter2" } }):json().key)
  end)

  it("is reached from http, which is another origin", function()
    local server = Server.start(function() return { status = 301, headers = { Location = url "/end" } } end)
    finally(function() server:close() end)
    assert.equal("", http.get(server.url, { ca = ca, headers = { ["X-Api-Key"] = "hunter2" } }):json().key)
  end)
end)
