---The inputs of a request (lua/bide/probe/http/inputs.lua): what people write becomes what http.request takes.

local core = require "bide.core"
local http = require "bide.http"
local declaration = require "bide.recipe.input.declaration"
local schema = require "bide.recipe.waiter.schema"

local function request_of(input)
  assert.is_nil(http.mistake(input))
  return http.request_of(input)
end

describe("the inputs of a request", function()
  it("are a right declaration, to which a recipe adds its own", function()
    local report = schema.report()
    local own = { url = { type = "string", default = "x" }, id = { type = "integer" } }
    local declared = http.inputs(own)
    declaration.check(report, "input", declared)
    assert.same({}, report.problems)
    assert.same({ own.url, own.id, "string" }, { declared.url, declared.id, declared.bearer.type })
    assert.same({ "bearer", "key_password", "user" }, declaration.secrets(declaration.of(declared)))
    assert.not_equal(http.inputs(), http.inputs())
  end)

  for given, url in pairs {
    ["localhost:8080/health"] = "http://localhost:8080/health", ["api"] = "http://api", ["[::1]:80"] = "http://[::1]:80",
    ["https://api/x"] = "https://api/x", ["HTTP://api"] = "http://api", ["8080/health"] = "http://localhost:8080/health",
    ["me:pw@host/x?a=http://b"] = "http://me:pw@host/x?a=http://b",
  } do
    it("ask " .. url .. " by " .. given, function()
      assert.equal(url, request_of({ url = given }).url)
    end)
  end

  it("ask no text that is no address", function()
    for _, url in ipairs { "nonsense://x", "/path", "" } do
      local mistake = ('url: expected a URL such as http://localhost:8080/health, found "%s"'):format(url)
      assert.equal(mistake, http.mistake { url = url })
    end
  end)

  it("ask a path of a socket", function()
    local request = request_of { url = "/_ping", unix = "/run/docker.sock" }
    assert.same({ "http://localhost/_ping", "/run/docker.sock" }, { request.url, request.unix_socket })
    assert.equal("http://docker/x", request_of({ url = "docker/x", unix = "s" }).url)
  end)

  it("choose the method by the body", function()
    for _, case in ipairs { { {}, "GET" }, { { body = "" }, "POST" }, { { json = false }, "POST" },
      { { json = core.json.null }, "POST" }, { { body = "x", method = "PUT" }, "PUT" } } do
      case[1].url = "x"
      assert.equal(case[2], request_of(case[1]).method)
    end
  end)

  it("read headers in every form", function()
    local wanted = { ["X-A"] = { "1, 2", "3" }, ["X-B"] = { "" }, ["Cache-Control"] = "no-cache" }
    for _, headers in ipairs { "X-A: 1, 2\r\nX-B:\r\nX-A:3", core.json.array { "X-A: 1, 2", "X-B: ", "X-A: 3 " } } do
      assert.same(wanted, request_of({ url = "x", headers = headers }).headers)
    end
    local object = { ["X-A"] = "1", ["X-B"] = { "2", "3" } }
    assert.same({ ["X-A"] = "1", ["X-B"] = { "2", "3" }, ["Cache-Control"] = "no-cache" },
      request_of({ url = "x", headers = object }).headers)
  end)

  it("let caches ask the service itself, unless the headers say otherwise", function()
    assert.same({ ["Cache-Control"] = "no-cache" }, request_of({ url = "x" }).headers)
    for _, name in ipairs { "cache-control", "PRAGMA" } do
      assert.same({ [name] = "max-age=5" }, request_of({ url = "x", headers = { [name] = "max-age=5" } }).headers)
    end
  end)

  it("turn insecure and follow into options", function()
    local request = request_of { url = "x", insecure = true, follow = false, http2 = true, timeout = 2.5 }
    assert.same({ false, 0, true, 2.5 }, { request.verify, request.redirects, request.http2, request.timeout })
    request = request_of { url = "x", insecure = false, follow = true }
    assert.same({}, { request.verify, request.redirects })
  end)

  for mistake, input in pairs {
    ['headers: expected lines of the form "Name: value", found none in line 2'] = { headers = "A: b\nsecret" },
    ["headers.A: expected a string, a number or a list of them"] = { headers = { A = { b = 1 } } },
    ["json: "] = { json = "{" },
    ["body and json exclude each other"] = { body = "x", json = 1 },
    ["proxy: expected"] = { proxy = true },
  } do
    it("say " .. mistake, function()
      input.url = "x"
      local found = http.mistake(input)
      assert.truthy(found:find(mistake, 1, true) == 1, found)
      assert.is_nil(found:find("secret", 1, true))
    end)
  end
end)
