local core = require "bide.core"
local operation_error = require("bide.probe.asking.answer").operation_error
local options = require "bide.probe.http.options"

describe("the options of a request", function()
  local function mistake(given, method, url)
    local read, text = options.read("get", given, method or "GET", url or "http://h/")
    assert.is_nil(read)
    return text
  end

  local bad = {
    { { heders = {} }, 'http.get: heders: unknown option, did you mean "headers"?' },
    { { time_out = 1 }, 'http.get: time_out: unknown option, did you mean "timeout"?' },
    { { wholly_else = 1 }, "http.get: wholly_else: unknown option" },
    { { [1] = "x" }, "http.get: 1: unknown option" },
    { { timeout = "5" }, [[http.get: timeout: expected a number of seconds above 0, found "5"]] },
    { { timeout = 0 }, "http.get: timeout: expected a number of seconds above 0, found 0" },
    { { timeout = 0 / 0 }, "number of seconds above 0, found nan" },
    { { connect_timeout = -1 }, "connect_timeout: expected a number of seconds above 0, found -1" },
    { { redirects = -1 }, "redirects: expected a whole number, 0 or more, or \"host\" or \"page\", found -1" },
    { { redirects = 1.5 }, "redirects: expected a whole number, 0 or more, or \"host\" or \"page\", found 1.5" },
    { { body_limit = 0 }, "body_limit: expected a whole number above 0, found 0" },
    { { verify = "no" }, [[verify: expected a boolean, found "no"]] },
    { { proxy = true }, "proxy: expected a string or false, found true" },
    { { headers = "X: y" }, [[headers: expected a table, found "X: y"]] },
    { { headers = { "X: y" } }, "headers: expected names that are strings" },
    { { headers = { A = {} , B = true } }, "headers.B: expected a string, a number or a list" },
    { { query = { a = {} , b = print } }, "query.b: expected a string, a number, a boolean" },
    { { query = { 1 } }, "query: expected names that are strings" },
    { { body = 5 }, "body: expected a string, found 5" },
    { { body = "", json = {} }, "body and json exclude each other" },
    { { json = print }, "json: the value is a function" },
    { { json = { x = 0 / 0 } }, "json: x is not a finite number" },
    { { url = "http://h/" }, "url and method are options of http.request only" },
    { "text", [[options: expected a table, found "text"]] },
  }

  for _, row in ipairs(bad) do
    it("are refused: " .. row[2], function()
      assert(mistake(row[1]):find(row[2], 1, true), mistake(row[1]))
    end)
  end

  it("need a URL", function()
    assert.equal("http.get: url: expected a string, found nothing",
      select(2, options.read("get", nil, "GET", nil)))
    assert.equal("http.request: url: expected a string, found nothing",
      select(2, options.read("request", {})))
    assert.equal("http.request: url: expected a string, found nothing",
      select(2, options.read("request", nil)))
  end)

  it("become what a transfer takes", function()
    local request = options.read("request", {
      url = "http://h/", method = "patch", timeout = 0.0001, connect_timeout = 2.5, redirects = 0,
      proxy = false, verify = false, body_limit = 10.0, body = "b", headers = { A = "1" },
    })
    request.ca, request.ca_folder = nil, nil -- the environment may name authorities
    assert.same({
      method = "PATCH", url = "http://h/", timeout = 1, connect_timeout = 2500, redirect_most = 0, proxy = "", insecure = true,
      body_limit = 10, body = "b", headers = { "A", "1" },
    }, request)
  end)

  it("take an endless timeout for none", function()
    assert.is_nil(options.read("get", { timeout = math.huge }, "GET", "http://h/").timeout)
  end)
end)

