local uv = require "luv"
local core = require "bide.core"
local udp = require "bide.udp"
local DatagramServer = require "spec.support.datagram_server"
local failure_of = require "spec.support.failure_of"
local leftovers = require "spec.support.leftovers"
local timely = require "spec.support.timely"

local function can_bind(host)
  local probe = uv.new_udp()
  local bound = probe:bind(host, 0)
  probe:close()
  uv.run("nowait")
  return bound ~= nil
end

describe("bide.udp", function()
  local server

  DatagramServer.close_after_each()
  after_each(function() assert.is_nil(leftovers.find()) end)

  local function serve(answer, options) server = DatagramServer.start(answer, options) end

  ---Asks the server.
  local function ask(options)
    options.host, options.port = options.host or "127.0.0.1", server.port
    return options
  end

  it("sends a datagram, and returns the answer", function()
    serve(function(bytes, reply) reply("<" .. bytes .. ">") end)
    assert.same({ address = "127.0.0.1:" .. server.port, received = "<a\0\xff>" }, udp(ask { send = "a\0\xff" }))
    assert.equal("<>", udp(ask { send = "" }).received)
  end)

  it("waits for the answer that is expected", function()
    serve(function(_, reply)
      reply "starting"
      reply "it is ready now"
    end)
    assert.equal("it is ready now", udp(ask { send = "x", expect = "ready" }).received)
    assert.same({ "x" }, server.received)
  end)

  it("sends again where it is asked to, and only then", function()
    serve(function(_, reply, count) if count == 3 then reply "at last" end end)
    assert.equal("at last", udp(ask { send = "x", retransmit = 0.02 }).received)
    assert.equal(3, #server.received)
    assert.equal("RequestTimeout", failure_of(udp, ask { send = "y", timeout = 0.1 }).type)
    assert.equal(4, #server.received)
  end)

  it("takes an answer of any size", function()
    serve(function(_, reply) reply(("x"):rep(60000)) end)
    assert.equal(60000, #udp(ask { send = "x" }).received)
  end)

  it("tries every address of a name: one refuses, the other answers", function()
    if not can_bind "::1" then return pending "there is no ::1 here" end
    serve(function(_, reply) reply "here" end, { host = "::1" })
    assert.same({ address = "[::1]:" .. server.port, received = "here" }, udp(ask { host = "localhost", send = "x" }))
  end)

  it("tries every address of a name: one is silent, and has its share of the time only", function()
    if not can_bind "::1" then return pending "there is no ::1 here" end
    serve(function(_, reply) reply "here" end, { host = "::1" })
    local silent = DatagramServer.start(nil, { port = server.port })
    local began = uv.hrtime()
    assert.equal("here", udp(ask { host = "localhost", send = "x", timeout = 4 }).received)
    local elapsed = (uv.hrtime() - began) / 1e9
    silent:close()
    assert.is_true(elapsed >= 1.99 and elapsed < 4, elapsed) -- the loop counts whole milliseconds, rounded down
  end)

  describe("raises", function()
    it("ConnectionRefused, with every address that was tried", function()
      serve()
      server:close()
      local port = server.port
      local failure = failure_of(udp, ask { send = "x" })
      assert.same({ "ConnectionRefused", "connection refused by 127.0.0.1:" .. port, "127.0.0.1:" .. port },
        { failure.type, failure.message, failure.address })
      if not can_bind "::1" then return end
      assert.equal(("connection refused by localhost:%d (127.0.0.1:%d, [::1]:%d)"):format(port, port, port),
        failure_of(udp, ask { host = "localhost", send = "x" }).message)
    end)

    it("RequestTimeout at its time", function()
      serve()
      timely.within(150, function()
        local began, before = uv.hrtime(), #server.received
        local failure = failure_of(udp, ask { send = "x", retransmit = 0.04, timeout = 0.1 })
        local elapsed = (uv.hrtime() - began) / 1e6
        assert.equal("RequestTimeout", failure.type)
        assert.is_true(elapsed >= 99, elapsed)
        return #server.received == before + 3 and elapsed or math.huge
      end)
    end)

    it("UnexpectedAnswer with the last answer", function()
      serve(function(_, reply) reply "LOADING" end)
      local failure = failure_of(udp, ask { send = "x", expect = "READY", timeout = 0.05 })
      assert.equal("UnexpectedAnswer", failure.type)
      assert.matches('expected "READY", found "LOADING"', failure.message)
    end)

    it("NameNotResolved and InvalidAddress", function()
      assert.equal("NameNotResolved", failure_of(udp, { host = "no-such-host.invalid", port = 1, send = "x" }).type)
      assert.equal("InvalidAddress", failure_of(udp, { host = "", port = 1, send = "x" }).type)
    end)

    it("ConnectionFailed where the datagram is too large for any", function()
      serve()
      local failure = failure_of(udp, ask { send = ("x"):rep(70000) })
      assert.same({ "ConnectionFailed", true }, { failure.type, failure.message:find("EMSGSIZE", 1, true) ~= nil })
    end)
  end)

  it("hears nobody but whom it asked", function()
    local stranger = uv.new_udp()
    local client
    serve()
    server.handle:recv_stop()
    server.handle:recv_start(function(_, bytes, from)
      if not bytes then return end
      client = from.port
      stranger:send("from elsewhere", "127.0.0.1", client)
    end)
    assert.equal("RequestTimeout", failure_of(udp, ask { send = "x", timeout = 0.1 }).type)
    stranger:close()
    assert.is_number(client)
  end)

  it("is cut by the deadline of its task, and lets go of the socket", function()
    serve()
    local how
    core.loop.update()
    core.task.start(function() return udp(ask { send = "x", retransmit = 0.01 }) end,
      function(_, ended) how = ended end, core.loop.now() + 35)
    while not how do core.loop.turn() end
    assert.equal("cut", how)
  end)

  it("leaves no descriptor behind, however it ends", function()
    local before
    for i = 1, 60 do
      serve(function(bytes, reply) if bytes == "x" then reply "y" end end)
      pcall(udp, ask { send = "x" })
      pcall(udp, ask { send = "z", timeout = 0.002 })
      server:close()
      pcall(udp, ask { send = "x" })
      assert.is_nil(leftovers.find())
      if i == 10 then before = leftovers.descriptors() end
    end
    assert.is_true(leftovers.descriptors() <= before)
  end)

  it("refuses options that it does not know or that miss, by name", function()
    local function mistake_of(options)
      local ok, mistake = pcall(function() local done = udp(options) return done end)
      assert.is_false(ok)
      assert.matches("udp_spec.lua:%d+: bide.udp:", mistake)
      return mistake
    end
    assert.matches('retransmitt: unknown option, did you mean "retransmit"%?', mistake_of { retransmitt = 1 })
    assert.matches("send: expected [%w ]+, found nothing", mistake_of { host = "x", port = 3 })
    assert.matches("port: expected 1 to 65535, found 0", mistake_of { host = "x", port = 0, send = "x" })
  end)
end)
