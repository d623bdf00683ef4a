---`http.stream`: an answer that is read while it comes.

local Server = require "spec.support.server"
local bide = require "bide"
local http = require "bide.http"

describe("http.stream", function()
  local server

  ---Serves an answer whose body the function writes.
  local function serve(write, status)
    server = Server.start(nil, { raw = function(peer)
      peer:write(("HTTP/1.1 %d x\r\nTransfer-Encoding: chunked\r\nX-Name: y\r\n\r\n"):format(status or 200))
      write(peer, function(text) peer:write(("%x\r\n%s\r\n"):format(#text, text)) end)
    end })
    return { url = ("http://127.0.0.1:%d/"):format(server.port) }
  end

  after_each(function() server:close() end)

  it("gives what has come, before the end", function()
    local send
    local stream <close> = http.stream(serve(function(_, chunk) send = chunk end))
    assert.equal(200, stream.status)
    send "first"
    assert.equal("first", stream:read())
    send "second"
    assert.equal("second", stream:read())
    send ""
    assert.is_nil(stream:read())
    assert.is_nil(stream:read())
  end)

  it("iterates over lines, wherever they are cut", function()
    local stream <close> = http.stream(serve(function(_, chunk)
      for letter in ("one\r\n\ntwo\nthree"):gmatch "." do chunk(letter) end
      chunk ""
    end))
    local lines = {}
    for line in stream:lines() do lines[#lines + 1] = line end
    assert.same({ "one", "two" }, lines)
  end)

  it("gives an answer of any status", function()
    local stream <close> = http.stream(serve(function(_, chunk)
      chunk "no"
      chunk ""
    end, 503))
    assert.equal(503, stream.status)
    assert.equal("no", stream:read())
  end)

  it("raises what ends it too early, after what came before", function()
    local stream <close> = http.stream(serve(function(peer, chunk)
      chunk "half"
      peer:later(0.05, function() peer:reset() end)
    end))
    assert.equal("half", stream:read())
    local ok, failure = pcall(stream.read, stream)
    assert.is_false(ok)
    assert.equal("ConnectionReset", failure.type)
  end)

  it("raises a refused connection", function()
    local request = serve(function() end)
    server:close()
    local ok, failure = pcall(http.stream, request)
    assert.is_false(ok)
    assert.equal("ConnectionRefused", failure.type)
  end)

  it("bounds the lines", function()
    local stream <close> = http.stream(serve(function(peer, chunk)
      peer:later(0.001, function() chunk(("x"):rep(1000)) end, true)
    end))
    local ok, failure = pcall(stream:lines(20000))
    assert.is_false(ok)
    assert.equal("a line of the answer is longer than 20000 bytes", failure.message)
  end)

  it("lets a service that sends faster than it is read wait, and takes no memory for it", function()
    local text = ("0123456789abcde\n"):rep(4096)
    local sent = 0
    local stream <close> = http.stream(serve(function(peer, chunk)
      peer:later(0.001, function()
        if peer.handle:get_write_queue_size() < 1e6 then
          chunk(text)
          sent = sent + #text
        end
      end, true)
    end))
    bide.sleep(0.3) -- what nobody reads fills the sockets
    local read, lines = 0, stream:lines()
    while read < 4e6 do
      assert.equal("0123456789abcde", lines())
      read = read + 16
    end
    assert.is_true(sent < read + 2e7)
  end)

  it("fails when nothing comes for the idle timeout", function()
    local request = serve(function() end)
    request.idle_timeout = 0.1
    local stream <close> = http.stream(request)
    local ok, failure = pcall(stream.read, stream)
    assert.is_false(ok)
    assert.equal("RequestTimeout", failure.type)
  end)

  it("is closed while a task reads, and has one reader", function()
    local stream <close> = http.stream(serve(function() end))
    local second
    local first = bide.spawn(function() return pcall(stream.read, stream) end)
    bide.sleep(0.05)
    second = table.pack(pcall(stream.read, stream))
    assert.matches("another task reads the stream", tostring(second[2]), 1, true)
    first:cancel()
    stream:close()
    stream:close()
    assert.is_false(pcall(stream.read, stream))
  end)

  it("refuses what a stream cannot have", function()
    serve(function() end)
    assert.error_matches(function() http.stream { url = 5 } end, "http.stream: url: expected a string", 1, true)
    assert.error_matches(function() http.stream { url = "http://x/", sign = function() end } end, "http.stream: sign", 1, true)
  end)
end)
