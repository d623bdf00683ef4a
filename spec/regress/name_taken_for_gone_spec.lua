---NameGone succeeded by a referral to other servers, for a name with an AAAA record only, and for an alias whose target the
---server did not add, or that does not exist. HOST:PORT of a server was taken for a name.

local DatagramServer = require "spec.support.datagram_server"
local dns = require "bide.dns"
local failure_of = require "spec.support.failure_of"
local process = require "spec.support.process"

local A, NS, CNAME, SOA, AAAA = 1, 2, 5, 6, 28
local NXDOMAIN, SERVFAIL, REFUSED = 3, 2, 5
local ADDRESS, ADDRESS6 = "\10\0\0\1", ("\0"):rep(15) .. "\1"

---Returns a record of the name that is asked for.
local function record(kind, data)
  return { kind = kind, data = data }
end

local alias = record(CNAME, "\5other\3org\0")
local referral = record(NS, "\2ns\7example\0")
local start_of_authority = record(SOA, "\2ns\0\2me\0" .. ("\0"):rep(20))

---Returns an answer: its code, its records, and those of the authority.
local function answer(code, records, authority)
  return { code = code, records = records or {}, authority = authority or {} }
end

local function bytes_of(question, given)
  local bytes = question:sub(1, 2)
    .. string.pack(">I2I2I2I2I2", 0x8000 | given.code, 1, #given.records, #given.authority, 0) .. question:sub(13)
  for _, section in ipairs { given.records, given.authority } do
    for _, one in ipairs(section) do
      bytes = bytes .. "\xc0\x0c" .. string.pack(">I2I2I4s2", one.kind, 1, 60, one.data)
    end
  end
  return bytes
end

---What a server answers to questions for A and for AAAA, the exit code of NameGone, and a word that is said.
local cases = {
  { "a referral", answer(0, {}, { referral }), nil, 4, "names other servers to ask" },
  { "a referral for AAAA alone", answer(0), answer(0, {}, { referral }), 4, "names other servers to ask" },
  { "an alias whose target is not added", answer(0, { alias }), nil, 4, "is another name of other.org" },
  { "an alias whose target does not exist", answer(NXDOMAIN, { alias }, { start_of_authority }), nil, 4, "another name" },
  { "an AAAA record only", answer(0), answer(0, { record(AAAA, ADDRESS6) }), 4, "found " },
  { "an A record only", answer(0, { record(A, ADDRESS) }), answer(0), 4, "found " },
  { "a failure for one of two types", answer(0), answer(SERVFAIL), 4, "SERVFAIL" },
  { "a refusal for one of two types", answer(0), answer(REFUSED), 3, "refuses to resolve" },
  { "NXDOMAIN", answer(NXDOMAIN, {}, { start_of_authority }), nil, 0, "there is no name" },
  { "no data, with the authority", answer(0, {}, { start_of_authority }), nil, 0, "has no A record" },
  { "no data, with the authority and its servers", answer(0, {}, { referral, start_of_authority }), nil, 0, "has no A record" },
  { "no data alone", answer(0), nil, 0, "has no A record" },
}

describe("NameGone, by a name server", function()
  local server

  local function serve(of_a, of_aaaa)
    server = DatagramServer.start(function(question, reply)
      local kind = string.unpack(">I2", question, #question - 3)
      reply(bytes_of(question, kind == AAAA and of_aaaa or of_a))
    end)
  end

  local function run(...)
    return process.run { process.bide, "dns", "web.example", "--max-attempts", "3", "--max-wait", "50s", ... }
  end

  after_each(function() server:close() end)

  for _, case in ipairs(cases) do
    local name, of_a, of_aaaa, code, words = table.unpack(case, 1, 5)
    it(("ends with %d by %s"):format(code, name), function()
      serve(of_a, of_aaaa)
      for _, where in ipairs { { "server=127.0.0.1:" .. server.port }, { "server=127.0.0.1", "port=" .. server.port } } do
        run("NameGone", table.unpack(where)):writes(code, words)
        assert.equal(words:find "^found " and 0 or code == 3 and 3 or 4, run(table.unpack(where)).code)
      end
    end)
  end

  it("compares what is expected with the addresses of both kinds", function()
    serve(answer(0, { record(A, ADDRESS) }), answer(0, { record(AAAA, ADDRESS6) }))
    local where = "server=127.0.0.1:" .. server.port
    for _, address in ipairs { "10.0.0.1", "::1" } do
      assert.equal(0, run(where, "expect=" .. address).code)
      assert.equal(4, run("NameGone", where, "expect=" .. address).code)
    end
    assert.equal(0, run("NameGone", where, "expect=10.0.0.2").code)
    assert.equal(4, run(where, "expect=10.0.0.2").code)
  end)

  it("has the port of its server once", function()
    serve(answer(NXDOMAIN))
    local done = run("NameGone", "server=127.0.0.1:" .. server.port, "port=1")
    assert.same({ 2, "" }, { done.code, done.stdout })
    assert.matches(("port: expected %d, as in server, found 1"):format(server.port), done.stderr, 1, true)
    done = run("NameGone", "server=127.0.0.1:x")
    assert.same({ 2, "" }, { done.code, done.stdout })
    assert.matches("server: expected HOST:PORT", done.stderr, 1, true)
    assert.equal(0, run("NameGone", "server=127.0.0.1:" .. server.port, "port=" .. server.port).code)
  end)

  it("is told apart by the types of errors", function()
    serve(answer(0, {}, { referral }))
    assert.equal("Referral", failure_of(dns, "web.example", { server = "127.0.0.1", port = server.port }).type)
  end)
end)
