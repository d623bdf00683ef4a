---The option `sign` of a request: a function that adds headers at the moment of sending.

local bide = require "bide"
local http = require "bide.http"
local Server = require "spec.support.server"
local leftovers = require "spec.support.leftovers"

describe("a request with sign", function()
  local answers, calls
  local server = Server.of_each(function() return table.remove(answers, 1) or { body = "{}" } end)
  before_each(function() answers, calls = {}, {} end)

  after_each(function() assert.is_nil(leftovers.find()) end)

  local function sign(method, url, headers, body)
    calls[#calls + 1] = { method, url, headers, body }
    return { ["X-Signature"] = ("number %d"):format(#calls) }
  end

  it("is sent with the headers that the function returns for it", function()
    http.post(server.url .. "/a?b=1", { headers = { ["X-A"] = "1" }, body = "text", sign = sign })
    assert.same({ { "POST", server.url .. "/a?b=1", { "X-A", "1" }, "text" } }, calls)
    local headers = server:last().headers
    assert.same({ "number 1", "1" }, { headers["x-signature"], headers["x-a"] })
  end)

  it("has these in place of its own headers of the same names", function()
    http.get(server.url, { headers = { ["x-signature"] = { "old", "older" }, ["X-B"] = { "1", "2" } }, sign = sign })
    local headers = server:last().headers
    assert.same({ "number 1", "1, 2" }, { headers["x-signature"], headers["x-b"] })
  end)

  it("is not changed by what the function does with the headers", function()
    http.get(server.url, { headers = { ["X-A"] = "1" }, sign = function(_, _, headers)
      headers[2] = "2"
      return {}
    end })
    assert.equal("1", server:last().headers["x-a"])
  end)

  it("is signed anew for every try, and after the time between them", function()
    answers = { { status = 503 }, { status = 503 } }
    local at = {}
    http.get(server.url, { retry = { customBackoff = function() return 0.02 end }, sign = function(...)
      at[#at + 1] = bide.now()
      return sign(...)
    end })
    assert.equal("number 3", server:last().headers["x-signature"])
    assert.is_true(at[2] - at[1] >= 0.019) -- the clock counts whole milliseconds
  end)

  it("is signed after it has waited for its rate", function()
    local began, at = bide.now(), {}
    local tasks = {}
    for position = 1, 2 do
      tasks[position] = bide.spawn(http.get, server.url, { rate = "1/50ms", sign = function()
        at[#at + 1] = bide.now()
        return {}
      end })
    end
    for _, task in ipairs(tasks) do task:join() end
    assert.is_true(at[2] - began >= 0.04)
  end)

  it("is shared with requests of the same function, and with no others", function()
    answers = { { delay = 0.05, body = "{}" }, { delay = 0.05, body = "{}" } }
    local tasks = {}
    for position, one in ipairs { sign, sign, function() return {} end } do
      tasks[position] = bide.spawn(http.get, server.url, { share = true, sign = one })
    end
    for _, task in ipairs(tasks) do task:join() end
    assert.same({ 2, 1 }, { #server.requests, #calls })
  end)

  it("follows no redirect, and may not ask for that", function()
    answers = { { status = 301, headers = { Location = "/elsewhere" } } }
    assert.equal(301, http.get(server.url, { sign = sign }).status)
    assert.equal(1, #server.requests)
    assert.equal(200, http.get(server.url, { sign = sign, redirects = 0 }).status)
    for _, redirects in ipairs { 3, { most = 1 }, { insecure = true } } do
      assert.error_matches(function() http.get(server.url, { sign = sign, redirects = redirects }) end,
        "redirects: a signed request follows none, since its signature holds for its own address$")
    end
  end)

  it("raises what the function raises, and a script error for what is no table of headers", function()
    local ok, failure = pcall(http.get, server.url, { sign = function() error({ type = "NoCredentials" }, 0) end })
    assert.same({ false, "NoCredentials" }, { ok, failure.type })
    for _, added in ipairs { "x", { 1 }, { ["X-A"] = 1 }, { ["X-A"] = { "1" } } } do
      assert.error_matches(function() http.get(server.url, { sign = function() return added end }) end, "sign: expected ")
    end
    assert.equal(0, #server.requests)
  end)

  it("may wait while it is signed", function()
    http.get(server.url, { sign = function()
      bide.sleep(0.01)
      return { ["X-Late"] = "yes" }
    end })
    assert.equal("yes", server:last().headers["x-late"])
  end)
end)
