---Answers of databases counted though they could not be read: rows of PostgreSQL without the end of their statement, so that
---RowGone believed a piece of an answer, or with an end that counts others; a request for an unknown proof; packets of MySQL
---out of order, and what was no column and no row; a truth value and flags of MongoDB that there are not; bytes behind an
---answer of Kafka; and answers of Cassandra and LDAP to another request.

local cassandra = require "bide.cassandra"
local conversation = require "spec.support.conversation"
local kafka = require "bide.kafka"
local ldap = require "bide.ldap"
local mongodb = require "bide.mongodb"
local pong = require("spec.support.mongodb").pong
local mysql = require "bide.mysql"
local mysql_packet = require "spec.support.mysql_packet"
local postgres = require "bide.postgres"

---Returns what a protocol's function said to such answers: "yes", or the type of its error.
local function said(call, answers, options)
  local ok, result = conversation.hold(call, answers, options)
  return ok and "yes" or result.type
end

describe("PostgreSQL", function()
  local function message(kind, body) return kind .. string.pack(">I4", #body + 4) .. body end
  local accepted, ready = message("R", "\0\0\0\0") .. message("Z", "I"), message("Z", "I")
  local columns = message("T", string.pack(">I2zc18", 1, "a", ""))
  local row = message("D", string.pack(">I2s4", 1, "1"))
  local function ended(count) return message("C", "SELECT " .. count .. "\0") end

  local function ask(...)
    return said(postgres, { accepted, table.concat { ... }, "" }, { query = "SELECT a FROM jobs" })
  end

  it("ends each statement, with the number of its rows", function()
    assert.equal("yes", ask(columns, ended(0), ready))
    assert.equal("yes", ask(columns, row, ended(1), columns, ended(0), ready))
    assert.equal("yes", ask(columns, row, message("C", "EXPLAIN\0"), ready))
    for _, answer in ipairs { columns .. ready, columns .. ended(1) .. ready, columns .. row .. ended(0) .. ready,
      ended(0) .. columns .. ready, columns .. columns .. ended(0) .. ready, columns .. ended(0) .. row .. ready,
      columns .. message("C", "") .. ready, columns .. ended(0) .. message("Z", "E"), columns .. ended(0) .. message("Z", "") } do
      assert.equal("InvalidAnswer", ask(answer), answer)
    end
  end)

  it("has nothing behind columns and a row", function()
    local more_columns = message("T", string.pack(">I2zc18", 1, "a", "") .. "x")
    assert.equal("InvalidAnswer", ask(more_columns, ended(0), ready))
    assert.equal("InvalidAnswer", ask(columns, message("D", string.pack(">I2s4", 1, "1") .. "x"), ended(1), ready))
  end)

  it("asks for a proof that there is", function()
    local function type_of(body) return said(postgres, { message("R", body), "" }) end
    for _, body in ipairs { "\0\0\0\3", "\0\0\0\5salt", "\0\0\0\10SCRAM\0\0" } do assert.equal("yes", type_of(body)) end
    for _, body in ipairs { "", "\0\0\0\1", "\0\0\1\3", "\0\0\0\5", "\0\0\0\10", "\0\0\0\12v=x", "\0\0\0\3x" } do
      assert.equal("InvalidAnswer", type_of(body))
    end
  end)
end)

describe("MySQL", function()
  local column, ok, ended = mysql_packet.COLUMN, mysql_packet.OK, mysql_packet.END

  ---@param bodies string[] of the packets that answer the query
  ---@param first? integer
  local function ask(bodies, first, number)
    local answers = { greeting = mysql_packet.greeting(), mysql_packet.packet(number or 2, ok),
      mysql_packet.packets(bodies, first), "" }
    return said(mysql, answers,
      { user = "app", password = "pw", query = "SELECT a FROM jobs" })
  end

  it("numbers its packets", function()
    assert.equal("yes", ask { "\1", column, ended, ended })
    assert.equal("yes", ask { "\1", column, ended, "\0011", ended })
    assert.equal("InvalidAnswer", ask({ "\1", column, ended, ended }, 2))
    assert.equal("InvalidAnswer", ask({ "\1", column, ended, ended }, 1, 3))
  end)

  it("sends what is a column, a row and an end", function()
    for _, bodies in ipairs { { "\1x", column, ended, ended }, { "\1", ok, ended, ended }, { "\1", column .. "x", ended, ended },
      { "\1", column, ended, ok, ended }, { "\1", column, ended, "\0011x", ended }, { "\1", column, "\xFE", ended },
      { "\1", column, ended, "\xFE" }, { "\1", column, ended, "\xFE\0\0\10\0" } } do
      assert.equal("InvalidAnswer", ask(bodies))
    end
  end)
end)

describe("MongoDB", function()
  local function ask(members, flags)
    members = members .. "\1ok\0" .. string.pack("<d", 1)
    local document = string.pack("<I4", #members + 5) .. members .. "\0"
    local body = string.pack("<I4B", flags or 0, 0) .. document
    return said(mongodb, { string.pack("<i4i4i4i4", 16 + #body, 7, 1, 2013) .. body, pong, "" })
  end

  it("answers in flags, truth values and members that can be read", function()
    assert.equal("yes", ask "\8isWritablePrimary\0\1")
    assert.equal("yes", ask("\8isWritablePrimary\0\1", 1 << 16))
    assert.equal("InvalidAnswer", ask "\8isWritablePrimary\0\2")
    assert.equal("InvalidAnswer", ask("\8isWritablePrimary\0\1", 1 << 9))
    assert.equal("InvalidAnswer", ask "\8isWritablePrimary\0\0\8isWritablePrimary\0\1")
  end)
end)

describe("Kafka", function()
  local function answer(number, body) return string.pack(">s4", string.pack(">i4", number) .. body) end
  local versions = string.pack(">i2i4i2i2i2", 0, 1, 3, 0, 12)
  local function topics(count) return string.pack(">i4i4i2i4", 0, 0, -1, 1) .. string.pack(">i4", count) end
  local topic = string.pack(">i2s2i1i4", 3, "orders", 0, 0)

  local function ask(metadata, known)
    return said(kafka, { answer(1, known or versions), answer(2, metadata), "" }, { topic = "orders" })
  end

  it("says nothing beyond its answer", function()
    assert.equal("yes", ask(topics(1) .. topic))
    assert.equal("InvalidAnswer", ask(topics(1) .. topic .. "x"))
    assert.equal("InvalidAnswer", ask(topics(2) .. topic .. topic))
    assert.equal("InvalidAnswer", ask(topics(1) .. topic, versions .. "x"))
  end)
end)

describe("Kafka's partitions and brokers", function()
  local function answer(number, body) return string.pack(">s4", string.pack(">i4", number) .. body) end
  local versions = string.pack(">i2i4i2i2i2", 0, 1, 3, 0, 12)
  local function broker(id) return string.pack(">i4s2i4i2", id, "broker", 9092, -1) end
  local function partition(id, code) return string.pack(">i2i4i4i4i4i4i4", code or 0, id, 1, 1, 1, 1, 1) end

  ---@return string|integer said the type of the error, or the number of partitions without a leader
  local function ask(ids, partitions)
    local body = { string.pack(">i4i4", 0, #ids) }
    for _, id in ipairs(ids) do body[#body + 1] = broker(id) end
    body[#body + 1] = string.pack(">i2i4i4i2s2i1i4", -1, 1, 1, 0, "orders", 0, #partitions) .. table.concat(partitions)
    local answers = { answer(1, versions), answer(2, table.concat(body)), "" }
    local ok, result = conversation.hold(kafka, answers, { topic = "orders" })
    return ok and result.topic.leaderless or result.type
  end

  it("come once, and an error of one counts", function()
    assert.equal(0, ask({ 1, 2 }, { partition(0), partition(1) }))
    assert.equal(0, ask({ 1 }, { partition(0, 9) }))
    assert.equal(1, ask({ 1 }, { partition(0, 56), partition(1) }))
    assert.equal("InvalidAnswer", ask({ 1, 1 }, { partition(0) }))
    assert.equal("InvalidAnswer", ask({ 1 }, { partition(0), partition(0) }))
  end)
end)

describe("Cassandra", function()
  local function frame(operation, body, stream, version)
    return string.pack(">BBi2Bs4", version or 0x84, 0, stream or 0, operation, body)
  end
  local supported = string.pack(">I2s2I2s2", 1, "CQL_VERSION", 1, "3.4.6")

  it("answers this request, in the version of it", function()
    local function ask(first, second) return said(cassandra, { first, second, "" }) end
    assert.equal("yes", ask(frame(6, supported), frame(2, "")))
    assert.equal("yes", ask(frame(6, supported), frame(3, string.pack(">s2", "PasswordAuthenticator"))))
    assert.equal("InvalidAnswer", ask(frame(6, supported), frame(2, "", 1)))
    assert.equal("InvalidAnswer", ask(frame(6, supported, 1), frame(2, "")))
    assert.equal("InvalidAnswer", ask(frame(6, supported), frame(2, "", 0, 0x85)))
    assert.equal("InvalidAnswer", ask(frame(6, supported), frame(3, "")))
    assert.equal("InvalidAnswer", ask(frame(6, supported .. "x"), frame(2, "")))
    assert.equal("ProtocolError", ask(frame(0, string.pack(">i4s2", 10, "no"), 0, 0x83), ""))
  end)
end)

describe("LDAP", function()
  local function element(tag, content) return string.char(tag, #content) .. content end
  local function message(number, answer) return element(0x30, element(2, string.char(number)) .. answer) end
  local function result(tag, code)
    return element(tag, element(10, string.char(code)) .. element(4, "dc=shop") .. element(4, ""))
  end

  it("answers the bind and the search by their numbers", function()
    local function ask(bound, found)
      local answers = { message(bound, result(0x61, 0)), message(found, result(0x65, 32)), "" }
      return said(ldap, answers, { base = "cn=app,dc=shop" })
    end
    assert.equal("NoSuchObject", ask(2, 3))
    for _, numbers in ipairs { { 0, 3 }, { 2, 0 }, { 2, 2 }, { 3, 3 } } do
      assert.equal("InvalidAnswer", ask(table.unpack(numbers)))
    end
    assert.equal("Unavailable", said(ldap, { message(0, result(0x78, 52)), "" }))
  end)

  it("gives a number and two texts as its result", function()
    local bound = message(2, result(0x61, 0))
    for _, content in ipairs { "\2\1\32\4\1x\4\0", "\10\1\32\5\1x\4\0", "\10\1\32\4\1x", "" } do
      assert.equal("InvalidAnswer", said(ldap, { bound, message(3, element(0x65, content)), "" }))
    end
  end)
end)
