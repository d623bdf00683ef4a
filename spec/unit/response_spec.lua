local core = require "bide.core"
local Server = require "spec.support.server"
local http = require "bide.http"

local LARGE = ("x"):rep(10000)

describe("a response", function()
  local answer
  local server = Server.of_block(function() return answer end)

  local function get(given)
    answer = given
    return http.get(server.url .. "/things/1")
  end

  local bodies = {
    ["a small body"] = '{"name":"foo"}', ["a large body"] = ('{"name":"foo","rest":"%s"}'):format(LARGE),
  }
  for name, body in pairs(bodies) do
    it("has " .. name .. " in every form, in any order", function()
      for _, first in ipairs { "text", "document", "copy" } do
        local response = get { body = body }
        local copy = first == "copy" and response:copy() or response
        if first == "text" then assert.equal(body, response.body) end
        assert.equal("foo", copy:document():value().name)
        assert.equal(body, copy.body)
        assert.equal("foo", response:json().name)
        assert.equal(body, response.body)
        assert.equal(copy.url, response.url)
        assert.equal(copy.headers["content-length"], tostring(#body))
      end
    end)
  end

  it("has long headers", function()
    local response = get { headers = { ["X-Long"] = LARGE }, body = "{}" }
    assert.equal(LARGE, response:header "x-long")
    assert.equal(LARGE, response:copy().headers["X-Long"])
    assert.equal("{}", response.body)
  end)

  it("is whole whatever size the one before had", function()
    for _, size in ipairs { 10, 100000, 700, 800, 5, 3000000, 1 } do
      local body = ("x"):rep(size)
      assert.equal(body, get { body = body }.body)
    end
  end)

  it("is still whole when the next one has come", function()
    local first, second = get { body = '{"name":"foo"}' }, get { body = '{"name":"bar"}' }
    assert.equal('{"name":"foo"}', first.body)
    assert.equal('{"name":"bar"}', second.body)
  end)
end)

describe("response.read", function()
  local read = core.response.read
  local answer
  local server = Server.of_block(function() return answer end)

  local function read_of(given)
    answer = given
    return table.pack(read(http.get(server.url)))
  end

  it("returns nothing for another value", function()
    for _, value in ipairs { 1, "text", {}, core.json.null, (assert(core.json.document {})) } do
      assert.equal(0, select("#", read(value)))
    end
    assert.equal(0, select("#", read()))
  end)

  it("returns status, document and Retry-After", function()
    local values = read_of { status = 202, headers = { ["Retry-After"] = "7" }, body = '{"a":1}' }
    assert.same({ 202, nil, nil, "7" }, { values[1], values[3], values[4], values[5] })
    assert.same({ a = 1 }, values[2]:value())
  end)

  it("returns a known document if the body is the same", function()
    for _, body in ipairs { '{"a":1}', ('{"a":"%s"}'):format(("x"):rep(5000)) } do
      local known = read_of({ body = body })[2]
      assert.is_true(rawequal(known, select(2, read(http.get(server.url), known))))
      answer = { body = '{"a":2}' }
      assert.equal(2, select(2, read(http.get(server.url), known)):value "a")
    end
  end)

  it("reads a body once that comes again at once, and each that differs", function()
    local first = read_of({ body = '{"a":1}' })[2]
    assert.is_true(rawequal(first, read_of({ body = '{"a":1}' })[2]))
    for _, body in ipairs { '{"a":2}', '{"a":1} ', '{"a":1}' } do
      local again = read_of { body = body }[2]
      assert.is_false(rawequal(first, again))
      assert.same(core.json.decode(body), again:value())
    end
    for _, body in ipairs { "text", "", "text", '"\\ud800"', '"\\ud800"' } do
      local values = read_of { body = body }
      assert.equal(body == "text" and "InvalidResponse" or nil, values[3] and values[3].type)
      assert.equal(body == "", values[6])
      assert.equal(body:find "ud800" ~= nil, values[4] ~= nil)
    end
  end)

  it("takes no document in place of a known one", function()
    local known, other = read_of({ body = '{"a":1}' })[2], read_of({ body = '{"a":2}' })[2]
    assert.is_false(rawequal(other, select(2, read(http.get(server.url), known))))
  end)

  it("returns why there is no document", function()
    local values = read_of { body = "text" }
    assert.equal(200, values[1])
    assert.is_nil(values[2])
    assert.equal("InvalidResponse", values[3].type)
  end)

  it("returns what was repaired", function()
    local values = read_of { body = [["\ud800"]] }
    assert.equal("\u{FFFD}", values[2]:value())
    assert.equal("1 lone surrogate was read as U+FFFD", values[4])
  end)

  it("returns only the status of an error", function()
    assert.same({ 404, n = 1 }, read_of { status = 404, body = '{"a":1}' })
  end)
end)
