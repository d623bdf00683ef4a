local uv = require "luv"
local core = require "bide.core"
local http = require "bide.http"
local Directory = require "spec.support.directory"
local Server = require "spec.support.server"
local failure_of = require "spec.support.failure_of"
local leftovers = require "spec.support.leftovers"
local port = require "spec.support.port"
local process = require "spec.support.process"
local turns = require "spec.support.turns"

local function answer_raw(bytes, after)
  return { raw = function(peer)
    peer:write(bytes)
    if after then peer[after](peer) end
  end }
end

describe("a transport failure", function()
  local server

  local function start(handler, options)
    server = Server.start(handler, options)
    return server
  end

  Server.close_after_each()
  after_each(function() assert.is_nil(leftovers.find()) end)

  describe("to connect", function()
    it("names the address that refused", function()
      local closed = port.free()
      local failure = failure_of(http.get, "http://127.0.0.1:" .. closed .. "/p?secret=1")
      assert.equal("ConnectionRefused", failure.type)
      assert.equal("127.0.0.1:" .. closed, failure.address)
      assert.equal(("connection refused by 127.0.0.1:%d"):format(closed), failure.message)
    end)

    it("names every address of localhost", function()
      local failure = failure_of(http.get, "http://localhost:" .. port.free())
      assert.equal("ConnectionRefused", failure.type)
      assert.matches("127.0.0.1:%d", failure.message)
      local good = pcall(function() Server.start(nil, { host = "::1" }):close() end)
      if good then assert.matches("%[::1%]:%d", failure.message) end
    end)

    it("names the socket that is not there, or that nobody serves", function()
      local directory = Directory.make()
      local path = directory.path .. "/socket"
      local failure = failure_of(http.get, "http://localhost/", { unix_socket = path })
      assert.equal("ConnectionFailed", failure.type)
      assert.equal(path, failure.address)
      assert.equal(("cannot connect to %s: No such file or directory"):format(path), failure.message)
      local listener = uv.new_pipe(false)
      listener:bind(path)
      assert.equal("ConnectionRefused", failure_of(http.get, "http://localhost/", { unix_socket = path }).type)
      listener:close()
      directory:remove()
    end)

    it("is none where another address of the name answers", function()
      for _, host in ipairs { "127.0.0.1", "::1" } do
        local good, started = pcall(Server.start, function() return {} end, { host = host })
        if good then
          server = started
          local response = http.get("http://localhost:" .. server.port)
          assert.equal((host:find(":") and "[::1]:" or "127.0.0.1:") .. server.port, response.address)
          server:close()
        end
      end
    end)

    it("tells a name that nobody knows", function()
      local failure = failure_of(http.get, "http://no-such-host.invalid/")
      assert.equal("NameNotResolved", failure.type)
      assert.matches("no%-such%-host%.invalid:80", failure.message)
      assert.is_nil(failure.address)
    end)

    it("tells a proxy that refuses the tunnel", function()
      start(function() return { status = 403 } end)
      local failure = failure_of(http.get, "https://thing.example/", { proxy = server.url })
      assert.equal("ConnectionFailed", failure.type)
      assert.equal("CONNECT", server:last().method)
    end)
  end)

  describe("of the other side", function()
    it("that closes without a word is a ConnectionReset", function()
      start(nil, { raw = function(peer) peer:stop() end })
      local failure = failure_of(http.get, server.url)
      assert.equal("ConnectionReset", failure.type)
      assert.equal("127.0.0.1:" .. server.port, failure.address)
    end)

    it("that resets is a ConnectionReset", function()
      start(nil, { raw = function(peer) peer:reset() end })
      assert.equal("ConnectionReset", failure_of(http.get, server.url).type)
    end)

    it("that closes amid the body is a ConnectionReset", function()
      start(nil, answer_raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", "finish"))
      local failure = failure_of(http.get, server.url)
      assert.equal("ConnectionReset", failure.type)
      assert.matches("127.0.0.1:%d", failure.message)
      server:close()
      start(nil, answer_raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhal", "finish"))
      assert.equal("ConnectionReset", failure_of(http.get, server.url).type)
    end)

    it("that closes amid the headers is no answer", function()
      start(nil, answer_raw("HTTP/1.1 200 OK\r\nContent-Le", "finish"))
      local good, result = pcall(http.get, server.url)
      assert(not good or result.body == "")
    end)

    it("that speaks no HTTP is an InvalidResponse", function()
      for _, bytes in ipairs { "SSH-2.0-OpenSSH_9.2\r\n\r\n", "\0\1\2\3\4\5\6\7\8\r\n",
        "HTTP/1.1 abc\r\n\r\n", "HTTP/9.9 200 OK\r\n\r\n" } do
        start(nil, answer_raw(bytes, "finish"))
        assert.equal("InvalidResponse", failure_of(http.get, server.url).type, bytes)
        server:close()
      end
    end)

    it("that compresses badly is an InvalidResponse", function()
      start(function() return { headers = { ["Content-Encoding"] = "gzip" }, body = "not gzip" } end)
      assert.equal("InvalidResponse", failure_of(http.get, server.url).type)
    end)

    it("is not asked by a request that libcurl does not send", function()
      start(function() return {} end)
      local failure = failure_of(http.get, server.url, { headers = { ["X-A"] = ("x"):rep(2 << 20) } })
      assert.equal("InvalidRequest", failure.type)
      assert.matches("^cannot ask .*: the request is larger than 1 MiB without its body$", failure.message)
      assert.equal(0, #server.requests)
    end)

    it("that sends headers without end is an InvalidResponse", function()
      start(nil, { raw = function(peer)
        peer:write("HTTP/1.1 200 OK\r\n")
        local line = "X-A: " .. ("x"):rep(1000) .. "\r\n"
        peer:later(0.001, function() peer:write(line:rep(50)) end, true)
      end })
      assert.equal("InvalidResponse", failure_of(http.get, server.url).type)
    end)

    it("that sends one header without end is an InvalidResponse", function()
      start(nil, { raw = function(peer)
        peer:write("HTTP/1.1 200 OK\r\nX-A: ")
        peer:later(0.001, function() peer:write(("x"):rep(50000)) end, true)
      end })
      local failure = failure_of(http.get, server.url)
      assert.equal("InvalidResponse", failure.type)
      assert.matches("a header line is larger than 100 KiB$", failure.message)
    end)
  end)

  describe("of time", function()
    local function elapsed(f)
      local began = uv.hrtime()
      f()
      return (uv.hrtime() - began) / 1e9
    end

    it("is a RequestTimeout when nobody answers", function()
      start(function() return { silent = true } end)
      local seconds = elapsed(function()
        local failure = failure_of(http.get, server.url, { timeout = 0.2 })
        assert.equal("RequestTimeout", failure.type)
        assert.equal("127.0.0.1:" .. server.port, failure.address)
      end)
      assert.is_true(seconds >= 0.199 and seconds < 0.25, seconds)
    end)

    it("is a RequestTimeout when the body drips", function()
      start(nil, { raw = function(peer)
        peer:write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        peer:later(0.01, function() peer:write("x") end, true)
      end })
      assert.equal("RequestTimeout", failure_of(http.get, server.url, { timeout = 0.1 }).type)
    end)

    it("comes in time while connecting", function()
      local listener = uv.new_tcp()
      listener:bind("127.0.0.1", 0)
      listener:listen(1, function() end)
      local taken, fillers = listener:getsockname().port, {}
      for i = 1, 4 do -- its queue is full then, and nobody takes from it
        fillers[i] = uv.new_tcp()
        fillers[i]:connect("127.0.0.1", taken)
      end
      local seconds = elapsed(function()
        local good, failure = pcall(http.get, "http://127.0.0.1:" .. taken,
          { connect_timeout = 0.2, timeout = 0.3 })
        assert.is_false(good)
        assert.equal("RequestTimeout", failure.type)
      end)
      assert.is_true(seconds < 0.35, seconds)
      for _, filler in ipairs(fillers) do filler:close() end
      listener:close()
    end)
  end)

  describe("of the request", function()
    it("is an InvalidUrl where the URL is none, and nothing is sent", function()
      for _, url in ipairs { "", "localhost:80", "ftp://localhost/", "http://", "http://a b/",
        "http://localhost:99999/", "http://[::1", "file:///etc/passwd", "http://a\nb/",
        "http://127.0.0.1/\0x", "http://localhost/" .. ("x"):rep(2000000) } do
        assert.equal("InvalidUrl", failure_of(http.get, url).type, url:sub(1, 50))
      end
    end)

    it("is an InvalidRequest where a header would break its line", function()
      start(function() return {} end)
      for name, value in pairs { ["X-A"] = "1\r\nX-B: 2", ["X-C"] = "1\n", ["X-D\r\nX-E"] = "1",
        ["X F"] = "1", [""] = "1", ["X-G:"] = "1", ["X-H"] = "a\0b" } do
        assert.equal("InvalidRequest", failure_of(http.get, server.url, { headers = { [name] = value } }).type)
      end
      assert.equal("InvalidRequest", failure_of(http.get, server.url, { bearer = "a\r\nX: y" }).type)
      local good, failure = pcall(http.request, { url = server.url, method = "GET / HTTP/1.1\r\nX:" })
      assert.is_false(good)
      assert.equal("InvalidRequest", failure.type)
      assert.equal(0, server.connections)
    end)

    it("needs no turn of the loop, but the next one of the same task lets the others run", function()
      local seen = {}
      local function fail(number)
        failure_of(http.get, "http://")
        seen[#seen + 1] = number
      end
      core.task.start(function()
        for number = 1, 3 do fail(number) end
      end, function() seen.has_ended = true end)
      core.task.start(function() seen[#seen + 1] = "another task" end, function() end)
      turns.await(function() return seen.has_ended end)
      assert.same({ 1, "another task", 2, 3, has_ended = true }, seen)
    end)

    it("never shows the password that a URL carries", function()
      local failure = failure_of(http.get, "http://me:geheim@127.0.0.1:" .. port.free() .. "/")
      assert.is_nil(failure.message:find("geheim", 1, true))
      failure = failure_of(http.get, "http://me:geheim@a b/")
      assert.is_nil(failure.message:find("geheim", 1, true))
    end)
  end)
end)

describe("a body", function()
  local directory = Directory.of_block()

  ---Runs a script with bide.http in a process of its own, so that its memory can
  ---be measured; it prints the type of the failure and its peak in kilobytes.
  local function measure(url, options)
    local script = directory:write("measure.lua", [[
      local http = require "bide.http"
      local function fetch(options) return select(2, pcall(http.get, arg[1], options)) end
      local failure = fetch(]] .. (options or "nil") .. [[)
      local peak = io.open("/proc/self/status"):read("a"):match("VmHWM:%s*(%d+)")
      print(type(failure) == "table" and failure.type or "none", peak)
    ]])
    local done = process.run({ process.lua, script, url }, { env = {
      LUA_PATH = package.path, LUA_CPATH = package.cpath,
    } })
    local kind, peak = done.stdout:match("^(%S+)%s+(%d+)")
    assert(kind, done.stderr)
    return kind, process.is_sanitized and 0 or tonumber(peak) / 1024
  end

  ---A server that sends `head`, and then as many bytes as the other side takes.
  local function start_endless(head, chunk)
    return Server.start(nil, { raw = function(peer)
      local function more(failure)
        if failure or peer.handle:is_closing() then return end
        peer.handle:write(chunk, more)
      end
      peer:write(head)
      more()
    end })
  end

  it("that is announced as too large is refused before it comes", function()
    local server = start_endless("HTTP/1.1 200 OK\r\nContent-Length: 200000000\r\n\r\n", ("x"):rep(65536))
    local kind, megabytes = measure(server.url)
    assert.equal("BodyTooLarge", kind)
    assert.is_true(megabytes < 25, megabytes)
    server:close()
  end)

  it("that never ends is cut at the limit", function()
    local chunk = ("%x\r\n%s\r\n"):format(65536, ("x"):rep(65536))
    local server = start_endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", chunk)
    local kind, megabytes = measure(server.url)
    assert.equal("BodyTooLarge", kind)
    assert.is_true(megabytes < 32 + 25, megabytes)
    kind, megabytes = measure(server.url, "{ body_limit = 1000000 }")
    assert.equal("BodyTooLarge", kind)
    assert.is_true(megabytes < 25, megabytes)
    server:close()
  end)

  it("of exactly the limit is taken, one byte more is not", function()
    local length
    local server = Server.start(function() return { chunked = true, body = ("x"):rep(length) } end)
    length = 1000
    assert.equal(1000, #http.get(server.url, { body_limit = 1000 }).body)
    length = 1001
    local failure = failure_of(http.get, server.url, { body_limit = 1000 })
    assert.equal("BodyTooLarge", failure.type)
    assert.matches("127.0.0.1:%d", failure.message)
    server:close()
    assert.is_nil(leftovers.find())
  end)
end)
