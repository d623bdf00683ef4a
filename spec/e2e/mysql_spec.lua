---bide.mysql against servers that say what the spec wants.

local conversation = require "spec.support.conversation"
local digest = require "bide.digest"
local mysql = require "bide.mysql"

local SALT = "12345678abcdefghijkl"

local function packet(number, body) return string.pack("<I3I1", #body, number) .. body end

local function greeting(plugin, version)
  return packet(0, string.pack("<Bz I4c8x I2BI2 I2B c10 c13z", 10, version or "8.0.36", 1, SALT:sub(1, 8),
    0xFFFF, 45, 2, 0xFFFF, 21, "",
    SALT:sub(9) .. "\0", plugin or "mysql_native_password"))
end

local OK, DENIED = "\0\0\0\2\0\0\0", "\xFF\x15\x04#28000Access denied"

describe("bide.mysql", function()
  ---Returns what bide makes of a server that greets and answers each packet, and the packets.
  local function talk(first, answers, options)
    answers.greeting = first
    return conversation.hold(mysql, answers, options)
  end

  it("proves the password by SHA-1 or by SHA-256, as the server wants", function()
    local _, result, packets = talk(greeting(), { packet(2, OK) }, { user = "app", password = "pw" })
    assert.same({ answer = "ready", version = "8.0.36" }, result)
    assert.equal("app", packets[1]:match("^([^\0]*)", 37))
    assert.equal(20, packets[1]:byte(41))
    _, result, packets = talk(greeting "caching_sha2_password", { packet(2, "\1\3") .. packet(3, OK) }, { password = "pw" })
    assert.equal("ready", result.answer)
    assert.equal(32, packets[1]:byte(42))
  end)

  it("changes to the proof that the server names", function()
    local switch = "\xFEmysql_native_password\0" .. SALT .. "\0"
    local _, result, packets = talk(greeting "unknown_plugin", { packet(2, switch), packet(4, OK) }, { password = "pw" })
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
    local column = "\3def\0\0\0\1a\0\12" .. ("\0"):rep(12)
    local rows = packet(1, "\2") .. packet(2, column) .. packet(3, column:gsub("\1a", "\1b")) .. packet(4, "\xFE\0\0\2\0")
      .. packet(5, "\xFB\xFC\x2C\1" .. ("x"):rep(300)) .. packet(6, "\1y\1z") .. packet(7, "\xFE\0\0\2\0")
    local _, result = talk(greeting(), { packet(2, OK), rows }, { password = "pw", query = "SELECT" })
    assert.same({ answer = "ready", version = "8.0.36", rows = 2, row = { b = ("x"):rep(300) } }, result)
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
