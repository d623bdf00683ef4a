---bide.mysql against servers that say what the spec wants.

local conversation = require "spec.support.conversation"
local digest = require "bide.digest"
local mysql = require "bide.mysql"
local mysql_packet = require "spec.support.mysql_packet"

local packet, greeting, column, SALT = mysql_packet.packet, mysql_packet.greeting, mysql_packet.COLUMN, mysql_packet.SALT
local OK, DENIED = mysql_packet.OK, "\xFF\x15\x04#28000Access denied"

---The answer to SELECT 1.
local ONE = mysql_packet.rows "\0011"

describe("bide.mysql", function()
  ---Returns what bide makes of a server that greets and answers each packet, and the packets.
  local function talk(first, answers, options)
    answers.greeting = first
    return conversation.hold(mysql, answers, options)
  end

  it("proves the password by SHA-1 or by SHA-256, as the server wants", function()
    local _, result, packets = talk(greeting(), { packet(2, OK), ONE }, { user = "app", password = "pw" })
    assert.same({ answer = "ready", version = "8.0.36" }, result)
    assert.equal("app", packets[1]:match("^([^\0]*)", 37))
    assert.equal(20, packets[1]:byte(41))
    _, result, packets = talk(greeting "caching_sha2_password", { packet(2, "\1\3") .. packet(3, OK), ONE },
      { password = "pw" })
    assert.equal(packet(0, "\3SELECT 1"), packets[2])
    assert.equal("ready", result.answer)
    assert.equal(32, packets[1]:byte(42))
  end)

  it("changes to the proof that the server names", function()
    local switch = "\xFEmysql_native_password\0" .. SALT .. "\0"
    local _, result, packets = talk(greeting "unknown_plugin", { packet(2, switch), packet(4, OK), ONE },
      { password = "pw" })
    assert.equal("ready", result.answer)
    local one = digest.sha1 "pw"
    local two = digest.sha1(SALT .. digest.sha1(one))
    local proof = {}
    for at = 1, 20 do proof[at] = string.char(one:byte(at) ~ two:byte(at)) end
    assert.equal(packet(3, table.concat(proof)), packets[2])
  end)

  it("sends no password itself without TLS", function()
    for _, answer in ipairs { packet(2, "\1\4"), packet(2, "\xFEmysql_clear_password\0" .. SALT .. "\0") } do
      local ok, failure, packets = talk(greeting "caching_sha2_password", { answer }, { password = "secret" })
      assert.is_false(ok)
      assert.equal("UnknownAuthentication", failure.type)
      assert.matches("use TLS", failure.message, 1, true)
      assert.equal(1, #packets)
    end
  end)

  it("takes what a server says before and after the greeting", function()
    local ok, failure = talk(packet(0, "\xFF\x10\x04Too many connections"), {})
    assert.is_false(ok)
    assert.same({ type = "HY000", message = "Too many connections", code = 1040 }, failure)
    local _, result = talk(greeting(), { packet(2, DENIED) })
    assert.equal("passwordWanted", result.answer)
    ok, failure = talk(greeting(), { packet(2, DENIED) }, { password = "x" })
    assert.same({ false, "28000", 1045 }, { ok, failure.type, failure.code })
  end)

  it("reads the rows of a query, NULL and long texts among them", function()
    local rows = mysql_packet.packets { "\2", column, (column:gsub("\1a", "\1b")), mysql_packet.END,
      "\xFB\xFC\x2C\1" .. ("x"):rep(300), "\1y\1z", mysql_packet.END }
    local _, result = talk(greeting(), { packet(2, OK), rows }, { password = "pw", query = "SELECT" })
    assert.same({ answer = "ready", version = "8.0.36", rows = 2, columns = 2, row = { b = ("x"):rep(300) } }, result)
  end)

  it("is ready by an answer to a query", function()
    local joining = packet(1, "\xFF\x17\x04#08S01WSREP has not yet prepared node for application use")
    local nothing = mysql_packet.rows()
    local rows = { [joining] = "08S01", [nothing] = "InvalidAnswer", [packet(1, OK)] = "InvalidInput", [""] = "RequestTimeout" }
    for answer, type_of_error in pairs(rows) do
      for _, options in ipairs { { password = "pw" }, {} } do
        options.timeout = 0.3
        local ok, failure = talk(greeting(), { packet(2, OK), answer, "", "" }, options)
        assert.same({ false, type_of_error }, { ok, failure.type })
      end
    end
  end)

  it("refuses a statement that gives no rows", function()
    local ok, failure = talk(greeting(), { packet(2, OK), packet(1, OK) }, { password = "pw", query = "SET @a = 1" })
    assert.same({ false, "InvalidInput" }, { ok, failure.type })
  end)

  it("refuses anything else", function()
    local wrong = { "HTTP/1.1 400 Bad\r\n\r\n", packet(0, "\9old"), packet(0, "\10"), packet(0, "\10x\0short"), "\0\0\0\0",
      "\xFF\xFF\xFF\0" }
    for _, bytes in ipairs(wrong) do
      local ok, failure = talk(bytes, {})
      assert.is_false(ok)
      assert.is_true(failure.type == "InvalidAnswer" or failure.type == "UnexpectedAnswer" or failure.type == "RequestTimeout",
        failure.type)
    end
  end)
end)
