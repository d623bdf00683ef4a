---An answer of the DNS with records of another name made a name known, and one with records of another type or class, with
---fewer than it had, or without the question made it gone.

local DatagramServer = require "spec.support.datagram_server"
local dns = require "bide.dns"

local A, CNAME, IN, CHAOS = 1, 5, 1, 3

local function name(text) return text:gsub("([^.]+)%.?", function(label) return string.pack("s1", label) end) .. "\0" end

local function record(owner, kind, value, class)
  return name(owner) .. string.pack(">I2I2I4s2", kind, class or IN, 60, value)
end

describe("an answer of a name server", function()
  local server
  after_each(function() server:close() end)

  ---@param answer { flags: integer?, questions: integer?, count: integer?, added: string? } with records
  local function ask(answer)
    local records = table.concat(answer)
    server = DatagramServer.start(function(question, reply)
      local questions = answer.questions or 1
      reply(question:sub(1, 2) .. string.pack(">I2I2I2I2I2", 0x8400 | (answer.flags or 0), questions,
        answer.count or #answer, 0, answer.added and 1 or 0) .. (questions > 0 and question:sub(13) or "") .. records
        .. (answer.added or ""))
    end)
    local ok, found = pcall(dns, "web.example", { server = "127.0.0.1", port = server.port, timeout = 0.5 })
    return ok and found.answers[1] or found.type
  end

  local address = record("web.example", A, "\10\1\2\3")

  it("has records of the name, or of one of which it is an alias", function()
    assert.equal("10.1.2.3", ask { address })
    assert.equal("10.1.2.3", ask { record("WEB.example", A, "\10\1\2\3") })
  end)

  it("may have them in any order", function()
    assert.equal("10.1.2.3", ask { record("b.example", A, "\10\1\2\3"), record("a.example", CNAME, name "b.example"),
      record("web.example", CNAME, name "a.example") })
  end)

  it("may have others beside them", function()
    local signature, dname = record("web.example", 46, ("x"):rep(40)), record("example", 39, name "b.example")
    assert.equal("10.1.2.3", ask { address, signature })
    assert.equal("10.1.2.3", ask { dname, signature, record("web.example", CNAME, name "web.b.example"), signature,
      record("web.b.example", A, "\10\1\2\3") })
    assert.equal("10.1.2.3", ask { address, added = "\0" .. string.pack(">I2I2I4s2", 41, 1232, 0, "") })
    assert.equal("10.1.2.3", ask { record("other.example", A, "\9\9\9\9"), address,
      record("c.example", CNAME, name "d.example") })
  end)

  for what, answer in pairs {
    ["another name"] = { record("other.example", A, "\10\1\2\3") },
    ["another alias"] = { record("web.example", CNAME, name "a.example"), record("b.example", A, "\10\1\2\3") },
    ["another type alone"] = { record("web.example", 99, "x") },
    ["another class"] = { record("web.example", A, "\10\1\2\3", CHAOS) },
    ["more than it counts"] = { address, count = 0 },
  } do
    it("is refused with records of " .. what, function() assert.equal("InvalidAnswer", ask(answer)) end)
  end

  it("says that there is no such name beside the question, and by that operation", function()
    assert.equal("NameNotFound", ask { flags = 3 })
    server:close()
    assert.equal("RequestTimeout", ask { flags = 3, questions = 0 })
    server:close()
    assert.equal("RequestTimeout", ask { flags = 3 | 4 << 11 })
    server:close()
    assert.equal("ServerFailure", ask { flags = 1, questions = 0 })
  end)
end)
