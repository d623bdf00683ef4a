local uv = require "luv"
local core = require "bide.core"
local http = require "bide.http"
local Directory = require "spec.support.directory"
local Server = require "spec.support.server"
local leftovers = require "spec.support.leftovers"

local function answer_with_request(request)
  return { headers = { ["Content-Type"] = "application/json" }, body = core.json.encode(request) }
end

describe("bide.http", function()
  local server

  local function start(handler, options)
    server = Server.start(handler, options)
    return server
  end

  Server.close_after_each()
  after_each(function() assert.is_nil(leftovers.find()) end)

  describe("methods", function()
    it("are the functions' names", function()
      start(answer_with_request)
      for _, name in ipairs { "get", "post", "put", "delete" } do
        assert.equal(name:upper(), http[name](server.url):json().method)
      end
    end)

    it("are any token for http.request, in upper case, GET where none is given", function()
      start(answer_with_request)
      assert.equal("PATCH", http.request({ url = server.url, method = "patch" }):json().method)
      assert.equal("PURGE", http.request({ url = server.url, method = "PURGE" }):json().method)
      assert.equal("GET", http.request({ url = server.url }):json().method)
    end)

    it("stay those of each prepared request, however often and in which order they are sent", function()
      start(function(request)
        if request.path == "/moved" then return { status = 307, headers = { Location = "/there" } } end
        return answer_with_request(request)
      end)
      local ways = {}
      for position = 1, 20 do -- more than the transfers that are kept
        local path = position % 5 == 0 and "moved" or "path" .. position
        ways[position] = http.prepare { url = server.url .. "/" .. path, method = "POST", body = "body " .. position }
      end
      for _ = 1, 2 do
        for position, send in ipairs(ways) do
          for _ = 1, 2 do
            local seen = send():json()
            assert.equal("POST body " .. position, seen.method .. " " .. seen.body)
            assert.equal(position % 5 == 0 and "/there" or "/path" .. position, seen.path)
          end
        end
      end
    end)

    it("and all else stay those of each prepared request where only URLs differ, as where more does", function()
      start(function(request)
        if request.path == "/moved" then return { status = 307, headers = { Location = "/there" } } end
        return answer_with_request(request)
      end)
      local ways, names = {}, { "a", "a", "b", "b", "a" }
      for position, name in ipairs(names) do
        for _, path in ipairs { "path" .. position, "moved" } do
          ways[#ways + 1] = { name = name, path = path == "moved" and "/there" or "/" .. path, send = http.prepare {
            url = server.url .. "/" .. path, method = "PUT", body = "body " .. name, headers = { ["X-Name"] = name },
            timeout = 5, share = position > 2,
          } }
        end
      end
      for _ = 1, 3 do
        for _, way in ipairs(ways) do
          local seen = way.send():json()
          assert.equal(("PUT %s body %s"):format(way.path, way.name), ("%s %s %s"):format(seen.method, seen.path, seen.body))
          assert.equal(way.name, seen.headers["x-name"])
        end
      end
    end)

    it("and its output stay those of each of very many requests, more than are kept whole", function()
      start(answer_with_request)
      local function path_of(response) return response:json().path end
      local function body_of(response) return response:json().body end
      local function prepare(position, output)
        return http.prepare({ url = ("%s/%d"):format(server.url, position), method = "PUT", body = "b" }, output)
      end
      local paths, bodies = {}, {}
      for position = 1, 40 do paths[position] = prepare(position, path_of) end
      for position = 1, 40 do bodies[position] = prepare(position, body_of) end
      for _ = 1, 3 do
        for position = 1, 40 do
          assert.equal(("/%d"):format(position), paths[position]())
          assert.equal("b", bodies[position]())
          assert.equal(("/%d"):format(position), paths[position]())
        end
      end
    end)

    it("are read anew for each prepared request that differs from the one before in more than its URL", function()
      start(answer_with_request)
      local function given(others)
        local options = { url = server.url .. "/path", method = "PUT", body = "b" }
        for name, value in pairs(others) do options[name] = value end
        return options
      end
      local headers = { ["X-Name"] = "first" }
      local rows = {
        { {}, "PUT b" }, { {}, "PUT b" }, { { body = "c" }, "PUT c" }, { {}, "PUT b" }, { {}, "PUT b" },
        { { headers = headers }, "PUT b", "first" }, { { headers = headers }, "PUT b", "second" },
        { {}, "PUT b" }, { {}, "PUT b" },
        { { method = "POST" }, "POST b" }, { { user = "a:b" }, "PUT b", nil, "Basic YTpi" }, { {}, "PUT b" },
      }
      for position, row in ipairs(rows) do
        headers["X-Name"] = row[3]
        local seen = http.prepare(given(row[1]))():json()
        assert.same({ position, row[2], row[3], row[4] },
          { position, seen.method .. " " .. seen.body, seen.headers["x-name"], seen.headers.authorization })
      end
      for mistake, others in pairs {
        ["url: expected a string"] = { url = 5 }, ["tiemout: unknown option"] = { tiemout = 5 },
        ["body: expected a string"] = { body = 5 },
      } do
        assert.error_matches(function() http.prepare(given(others)) end, mistake, 1, true)
      end
      for _ = 1, 3 do
        local inherited = setmetatable({ url = server.url }, { __index = { body = "m", method = "PUT" } })
        local seen = http.prepare(inherited)():json()
        assert.equal("PUT m", seen.method .. " " .. seen.body)
      end
      assert.equal("GET", http.prepare({ url = server.url })():json().method)
    end)

    it("HEAD takes no body, whatever the length says", function()
      start(function() return { body = ("x"):rep(1000) } end)
      local response = http.head(server.url, { body_limit = 10 })
      assert.equal(200, response.status)
      assert.equal("", response.body)
      assert.equal("1000", response.headers["content-length"])
      assert.equal("HEAD", server:last().method)
    end)
  end)

  describe("the URL", function()
    it("gets the query, escaped, sorted by name, lists repeated", function()
      start(answer_with_request)
      local query = { b = "ä &=?#+/", a = { 1, "zwei", true }, empty = "", none = {} }
      local response = http.get(server.url .. "/p", { query = query })
      assert.equal("/p?a=1&a=zwei&a=true&b=%C3%A4%20%26%3D%3F%23%2B%2F&empty=",
        response:json().target)
    end)

    it("keeps the query that it has, and loses the fragment", function()
      start(answer_with_request)
      assert.equal("/p?x=1&y=2", http.get(server.url .. "/p?x=1#f", { query = { y = 2 } }):json().target)
      assert.equal("/p?y=2", http.get(server.url .. "/p?", { query = { y = 2 } }):json().target)
    end)
  end)

  describe("headers", function()
    it("are sent as given, lists repeated, empty ones too", function()
      start(answer_with_request)
      local headers = { ["X-One"] = "1", ["X-Many"] = { "a", "b" }, ["X-Empty"] = "", ["X-Number"] = 7 }
      local seen = http.get(server.url, { headers = headers }):json().headers
      assert.equal("1", seen["x-one"])
      assert.equal("a, b", seen["x-many"])
      assert.equal("", seen["x-empty"])
      assert.equal("7", seen["x-number"])
    end)

    it("name bide, accept compression, and can be replaced", function()
      start(answer_with_request)
      local seen = http.get(server.url):json().headers
      assert.matches("^bide/%d+%.%d+", seen["user-agent"])
      assert.matches("gzip", seen["accept-encoding"])
      seen = http.get(server.url, { headers = { ["User-Agent"] = "other" } }):json().headers
      assert.same({ "other", "deflate, gzip" }, { seen["user-agent"], seen["accept-encoding"] })
      seen = http.get(server.url, { headers = { ["Accept-Encoding"] = "gzip" } }):json().headers
      assert.same({ "gzip" }, { seen["accept-encoding"] })
      assert.matches("^bide/%d+%.%d+", seen["user-agent"])
    end)

    it("have one Host, that of the URL as libcurl writes it, or the one that is given", function()
      local directory = Directory.make()
      local path = directory.path .. "/socket"
      start(answer_with_request, { unix_socket = path })
      for url, expected in pairs {
        ["http://thing.example"] = "thing.example", ["http://Thing.example:80/p"] = "Thing.example",
        ["http://user:word@thing.example.:8080?q"] = "thing.example.:8080", ["http://10.0.0.1:443/p"] = "10.0.0.1:443",
        ["http://[::1]:8080/p"] = "[::1]:8080",
        ["http://th%69ng.example/p"] = "thing.example",
      } do
        local request = { unix_socket = path, proxy = false }
        assert.equal(expected, http.get(url, request):json().headers.host)
        request.headers = { Host = "other.example" }
        assert.equal("other.example", http.get(url, request):json().headers.host)
      end
      directory:remove()
    end)

    it("of a response are found in any case, repeated ones joined", function()
      start(function()
        return { headers = { ["X-Thing"] = { "a", "b" }, ["CONTENT-TYPE"] = "text/plain", E = "" } }
      end)
      local headers = http.get(server.url).headers
      assert.equal("a, b", headers["x-thing"])
      assert.equal("a, b", headers["X-THING"])
      assert.equal("text/plain", headers["Content-Type"])
      assert.equal("", headers.E)
      assert.is_nil(headers["X-Other"])
    end)
  end)

  describe("bodies", function()
    it("are sent as they are, NUL bytes and all, and are called nothing", function()
      start(answer_with_request)
      http.post(server.url, { body = "a\0b\xff" })
      assert.equal("a\0b\xff", server:last().body)
      assert.is_nil(server:last().headers["content-type"])
      assert.equal("4", server:last().headers["content-length"])
    end)

    it("may be empty, may be large, and are not announced by Expect", function()
      start(answer_with_request)
      http.put(server.url, { body = "" })
      assert.equal("0", server:last().headers["content-length"])
      local large = ("0123456789"):rep(300000)
      http.put(server.url, { body = large })
      assert.equal(large, server:last().body)
      assert.is_nil(server:last().headers.expect)
    end)

    it("given as json are written by bide", function()
      start(answer_with_request)
      http.post(server.url, { json = { n = 9007199254740993, list = core.json.array({}), s = "ä" } })
      local seen = server:last()
      assert.equal("application/json", seen.headers["content-type"])
      assert.same({ n = 9007199254740993, list = {}, s = "ä" }, core.json.decode(seen.body))
      assert.matches('"list":%[%]', seen.body)
      http.post(server.url, { json = {}, headers = { ["content-type"] = "application/x-amz-json-1.1" } })
      assert.equal("{}", server:last().body)
      assert.equal("application/x-amz-json-1.1", server:last().headers["content-type"])
    end)
  end)

  describe("credentials", function()
    it("are a bearer token or a name with a password", function()
      start(answer_with_request)
      assert.equal("Bearer abc", http.get(server.url, { bearer = "abc" }):json().headers.authorization)
      local basic = http.get(server.url, { user = "me:x", password = "p:w" }):json().headers
      assert.matches("^Basic ", basic.authorization)
      basic = http.get(server.url, { user = "me:p:w" }):json().headers
      assert.equal("Basic bWU6cDp3", basic.authorization)
      basic = http.get(server.url, { user = "me", password = "pw" }):json().headers
      assert.equal("Basic bWU6cHc=", basic.authorization)
    end)

    it("stay with the host that they were meant for", function()
      local other = Server.start(answer_with_request)
      start(function() return { status = 302, headers = { Location = other.url .. "/there" } } end)
      local options = { bearer = "abc", headers = { Cookie = "c=1" } }
      local response = http.get(server.url, options)
      assert.equal(200, response.status)
      assert.is_nil(response:json().headers.authorization)
      assert.is_nil(response:json().headers.cookie)
      http.get(server.url, { user = "me", password = "pw" })
      assert.is_nil(other:last().headers.authorization)
      http.get(server.url, { headers = { Authorization = "secret" } })
      assert.is_nil(other:last().headers.authorization)
      other:close()
    end)
  end)

  describe("redirects", function()
    local function redirect(status)
      return function(request)
        if request.path == "/end" then return answer_with_request(request) end
        return { status = status, headers = { Location = "/end" }, body = "moved" }
      end
    end

    it("are followed, and the URL says where the answer came from", function()
      start(redirect(301))
      local response = http.get(server.url .. "/begin")
      assert.equal(200, response.status)
      assert.equal(server.url .. "/end", response.url)
      assert.equal("application/json", response.headers["content-type"])
      assert.equal(1, server.connections)
    end)

    it("turn a POST into a GET after 302 and 303, and keep all else", function()
      local expected = {
        [301] = { POST = "GET", PUT = "PUT" }, [302] = { POST = "GET", PUT = "PUT" },
        [303] = { POST = "GET", PUT = "GET" }, [307] = { POST = "POST", PUT = "PUT" },
        [308] = { POST = "POST", PUT = "PUT" },
      }
      for status, methods in pairs(expected) do
        start(redirect(status))
        for method, after in pairs(methods) do
          local seen = http.request({ url = server.url, method = method, body = "b" }):json()
          assert.equal(after, seen.method)
          assert.equal(after == "GET" and "" or "b", seen.body)
        end
        assert.equal("DELETE", status ~= 303 and http.delete(server.url):json().method or "DELETE")
        server:close()
      end
    end)

    it("can be refused", function()
      start(redirect(302))
      local response = http.get(server.url, { redirects = 0 })
      assert.equal(302, response.status)
      assert.equal("/end", response.headers.location)
      assert.equal("moved", response.body)
      assert.equal("Found", response:operation_error().type)
    end)

    it("end at their number", function()
      start(function() return { status = 302, headers = { Location = "/again" } } end)
      local _, failure = pcall(http.get, server.url, { redirects = 3 })
      assert.equal("TooManyRedirects", failure.type)
      assert.equal(4, #server.requests)
    end)

    it("lead to no other protocol", function()
      start(function() return { status = 302, headers = { Location = "file:///etc/passwd" } } end)
      local _, failure = pcall(http.get, server.url)
      assert.equal("InvalidUrl", failure.type)
    end)
  end)

  describe("routes", function()
    local directory = Directory.of_each()

    it("may be a unix socket, which the answer names", function()
      local path = directory.path .. "/socket"
      start(answer_with_request, { unix_socket = path })
      uv.os_setenv("http_proxy", "http://127.0.0.1:1")
      local response = http.get("http://thing.example/p", { unix_socket = path })
      uv.os_unsetenv("http_proxy")
      assert.equal("thing.example", response:json().headers.host)
      assert.equal(path, response.address)
      server:close()
    end)

    it("go through the environment's proxy, unless it is declined", function()
      start(answer_with_request)
      local proxy = Server.start(function() return { body = "by proxy" } end)
      uv.os_setenv("http_proxy", proxy.url)
      assert.equal("by proxy", http.get("http://thing.example/p").body)
      assert.equal("http://thing.example/p", proxy:last().target)
      assert.matches("^bide/", proxy:last().headers["user-agent"])
      assert.equal("GET", http.get(server.url, { proxy = false }):json().method)
      uv.os_setenv("no_proxy", "127.0.0.1")
      assert.equal("GET", http.get(server.url):json().method)
      uv.os_unsetenv("no_proxy")
      uv.os_unsetenv("http_proxy")
      assert.equal("by proxy", http.get(server.url, { proxy = proxy.url }).body)
      proxy:close()
    end)
  end)

  describe("responses", function()
    it("have fields, and no others", function()
      start(answer_with_request)
      local response = http.get(server.url .. "/p")
      assert.is_true(response.ok)
      assert.equal("1.1", response.version)
      assert.equal("127.0.0.1:" .. server.port, response.address)
      assert.equal(server.url .. "/p", response.url)
      assert.is_nil(response.nothing)
      assert.equal("response 200", tostring(response))
      assert.is_nil(response:operation_error())
    end)

    it("read their body once, faithfully", function()
      start(function() return { body = '{"n":9007199254740993,"list":[],"none":null,"o":{}}' } end)
      local response = http.get(server.url)
      local value = response:json()
      assert.equal(9007199254740993, value.n)
      assert.equal("integer", math.type(value.n))
      assert.is_true(core.json.is_array(value.list))
      assert.is_false(core.json.is_array(value.o))
      assert.equal(value, response:json())
      assert.equal(response:document(), response:document())
      assert.equal('{"n":9007199254740993,"list":[],"none":null,"o":{}}', response.body)
    end)

    it("without a body are the document {}", function()
      start(function() return { status = 204 } end)
      local response = http.get(server.url)
      assert.equal(204, response.status)
      assert.equal("", response.body)
      assert.same({}, response:json())
      assert.is_false(core.json.is_array(response:json()))
    end)

    it("that are no JSON say where", function()
      start(function() return { status = 200, body = '{"a": 1,\n "b": nope}' } end)
      local response = http.get(server.url)
      local good, failure = pcall(response.json, response)
      assert.is_false(good)
      assert.equal("InvalidResponse", failure.type)
      assert.equal(200, failure.status)
      assert.matches("line 2, column 7", failure.message)
      local document, same = response:document()
      assert.is_nil(document)
      assert.same(failure, same)
    end)

    it("survive invalid UTF-8, NUL bytes and deep nesting with a clear error", function()
      local body
      start(function() return { body = body } end)
      for _, text in ipairs { '"\xff"', '{"a\0":1}', ("["):rep(10000), "\0" } do
        body = text
        local good, failure = pcall(function() return http.get(server.url):json() end)
        assert.is_false(good)
        assert.equal("InvalidResponse", failure.type)
      end
    end)

    it("come in chunks as well, and drip by drip", function()
      start(function() return { chunked = true, body = ("abc"):rep(5000) } end)
      assert.equal(("abc"):rep(5000), http.get(server.url).body)
      server:close()
      start(nil, { raw = function(peer)
        local bytes, at = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", 0
        peer:later(0.001, function()
          at = at + 1
          if at <= #bytes then peer:write(bytes:sub(at, at)) end
        end, true)
      end })
      assert.equal("{}", http.get(server.url).body)
    end)
  end)

  it("sends each request as it was asked for, however often and in whatever order", function()
    start(answer_with_request)
    local variants = {
      { method = "GET" }, { method = "HEAD" }, { method = "POST" }, { method = "POST", body = "" },
      { method = "POST", body = "a" }, { method = "PUT", body = ("b"):rep(100000) },
      { method = "GET", headers = { A = "1" } }, { method = "GET", headers = { A = "" } },
      { method = "GET", bearer = "t" }, { method = "GET", user = "u" },
      { method = "GET", user = "u", password = "" }, { method = "GET", redirects = 0 },
    }
    for i = 1, 20 do variants[#variants + 1] = { method = "GET", query = { i = i } } end
    local first = {}
    for round = 1, 3 do
      for i, variant in ipairs(variants) do
        variant.url = server.url
        http.request(variant)
        local seen = server:last()
        seen.connection = nil
        first[i] = first[i] or seen
        assert.same(first[i], seen, "round " .. round .. ", variant " .. i)
      end
    end
  end)

  describe("connections", function()
    it("are kept over requests, also those that failed", function()
      start(function(request) return { status = request.path == "/b" and 500 or 200, body = "{}" } end)
      for i = 1, 20 do http.get(server.url .. (i % 2 == 0 and "/b" or "/a")) end
      assert.equal(1, server.connections)
      assert.equal(20, #server.requests)
    end)

    it("are opened anew where the server closed them", function()
      start(function() return { body = "{}" } end)
      http.get(server.url)
      server:drop()
      assert.equal(200, http.get(server.url).status)
      assert.equal(2, server.connections)
      server:close()
      start(function() return { body = "{}", close = true } end)
      for _ = 1, 3 do assert.equal(200, http.get(server.url).status) end
      assert.equal(3, server.connections)
    end)

    it("do not add up", function()
      start(function() return { body = "{}", close = true } end)
      http.get(server.url)
      local before = leftovers.descriptors()
      for _ = 1, 50 do http.get(server.url) end
      assert.is_true(leftovers.descriptors() <= before + 2)
    end)
  end)
end)
