local options = require "bide.http.options"
local share = require "bide.share"

local function key(given, method, url)
  local verb, address, prepared = assert(options.read("get", given, method or "GET", url or "http://h/"))
  return share.key_of(verb, address, prepared)
end

describe("the key of a request", function()
  it("is the same for what is equal, in whatever order and case it is written", function()
    local headers = { ["X-A"] = "1", ["X-B"] = "2", ["X-C"] = { "3", "4" }, ["X-D"] = "5" }
    local others = { ["x-d"] = "5", ["x-c"] = { "3", "4" }, ["x-b"] = "2", ["x-a"] = 1 }
    assert.equal(key { headers = headers }, key { headers = others })
    assert.equal(key { query = { a = 1, b = 2 } }, key(nil, nil, "http://h/?a=1&b=2"))
    assert.equal(key(nil), key {})
    assert.equal(key { share = true, rate = "5/s" }, key { share = true, retry = "botocore" })
  end)

  it("differs in all that goes over the wire, and in how it gets there", function()
    local seen = {}
    local function is_new(...)
      local text = key(...)
      assert.is_nil(seen[text], seen[text])
      seen[text] = require("cjson").encode { ... }
    end
    is_new()
    is_new({}, "HEAD")
    is_new({}, "GET", "http://h/x")
    for _, given in ipairs {
      { headers = { A = "1" } }, { headers = { A = "2" } }, { headers = { A = "1", B = "1" } },
      { headers = { A = { "1", "1" } } },
      { headers = { A = { "1", "2" } } }, { headers = { A = { "2", "1" } } }, { headers = { Authorization = "x" } },
      { body = "" }, { body = "x" }, { json = {} }, { json = { a = 1 } }, { bearer = "x" }, { bearer = "y" }, { user = "x" },
      { user = "x", password = "y" }, { user = "x", password = "z" }, { user = "y", password = "y" }, { certificate = "x" },
      { key = "x" }, { ca = "x" }, { verify = false }, { unix_socket = "x" }, { proxy = "x" }, { proxy = false },
      { redirects = 0 }, { redirects = 1 }, { timeout = 1 }, { connect_timeout = 1 }, { idle_timeout = 1 }, { body_limit = 1 },
    } do is_new(given) end
  end)

  it("cannot be made to look like another by what stands in it", function()
    math.randomseed(1)
    local alphabet, seen = { "1:", "2:", "a", ":", "7:headers" }, {}
    local function text()
      local parts = {}
      for i = 1, math.random(0, 3) do parts[i] = alphabet[math.random(#alphabet)] end
      return table.concat(parts)
    end
    for _ = 1, 5000 do
      local user, password, body = text(), text(), text()
      local plain = table.concat({ user, password, body }, "\0")
      local found = share.key_of("GET", "u", { user = user, password = password, body = body })
      assert.is_true(seen[found] == nil or seen[found] == plain)
      seen[found] = plain
    end
  end)
end)
