local uv = require "luv"
local core = require "bide.core"
local dns = require "bide.dns"
local DatagramServer = require "spec.support.datagram_server"
local Directory = require "spec.support.directory"
local Dnsmasq = require "spec.support.dnsmasq"
local Server = require "spec.support.server"
local failure_of = require "spec.support.failure_of"
local leftovers = require "spec.support.leftovers"
local make_slow_resolver = require "spec.support.slow_resolver"
local port = require "spec.support.port"
local process = require "spec.support.process"

local zone = [[
host-record=web.example,10.1.2.3,600
host-record=web.example,10.1.2.2,300
host-record=six.example,2001:db8::1
cname=www.example,web.example
mx-host=example,mail.example,10
txt-record=_acme.example,a token,and more
srv-host=_sip._tcp.example,sip.example,5060,1,2
ptr-record=3.2.1.10.in-addr.arpa,web.example
]]

---More than fits a datagram.
for i = 1, 40 do zone = zone .. ("txt-record=large.example,%s%d\n"):format(("x"):rep(100), i) end

describe("bide.dns, asking dnsmasq", function()
  if Dnsmasq.missing then return pending(Dnsmasq.missing) end

  local directory = Directory.of_block()
  local server

  setup(function() server = Dnsmasq.start(directory, zone) end)

  teardown(function() server:stop() end)

  after_each(function() assert.is_nil(leftovers.find()) end)

  local function options(kind) return { server = "127.0.0.1", port = server.port, type = kind } end

  it("tells the addresses of a name, and all about them", function()
    local found = dns("web.example", options())
    assert.same({ "web.example", "A", { "10.1.2.2", "10.1.2.3" }, 300, true, "127.0.0.1:" .. server.port },
      { found.name, found.type, found.answers, found.ttl, found.authoritative, found.server })
    assert.equal(2, #found.records)
    assert.same({ "2001:db8::1" }, dns("six.example", options "AAAA").answers)
    assert.equal("AAAA", dns("six.example", options "aaaa").type)
  end)

  it("follows another name as far as the server does", function()
    local found = dns("www.example", options())
    assert.same({ "10.1.2.2", "10.1.2.3" }, found.answers)
    assert.same({ "www.example", "CNAME", "web.example" },
      { found.records[1].name, found.records[1].type, found.records[1].value })
    assert.same({ "web.example" }, dns("www.example", options "CNAME").answers)
  end)

  it("tells records of other types", function()
    assert.same({ "10 mail.example" }, dns("example", options "MX").answers)
    assert.same({ "a tokenand more" }, dns("_acme.example", options "TXT").answers)
    assert.same({ "1 2 5060 sip.example" }, dns("_sip._tcp.example.", options "SRV").answers)
    assert.same({ "web.example" }, dns("3.2.1.10.in-addr.arpa", options "PTR").answers)
  end)

  it("asks by TCP for what is too long for a datagram", function()
    local found = dns("large.example", options "TXT")
    assert.equal(40, #found.answers)
    assert.equal(("x"):rep(100) .. "1", found.answers[1])
  end)

  it("raises NameNotFound, NoData, QueryRefused", function()
    local failure = failure_of(dns, "none.example", options())
    assert.same({ "NameNotFound", "127.0.0.1:" .. server.port }, { failure.type, failure.address })
    assert.equal("there is no name none.example, according to 127.0.0.1:" .. server.port, failure.message)
    failure = failure_of(dns, "web.example", options "AAAA")
    assert.same({ "NoData", "web.example has no AAAA record, says 127.0.0.1:" .. server.port },
      { failure.type, failure.message })
    assert.equal("QueryRefused", failure_of(dns, "elsewhere.org", options()).type)
  end)

  it("sees a change at once: nothing is kept", function()
    assert.equal("NameNotFound", failure_of(dns, "new.example", options()).type)
    server:write_hosts "10.9.9.9 new.example\n"
    local found
    for _ = 1, 100 do
      local ok, answer = pcall(dns, "new.example", options())
      found = ok and answer
      if ok then break end
      uv.sleep(10)
    end
    assert.same({ "10.9.9.9" }, found.answers)
  end)

  it("asks all addresses of the server's name", function()
    assert.same({ "10.1.2.2", "10.1.2.3" }, dns("web.example", { server = "localhost", port = server.port }).answers)
  end)
end)

describe("bide.dns, asking a server that is not what it should be,", function()
  local server

  DatagramServer.close_after_each()
  Server.close_after_each()
  after_each(function() assert.is_nil(leftovers.find()) end)

  local function serve(answer, number) server = DatagramServer.start(answer, { port = number }) end

  ---The header and the question of an answer.
  local function head(question, flags, count)
    return question:sub(1, 2) .. string.pack(">I2I2I2I2I2", flags, 1, count or 0, 0, 0) .. question:sub(13)
  end

  local function address(question)
    return head(question, 0x8180, 1) .. "\xc0\x0c" .. string.pack(">I2I2I4s2", 1, 1, 60, "\10\0\0\1")
  end

  local function ask(given)
    given = given or {}
    given.server, given.port = "127.0.0.1", server.port
    return "web.example", given
  end

  it("asks again where an answer is lost", function()
    serve(function(question, reply, count) if count == 3 then reply(address(question)) end end)
    assert.same({ "10.0.0.1" }, dns(ask { retransmit = 0.02 }).answers)
  end)

  it("raises ServerFailure with the server's word", function()
    for code, word in pairs { [1] = "FORMERR", [2] = "SERVFAIL", [4] = "NOTIMP", [9] = "error 9" } do
      serve(function(question, reply) reply(head(question, 0x8180 | code)) end)
      local failure = failure_of(dns, ask())
      assert.same({ "ServerFailure", ("127.0.0.1:%d cannot resolve web.example: %s"):format(server.port, word) },
        { failure.type, failure.message })
      server:close()
    end
  end)

  it("raises AliasOnly with where an alias leads to", function()
    serve(function(question, reply)
      reply(head(question, 0x8180, 1) .. "\xc0\x0c" .. string.pack(">I2I2I4s2", 5, 1, 60, "\5other\3org\0"))
    end)
    local failure = failure_of(dns, ask())
    assert.equal("AliasOnly", failure.type)
    assert.matches("web.example is another name of other.org", failure.message, 1, true)
  end)

  it("raises InvalidAnswer for what is no message", function()
    serve(function(question, reply) reply(address(question):sub(1, -3)) end)
    local failure = failure_of(dns, ask())
    assert.equal("InvalidAnswer", failure.type)
    assert.matches("not a DNS message: it ends at byte", failure.message, 1, true)
  end)

  it("passes over what answers another question", function()
    serve(function(question, reply)
      reply "nonsense"
      reply(question)
      reply("\0\0" .. address(question):sub(3) .. "x")
      reply((address(question):gsub("web", "wep"):gsub("\10\0\0\1", "\6\6\6\6")))
      reply(address(question))
    end)
    assert.same({ "10.0.0.1" }, dns(ask()).answers)
    assert.equal(1, #server.received)
  end)

  it("raises RequestTimeout, ConnectionRefused, NameNotResolved", function()
    serve()
    assert.equal("RequestTimeout", failure_of(dns, ask { timeout = 0.05 }).type)
    server:close()
    local failure = failure_of(dns, ask())
    assert.same({ "ConnectionRefused", "connection refused by 127.0.0.1:" .. server.port }, { failure.type, failure.message })
    assert.equal("NameNotResolved", failure_of(dns, "x", { server = "no-such-host.invalid" }).type)
  end)

  describe("by TCP, since the answer is too long:", function()
    ---A server that truncates by UDP, and does as it is told by TCP.
    local function serve_stream(answer)
      serve(function(question, reply) reply(head(question, 0x8380)) end, port.free())
      Server.start(nil, { port = server.port, raw = answer })
    end

    it("takes it in pieces", function()
      serve_stream(function(peer, bytes)
        local whole = string.pack(">s2", address(string.unpack(">s2", bytes)))
        peer:write(whole:sub(1, 1))
        peer:later(0.02, function() peer:write(whole:sub(2)) end)
      end)
      assert.same({ "10.0.0.1" }, dns(ask()).answers)
    end)

    it("raises what becomes of it", function()
      serve_stream(function(peer) peer:finish() end)
      assert.equal("ConnectionReset", failure_of(dns, ask()).type)
      serve_stream(function(peer) peer:write "\0\5hello" end)
      assert.matches("answered what it was not asked", failure_of(dns, ask()).message)
      serve_stream(function(peer) peer:write "\xff" end)
      assert.equal("RequestTimeout", failure_of(dns, ask { timeout = 0.05 }).type)
      serve(function(question, reply) reply(head(question, 0x8380)) end, port.free())
      assert.equal("ConnectionRefused", failure_of(dns, ask()).type)
    end)
  end)

  it("is cut by the deadline of its task, and lets go of the socket", function()
    serve()
    local how
    core.loop.update()
    core.task.start(function() return dns(ask()) end, function(_, ended) how = ended end, core.loop.now() + 35)
    while not how do core.loop.turn() end
    assert.equal("cut", how)
  end)
end)

describe("bide.dns, asking the system,", function()
  after_each(function() assert.is_nil(leftovers.find()) end)

  it("tells addresses", function()
    local found = dns "127.0.0.1"
    assert.same({ name = "127.0.0.1", answers = { "127.0.0.1" } }, found)
    assert.same({ "127.0.0.1" }, dns("localhost", { type = "A" }).answers)
  end)

  it("raises NameNotFound, and InvalidName", function()
    assert.equal("NameNotFound", failure_of(dns, "no-such-host.invalid").type)
    assert.equal("there is no name no-such-host.invalid, according to the system's resolver",
      failure_of(dns, "no-such-host.invalid").message)
    assert.equal("InvalidName", failure_of(dns, "").type)
    assert.equal("InvalidName", failure_of(dns, "a\0b").type)
    assert.equal("InvalidName", failure_of(dns, "a..b", { server = "127.0.0.1" }).type)
  end)

  it("raises RequestTimeout, and the process does not wait for the resolver", function()
    if process.is_static then return pending(process.NO_PRELOAD) end
    local directory = Directory.make()
    local library, preload = make_slow_resolver(directory), os.getenv "LD_PRELOAD"
    local script = directory:write("ask.lua",
      'local _, failure = pcall(require("bide").dns, "slow.example", { timeout = 0.1 }) print(failure.type)')
    local done = process.run({ process.bide, "exec", script },
      { env = { LD_PRELOAD = preload and preload .. ":" .. library or library } })
    directory:remove()
    assert.equal("RequestTimeout\n", done.stdout)
    assert.is_true(done.elapsed < 10, done.elapsed)
  end)

  it("refuses what it cannot be asked, by name", function()
    local function mistake_of(...)
      local ok, mistake = pcall(function(...) local done = dns(...) return done end, ...)
      assert.is_false(ok)
      assert.matches("dns_spec.lua:%d+: bide.dns:", mistake)
      return mistake
    end
    assert.matches("type: expected server beside MX", mistake_of("x", { type = "MX" }))
    assert.matches("port: expected server beside it", mistake_of("x", { port = 53 }))
    assert.matches('sever: unknown option, did you mean "server"%?', mistake_of("x", { sever = "y" }))
    assert.matches("type: expected a type of record: A, AAAA, .*, found \"SPF\"", mistake_of("x", { type = "SPF" }))
    assert.matches("name: expected a string, found 3", mistake_of(3))
  end)
end)
