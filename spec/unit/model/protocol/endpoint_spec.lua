local endpoint = require "bide.model.protocol.endpoint"

describe("an endpoint", function()
  it("is https unless it says http", function()
    for given, expected in pairs {
      ["api.example.com"] = "https://api.example.com", ["localhost:8080/v1"] = "https://localhost:8080/v1",
      ["http://[::1]:80/"] = "http://[::1]:80/", ["HTTPS://x"] = "https://x",
    } do assert.equal(expected, (endpoint.read(given))) end
  end)

  it("is refused with what no request takes over, without its password", function()
    for given, found in pairs {
      ["ftp://x"] = '"ftp://x"', [""] = '"https://"', ["a b"] = '"https://a b"', ["http://me:sesame@x"] = "one with a user",
      ["x?a=b"] = "one with a query", ["x#a"] = "one with a fragment",
    } do
      local url, mistake = endpoint.read(given)
      assert.is_nil(url)
      assert.equal("expected an endpoint such as https://api.example.com/v1, found " .. found, mistake)
    end
  end)
end)

describe("the URL of a request", function()
  local function url(base, path, query, prefix)
    return endpoint.url(base, { path = path, query = query or {}, host_prefix = prefix })
  end

  it("has the endpoint's path first, and the query escaped", function()
    assert.equal("http://h/a?b=", url("http://h", "/a", { { "b", "" } }))
    assert.equal("http://h/v1/a?b%2F=c%20d&b%2F=%26", url("http://h/v1/", "/a", { { "b/", "c d" }, { "b/", "&" } }))
    assert.equal("http://h/", url("http://h", ""))
    assert.equal("http://h/b", url("http://h/b", ""))
  end)

  it("has the prefix before a host, but before no address", function()
    assert.equal("http://a.h:80/", url("http://h:80", "/", {}, "a."))
    for _, host in ipairs { "127.0.0.1:80", "[::1]:80", "[::1]", "localhost", "localhost:80" } do
      assert.equal(("http://%s/"):format(host), url("http://" .. host, "/", {}, "a."))
    end
  end)
end)
