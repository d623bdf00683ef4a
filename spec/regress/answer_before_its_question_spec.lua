---Lines that came with the greeting were taken for the answers to commands which had not been sent yet, so a program that says
---some lines by itself was a mail server, or a NATS server.

local conversation = require "spec.support.conversation"
local message = require "spec.support.postgres_message"
local mysql = require "bide.mysql"
local mysql_packet = require "spec.support.mysql_packet"
local nats = require "bide.nats"
local postgres = require "bide.postgres"
local smtp = require "bide.smtp"

---Fails with the error of a conversation in which the server says some lines before it is asked.
local function assert_refused(ask, lines)
  local failure = conversation.failure(ask, { greeting = lines, "" })
  assert.equal("UnexpectedAnswer", failure.type)
  assert.matches("expected nothing before", failure.message, 1, true)
end

describe("lines that came before the question", function()
  it("are no answer to EHLO", function()
    assert_refused(smtp, "220 mail ESMTP\r\n250 mail\r\n")
    assert_refused(smtp, "220-mail\r\n220 ESMTP\r\n250-mail\r\n250 STARTTLS\r\n")
  end)

  it("are no answer to PING of NATS", function()
    assert_refused(nats, 'INFO {"server_id":"a"}\r\nPONG\r\n')
  end)

  local accepted = message("R", "\0\0\0\0") .. message("Z", "I")
  local no_rows = message("T", string.pack(">I2", 1) .. "a\0" .. ("\0"):rep(18)) .. message("C", "SELECT 0\0")
    .. message("Z", "I")

  it("are no answer to a query of PostgreSQL, but may be what comes unasked", function()
    local failure = conversation.failure(postgres, { accepted .. no_rows, "" }, { query = "SELECT 1 FROM jobs" })
    assert.equal("UnexpectedAnswer", failure.type)
    assert.matches("expected nothing before the question", failure.message, 1, true)
    local notice = message("N", "Mhello\0\0") .. message("S", "TimeZone\0UTC\0")
    failure = conversation.failure(postgres, { accepted .. notice .. no_rows, "" }, { query = "SELECT 1 FROM jobs" })
    assert.equal("UnexpectedAnswer", failure.type)
    local ok, found = conversation.hold(postgres, { accepted .. notice, no_rows }, { query = "SELECT 1 FROM jobs" })
    assert.same({ true, 0 }, { ok, ok and found.rows })
    local stops = message("E", "SFATAL\0C57P01\0Mterminating\0\0")
    assert.equal("57P01", conversation.failure(postgres, { accepted .. stops, "" }, { query = "SELECT 1" }).type)
  end)

  it("are no answer to a query of MySQL, but may refuse it", function()
    local packet, greeting, no_rows_of_mysql = mysql_packet.packet, mysql_packet.greeting(), mysql_packet.rows()
    local given, accepted_of_mysql = { password = "pw", query = "SELECT 1 FROM jobs" }, packet(2, mysql_packet.OK)
    local ok, found = conversation.hold(mysql, { greeting = greeting, accepted_of_mysql, no_rows_of_mysql }, given)
    assert.same({ true, 0 }, { ok, ok and found.rows })
    local failure = conversation.failure(mysql, { greeting = greeting, accepted_of_mysql .. no_rows_of_mysql, "" }, given)
    assert.equal("UnexpectedAnswer", failure.type)
    local stops = packet(0, "\xFF\x1D\4#08S01Server shutdown in progress")
    assert.equal("08S01", conversation.failure(mysql, { greeting = greeting, accepted_of_mysql .. stops, "" }, given).type)
  end)

  it("may refuse the client", function()
    local greeting = "220 mail ESMTP\r\n421 shutting down\r\n"
    assert.equal("421", conversation.failure(smtp, { greeting = greeting, "" }).type)
    greeting = "INFO {}\r\n-ERR 'maximum connections exceeded'\r\n"
    assert.equal("ServerError", conversation.failure(nats, { greeting = greeting, "" }).type)
  end)

  it("do not end a greeting of several lines", function()
    local _, found = conversation.hold(smtp, { greeting = "220-mail\r\n220 ESMTP\r\n", "250-mail\r\n250 SIZE\r\n" })
    assert.same({ "SIZE" }, found.extensions)
  end)
end)
