---A row of more than 32 KiB, as `SELECT *` of documents has them, "is not the protocol of PostgreSQL", and an entry of a
---directory with many members not that of LDAP. An error of PostgreSQL could have any text for its SQLSTATE.

local ber = require "bide.probe.ldap.ber"
local conversation = require "spec.support.conversation"
local ldap = require "bide.ldap"
local message = require "spec.support.postgres_message"
local mysql = require "bide.mysql"
local mysql_packet = require "spec.support.mysql_packet"
local postgres = require "bide.postgres"
local Server = require "spec.support.server"

local pack = string.pack

local postgres_ready = message("R", pack(">I4", 0)) .. message("Z", "I")

local function postgres_row(text)
  return message("T", pack(">I2zI4I2I4i2i4I2", 1, "doc", 0, 0, 25, 4, -1, 0)) .. message("D", pack(">I2s4", 1, text))
    .. message("C", "SELECT 1\0") .. message("Z", "I")
end

local function mysql_row(text)
  return mysql_packet.packets { "\1", "\3def\0\0\0\3doc\0\12" .. ("\0"):rep(12), mysql_packet.END,
    pack("<BI3", 0xFD, #text) .. text, mysql_packet.END }
end

---A server that greets first.
local function ask_mysql(row)
  local answers, said = { mysql_packet.packet(2, mysql_packet.OK), row }, 0
  local server = Server.start(nil, { connected = function(peer) peer:write(mysql_packet.greeting()) end, raw = function(peer)
    said = said + 1
    peer:write(answers[said] or "")
  end })
  local ok, result = pcall(mysql, { host = "127.0.0.1", port = server.port, timeout = 5, user = "app", query = "SELECT doc" })
  server:close()
  return ok, result
end

local function entry(values)
  local success = ber.integer(0, ber.ENUMERATED) .. ber.octets "" .. ber.octets ""
  local members = ber.sequence(ber.octets "member", ber.write(ber.SET, ber.octets(("cn=someone,dc=shop"):rep(3)):rep(values)))
  return { ber.sequence(ber.integer(2), ber.write(0x61, success)),
    ber.sequence(ber.integer(3), ber.write(0x64, ber.octets "cn=all" .. ber.sequence(members)))
      .. ber.sequence(ber.integer(3), ber.write(0x65, success)), "" }
end

describe("a long row", function()
  local long, too_long = ("x"):rep(300000), ("x"):rep(4 * 1024 * 1024 + 1)

  it("is read from PostgreSQL, up to a limit that is named", function()
    local ok, result = conversation.hold(postgres, { postgres_ready, postgres_row(long), "" }, { query = "SELECT doc" })
    assert.same({ true, long }, { ok, ok and result.row.doc })
    local _, failure = conversation.hold(postgres, { postgres_ready, postgres_row(too_long), "" }, { query = "SELECT doc" })
    assert.same({ type = "InvalidAnswer",
      message = "expected a row of at most 4194304 bytes, found 4194315: select fewer columns" }, failure)
  end)

  it("is read from MySQL", function()
    local ok, result = ask_mysql(mysql_row(long))
    assert.same({ true, long }, { ok, ok and result.row.doc })
    local _, failure = ask_mysql(mysql_row(too_long))
    assert.matches("expected a row of at most 4194304 bytes, found 4194309: select fewer columns", failure.message, 1, true)
  end)

  it("is read from a directory", function()
    local ok, result = conversation.hold(ldap, entry(5000), { base = "cn=all" })
    assert.same({ true, 5000 }, { ok, ok and #result.entry.member or result })
    local _, failure = conversation.hold(ldap, entry(30000), { base = "cn=all" })
    assert.matches("^expected an entry of at most 1048576 bytes, found %d+$", failure.message)
  end)
end)

describe("an error of PostgreSQL", function()
  for _, state in ipairs { "", "57P0", "57p03", "RequestTimeout", "\27[2J!" } do
    it(("has a type that is not %q"):format(state), function()
      local answer = message("E", ("SFATAL\0C%s\0Mno\0\0"):format(state))
      local _, failure = conversation.hold(postgres, { answer, "" })
      assert.same({ type = "InvalidAnswer", message = "no" }, failure)
    end)
  end
end)
