---An answer that came slowly was given up though bytes came, and one that stopped in its midst was given up
---seconds too late: libcurl's limit of speed goes by an average, over whole seconds.

local bide = require "bide"
local http = require "bide.http"
local Server = require "spec.support.server"
local leftovers = require "spec.support.leftovers"
local timely = require "spec.support.timely"

describe("an idle timeout", function()
  local server

  after_each(function()
    server:close()
    assert.is_nil(leftovers.find())
  end)

  ---A server that writes the pieces, so many seconds apart, of an answer of 12 bytes.
  local function start(seconds, pieces)
    server = Server.start(nil, { raw = function(peer)
      local written = 0
      peer:write("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n")
      peer:later(seconds, function()
        written = written + 1
        if pieces[written] then peer:write(pieces[written]) end
      end, true)
    end })
  end

  local function assert_given_up(least, most)
    timely.within(most, function()
      local began = bide.now()
      local ok, failure = pcall(http.get, server.url, { idle_timeout = 0.2 })
      local elapsed = bide.now() - began
      assert.same({ false, "RequestTimeout" }, { ok, failure.type })
      assert.matches("^no answer in time from 127.0.0.1:%d+: no byte within the idle timeout$", failure.message)
      assert.is_true(elapsed > least - 0.001, elapsed)
      return elapsed
    end)
  end

  it("does not run out while bytes come, however long that takes", function()
    start(0.3, { "a", "b", "c", "d", "e", "f", "g", "h", "ijkl" })
    assert.equal("abcdefghijkl", http.get(server.url, { idle_timeout = 2 }).body)
  end)

  it("runs out where nothing comes at all", function()
    server = Server.start(function() return { silent = true } end)
    assert_given_up(0.2, 0.5)
  end)

  it("runs out where the answer stops in its midst, counted from the last byte", function()
    start(0.1, { "abcdef" })
    assert_given_up(0.3, 0.6)
  end)

  it("runs out in each of two requests over one connection", function()
    server = Server.start(function(request)
      return request.path == "/silent" and { silent = true } or {}
    end)
    assert.equal(200, http.get(server.url, { idle_timeout = 0.2 }).status)
    local _, failure = pcall(http.get, server.url .. "/silent", { idle_timeout = 0.2 })
    assert.equal("RequestTimeout", failure.type)
    bide.sleep(0.25)
    assert.equal(200, http.get(server.url, { idle_timeout = 0.2 }).status)
  end)

  it("is tried again by a policy that retries timeouts", function()
    server = Server.start(function() return { silent = true } end)
    local ok, failure = pcall(http.get, server.url,
      { idle_timeout = 0.1, retry = { preset = "aws-js", retries = 1, customBackoff = function() return 0 end } })
    assert.same({ false, "RequestTimeout", 2 }, { ok, failure.type, failure.tries })
    assert.equal(2, #server.requests)
  end)

  it("ends with a request that is cancelled", function()
    server = Server.start(function() return { silent = true } end)
    local task = bide.spawn(http.get, server.url, { idle_timeout = 60 })
    bide.sleep(0.02)
    task:cancel()
    pcall(task.join, task)
  end)

  it("does not run out while a body goes out to who reads slowly", function()
    local LENGTH, AT_A_TIME = 24 << 20, 1 << 20
    local taken, since = 0, 0
    server = Server.start(nil, { raw = function(peer, first)
      local function read(_, bytes)
        if not bytes then return end
        taken, since = taken + #bytes, since + #bytes
        if taken >= LENGTH then return peer:write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") end
        if since < AT_A_TIME then return end
        since = 0
        peer.handle:read_stop()
        peer:later(0.1, function() peer.handle:read_start(read) end)
      end
      peer.handle:read_stop()
      peer.handle:read_start(read)
      read(nil, first)
    end })
    local began = bide.now()
    assert.equal(200, http.post(server.url, { body = ("x"):rep(LENGTH), idle_timeout = 2 }).status)
    assert.is_true(bide.now() - began > 2)
  end)
end)