describe("the operation error of a response", function()
  local function error_of(status, body, headers)
    local lower = {}
    for name, value in pairs(headers or {}) do lower[name:lower()] = value end
    return operation_error {
      status = status, body = body or "", headers = lower,
      document = function() return core.json.read(body) end,
      json = function() return core.json.decode(body) end,
    }
  end

  it("is none below 300", function()
    assert.is_nil(error_of(200, '{"code":"X"}'))
    assert.is_nil(error_of(204))
  end)

  it("is called by the status where the answer says nothing", function()
    local names = {
      [301] = "MovedPermanently", [304] = "NotModified", [400] = "BadRequest", [403] = "Forbidden",
      [404] = "NotFound", [409] = "Conflict", [429] = "TooManyRequests",
      [500] = "InternalServerError", [503] = "ServiceUnavailable", [504] = "GatewayTimeout",
      [418] = "Http418", [599] = "Http599", [999] = "Http999",
    }
    for status, name in pairs(names) do
      local failure = error_of(status, "<html>sorry</html>")
      assert.equal(name, failure.type)
      assert.equal(status, failure.status)
      assert.equal("string", type(failure.message))
    end
    assert.equal("Not Found", error_of(404).message)
    assert.equal("the status is 599", error_of(599).message)
  end)

  local types = {
    { "a header", "Foo", "{}", { ["X-Amzn-Errortype"] = "Foo:http://internal.example/" } },
    { "a header of the query protocol", "Foo", "{}", { ["x-amzn-query-error"] = "Foo;Sender" } },
    { "a header before the body", "Foo", '{"__type":"Bar"}', { ["x-amzn-errortype"] = "Foo" } },
    { "__type", "Foo", '{"__type":"ns#Foo"}' },
    { "__type with all that it may have", "Foo", '{"__type":"a.b.c#Foo:http://e.example/#x"}' },
    { "code", "Foo", '{"code":"Foo"}' },
    { "Code", "Foo.Bar", '{"Code":"Foo.Bar"}' },
    { "error.code", "Foo", '{"error":{"code":"Foo"}}' },
    { "XML", "NoSuchBucket", "<?xml version='1.0'?><Error><Code>NoSuchBucket</Code></Error>" },
    { "XML in a response", "Throttling",
      "<ErrorResponse><Error><Type>Sender</Type><Code> Throttling </Code></Error></ErrorResponse>" },
    { "a number, which is none", "NotFound", '{"code":404}' },
    { "a sentence, which is none", "NotFound", '{"code":"no such thing"}' },
    { "an empty name", "NotFound", '{"__type":"#"}' },
    { "an array", "NotFound", '[{"code":"Foo"}]' },
    { "a broken body", "NotFound", '{"code":"Foo"' },
    { "another type", "NotFound", '{"code":{"a":1},"error":[]}' },
  }

  for _, row in ipairs(types) do
    it("takes its type from " .. row[1], function()
      assert.equal(row[2], error_of(404, row[3], row[4]).type)
    end)
  end

  local messages = {
    { "no such thing", '{"message":"no such thing"}' },
    { "no such thing", '{"Message":"no such thing"}' },
    { "no such thing", '{"error":{"message":"no such thing"}}' },
    { "no such thing", '{"error":"no such thing"}' },
    { "no such thing", '{"error":"invalid_grant","error_description":"no such thing"}' },
    { "a < b & c", "<Error><Code>X</Code><Message>a &lt; b &amp; c</Message></Error>" },
    { "Not Found", '{"message":""}' },
    { "Not Found", '{"message":null}' },
  }

  for _, row in ipairs(messages) do
    it("takes its message from " .. row[2], function()
      assert.equal(row[1], error_of(404, row[2]).message)
    end)
  end

  it("takes its message from a line of plain text", function()
    local function message_of(media_type, body) return error_of(404, body, { ["Content-Type"] = media_type }).message end
    assert.equal("no such thing", message_of("text/plain; charset=utf-8", "no such thing\n"))
    assert.equal("no such thing", message_of("Text/Plain", " no such thing\r\n\r\n"))
    assert.equal("no such thing", message_of("text/plain", '{"message":"no such thing"}'))
    assert.equal("no such thing", message_of(nil, "no such thing\n"))
    assert.equal("Not Found", message_of("text/plain", "no such thing\nin two lines"))
    assert.equal("Not Found", message_of(nil, "no such\0thing"))
    assert.equal("Not Found", message_of("text/plain", ("x"):rep(301)))
    assert.equal("Not Found", message_of("text/plain", " \n"))
    assert.equal("Not Found", message_of("text/plain", '{"message"'))
    assert.equal("Not Found", message_of("text/html", "no such thing"))
    assert.equal("Not Found", message_of("text/plainer", "no such thing"))
  end)
end)

describe("a request that differs in its URL alone from the one before", function()
  local http = require "bide.http"
  local requests = require "bide.probe.http.request"

  it("is recalled, but for a sandboxed script if it names a file or a proxy", function()
    for _, others in ipairs { {}, { timeout = 3 }, { proxy = "http://127.1:1" }, { unix_socket = "/run/a" }, { key = "k" } } do
      local function request(url)
        local given = { url = url }
        for name, value in pairs(others) do given[name] = value end
        return given
      end
      for number = 1, 2 do http.prepare(request("http://a/" .. number)) end
      assert.is_function(requests.recall(request "http://a/3", nil, false))
      local is_confined = next(others) == nil or others.timeout ~= nil
      assert.equal(is_confined, requests.recall(request "http://a/3", nil, true) ~= nil)
      assert.is_nil(requests.recall({ url = "http://a/3", bearer = "b" }, nil, true))
    end
  end)
end)
