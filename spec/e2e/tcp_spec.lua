local uv = require "luv"
local core = require "bide.core"
local tcp = require "bide.tcp"
local Directory = require "spec.support.directory"
local Server = require "spec.support.server"
local failure_of = require "spec.support.failure_of"
local leftovers = require "spec.support.leftovers"
local make_slow_resolver = require "spec.support.slow_resolver"
local port = require "spec.support.port"
local process = require "spec.support.process"

---A server that speaks no HTTP: `greet` is called for each connection, `answer` for what comes.
local function serve(answer, options)
  options = options or {}
  options.raw = answer or function() end
  return Server.start(nil, options)
end

describe("bide.tcp", function()
  local server

  Server.close_after_each()
  after_each(function() assert.is_nil(leftovers.find()) end)

  it("connects, and says where", function()
    server = serve()
    assert.same({ address = "127.0.0.1:" .. server.port }, tcp { host = "127.0.0.1", port = server.port })
    assert.same({ address = "127.0.0.1:" .. server.port }, tcp { host = "localhost", port = tostring(server.port) })
  end)

  it("closes the connection", function()
    server = serve()
    tcp { host = "127.0.0.1", port = server.port }
    while server.connections == 0 or server:open_connections() > 0 do uv.run("once") end
  end)

  it("tries every address of a name", function()
    if not port.has_loopback6() then return pending "there is no ::1 here" end
    server = serve(nil, { host = "::1" })
    assert.equal("[::1]:" .. server.port, tcp({ host = "localhost", port = server.port }).address)
  end)

  describe("sends and expects:", function()
    it("an answer", function()
      server = serve(function(peer, bytes) if bytes == "PING\r\n" then peer:write("+PONG\r\n") end end)
      local done = tcp { host = "127.0.0.1", port = server.port, send = "PING\r\n", expect = "+PONG" }
      assert.equal("+PONG\r\n", done.received)
    end)

    it("a greeting that comes in pieces, with bytes of any kind", function()
      server = serve(nil, { connected = function(peer)
        peer:write("\0\xff220 rea")
        peer:later(0.05, function() peer:write("dy\r\n") end)
      end })
      local done = tcp { host = "127.0.0.1", port = server.port, expect = "ready" }
      assert.equal("\0\xff220 ready\r\n", done.received)
    end)

    it("nothing, where it only sends", function()
      local came
      server = serve(function(_, bytes) came = bytes end)
      assert.is_nil(tcp({ host = "127.0.0.1", port = server.port, send = "x" }).received)
      while not came do uv.run("once") end
    end)

    it("UnexpectedAnswer where the peer closes without it", function()
      server = serve(nil, { connected = function(peer)
        peer:write("-NOAUTH")
        peer:finish()
      end })
      local failure = failure_of(tcp, { host = "127.0.0.1", port = server.port, expect = "+PONG" })
      assert.equal("UnexpectedAnswer", failure.type)
      assert.matches('expected "%+PONG", found "%-NOAUTH"', failure.message)
    end)

    it("UnexpectedAnswer where the answer has no end", function()
      server = serve(nil, { connected = function(peer)
        for _ = 1, 40 do peer:write(("x"):rep(10000)) end
      end })
      assert.equal("UnexpectedAnswer", failure_of(tcp, { host = "127.0.0.1", port = server.port, expect = "y" }).type)
    end)

    it("RequestTimeout where it does not come in time", function()
      server = serve()
      local began = uv.hrtime()
      local failure = failure_of(tcp, { host = "127.0.0.1", port = server.port, expect = "y", timeout = 0.1 })
      assert.equal("RequestTimeout", failure.type)
      assert.equal("127.0.0.1:" .. server.port, failure.address)
      assert.is_true((uv.hrtime() - began) / 1e9 < 5) -- the default is 10 s
    end)

    it("ConnectionReset where the peer breaks off", function()
      server = serve(function(peer) peer:reset() end)
      assert.equal("ConnectionReset",
        failure_of(tcp, { host = "127.0.0.1", port = server.port, send = "x", expect = "y" }).type)
    end)

    it("no end of the process where the peer is gone before all is sent", function()
      server = serve(function(peer) peer:reset() end)
      local ok, failure = pcall(tcp,
        { host = "127.0.0.1", port = server.port, send = ("x"):rep(20000000), expect = "y", timeout = 5 })
      assert.is_false(ok)
      assert.equal("ConnectionReset", failure.type)
    end)
  end)

  describe("talks:", function()
    local function talk(f, timeout)
      return { host = "127.0.0.1", port = server.port, talk = f, timeout = timeout }
    end

    it("questions and answers in turns, by lines and by bytes", function()
      server = serve(function(peer, bytes)
        if bytes == "one" then peer:write("first\r\nsec") peer:later(0.02, function() peer:write("ond\n\n\0\1") end) end
        if bytes == "two" then peer:write("\2done, and more") end
      end)
      local done = tcp(talk(function(dialogue)
        dialogue:send "one"
        local lines = { dialogue:read_line(), dialogue:read_line(), dialogue:read_line() }
        dialogue:send "two"
        return { lines = lines, bytes = dialogue:read(3), rest = dialogue:read_until "done" }
      end))
      assert.same({ address = "127.0.0.1:" .. server.port,
        answer = { lines = { "first", "second", "" }, bytes = "\0\1\2", rest = "done, and more" } }, done)
    end)

    it("until the time is over, for all of it together", function()
      server = serve(function(peer)
        peer:later(0.1, function() peer:write("x") end, true)
      end)
      local began = uv.hrtime()
      local failure = failure_of(tcp, talk(function(dialogue)
        dialogue:send "go"
        while true do dialogue:read(1) end
      end, 0.15))
      assert.equal("RequestTimeout", failure.type)
      assert.matches('expected a byte, found ""', failure.message)
      assert.is_true((uv.hrtime() - began) / 1e9 < 5)
    end)

    it("UnexpectedAnswer where the peer closes, and where it never comes to the end of a line", function()
      server = serve(function(peer, bytes)
        if bytes == "end" then peer:write "half" peer:finish() end
        if bytes == "flood" then for _ = 1, 10 do peer:write(("x"):rep(10000)) end end
      end)
      local function ask(bytes)
        return failure_of(tcp, talk(function(dialogue) dialogue:send(bytes) dialogue:read_line() end))
      end
      assert.matches('expected a line, found "half"', ask("end").message)
      assert.equal("UnexpectedAnswer", ask("flood").type)
      local failure = failure_of(tcp, talk(function(dialogue) dialogue:read(1 << 40) end))
      assert.equal("UnexpectedAnswer", failure.type)
    end)

    it("and shows nothing of the connection but the calls", function()
      server = serve()
      local shown = tcp(talk(function(dialogue) return dialogue end)).answer
      local names = {}
      for name, value in pairs(shown) do
        names[#names + 1] = name
        assert.equal("function", type(value))
      end
      table.sort(names)
      assert.same({ "ask", "channel_binding", "peer", "read", "read_line", "read_until", "send" }, names)
      assert.is_nil(getmetatable(shown))
    end)

    it("and closes the connection where it raises", function()
      server = serve()
      assert.same({ type = "Mine" }, failure_of(tcp, talk(function() error { type = "Mine" } end)))
      while server.connections == 0 or server:open_connections() > 0 do uv.run("once") end
    end)
  end)

  describe("raises", function()
    it("ConnectionRefused, with every address that was tried", function()
      local closed = port.free()
      local failure = failure_of(tcp, { host = "localhost", port = closed })
      assert.equal("ConnectionRefused", failure.type)
      assert.equal(("connection refused by localhost:%d (127.0.0.1:%d, [::1]:%d)"):format(closed, closed, closed),
        failure.message)
      assert.equal(("connection refused by 127.0.0.1:%d"):format(closed),
        failure_of(tcp, { host = "127.0.0.1", port = closed }).message)
    end)

    it("NameNotResolved", function()
      local failure = failure_of(tcp, { host = "no-such-host.invalid", port = 1 })
      assert.equal("NameNotResolved", failure.type)
      assert.matches("no%-such%-host.invalid:1", failure.message)
      assert.equal("NameNotResolved", failure_of(tcp, { host = ("x"):rep(300), port = 1 }).type)
    end)

    it("InvalidAddress", function()
      assert.equal("InvalidAddress", failure_of(tcp, { host = "a\0b", port = 1 }).type)
      assert.equal("InvalidAddress", failure_of(tcp, { host = "", port = 1 }).type)
      end)
  end)

  it("is cut by the deadline of its task, and lets go of the connection", function()
    server = serve()
    local how
    core.loop.update()
    core.task.start(function() return tcp { host = "127.0.0.1", port = server.port, expect = "y" } end,
      function(_, ended) how = ended end, core.loop.now() + 50)
    while not how do core.loop.turn() end
    assert.equal("cut", how)
    while server:open_connections() > 0 do uv.run("once") end
  end)

  it("leaves no descriptor behind, however it ends", function()
    server = serve(function(peer) peer:reset() end)
    local before
    for i = 1, 60 do
      pcall(tcp, { host = "127.0.0.1", port = server.port })
      pcall(tcp, { host = "127.0.0.1", port = server.port, send = "x", expect = "y" })
      pcall(tcp, { host = "localhost", port = port.free() })
      while server:open_connections() > 0 do uv.run("once") end
      if i == 10 then before = leftovers.descriptors() end
    end
    assert.is_true(leftovers.descriptors() <= before)
  end)

  it("refuses options that it does not know or that miss, by name", function()
    local function mistake_of(options)
      local ok, mistake = pcall(function() local done = tcp(options) return done end)
      assert.is_false(ok)
      assert.matches("tcp_spec.lua:%d+: bide.tcp:", mistake)
      return mistake
    end
    assert.matches('hots: unknown option, did you mean "host"%?', mistake_of { hots = "x" })
    assert.matches("host: expected [%w ]+, found nothing", mistake_of { port = 3 })
    assert.matches("port: expected [%w ]+, found nothing", mistake_of { host = "x" })
    assert.matches("talk and send exclude each other",
      mistake_of { host = "x", port = 1, send = "x", talk = function() end })
    assert.matches("talk: expected a function, found 3", mistake_of { host = "x", port = 1, talk = 3 })
    assert.matches("port: expected 1 to 65535, found 65536", mistake_of { host = "x", port = 65536 })
  end)
end)

describe("a name that takes seconds to resolve", function()
  if process.is_static then return pending(process.NO_PRELOAD) end
  local directory = Directory.of_block()
  local environment

  setup(function()
    local library, preload = make_slow_resolver(directory), os.getenv "LD_PRELOAD"
    environment = { LD_PRELOAD = preload and preload .. ":" .. library or library }
  end)

  it("is cut by the deadline, and bide ends at once", function()
    local done = process.run({ process.bide, "run", "tcp", "host=slow.example", "port=1", "--max-wait", "200ms" },
      { env = environment })
    done:says(124, "exceeded --max-wait 200ms")
    assert.is_true(done.elapsed < 10, done.elapsed)
  end)

  it("is cut by a signal, and bide ends at once", function()
    local running = process.start({ process.bide, "run", "tcp", "host=slow.example", "port=1", "--max-wait", "20s",
      "--events", "-" }, { env = environment })
    running:wait_for_output "resolving"
    local began = uv.hrtime()
    running:kill "sigint"
    running:wait():prints(130, "was cancelled")
    assert.is_true((uv.hrtime() - began) / 1e9 < 10)
  end)
end)
