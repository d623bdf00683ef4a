---bide.ldap against a server of answers that the spec made.

local ber = require "bide.probe.ldap.ber"
local conversation = require "spec.support.conversation"
local ldap = require "bide.ldap"

local function result(number, tag, code, text)
  local content = ber.integer(code, ber.ENUMERATED) .. ber.octets "" .. ber.octets(text or "")
  return ber.sequence(ber.integer(number), ber.write(tag, content))
end

local function attribute(name, ...)
  local values = {}
  for position, value in ipairs { ... } do values[position] = ber.octets(value) end
  return ber.sequence(ber.octets(name), ber.write(ber.SET, table.concat(values)))
end

local bound, done = result(2, 0x61, 0), result(3, 0x65, 0)
local entry = ber.sequence(ber.integer(3), ber.write(0x64, ber.octets "dc=shop"
  .. ber.sequence(attribute("objectClass", "top", "dcObject"), attribute("o", ("x"):rep(300)))))

describe("bide.ldap", function()
  it("reads an entry, and long values", function()
    local ok, read = conversation.hold(ldap, { bound, entry .. done }, { base = "dc=shop" })
    assert.is_true(ok)
    assert.same({ name = "dc=shop", entry = { objectClass = { "top", "dcObject" }, o = { ("x"):rep(300) } } }, read)
  end)

  it("raises a result by its name", function()
    local _, failure = conversation.hold(ldap, { result(2, 0x61, 49) }, { user = "cn=x", password = "y" })
    assert.same({ "InvalidCredentials", 49, "result 49" }, { failure.type, failure.code, failure.message })
    _, failure = conversation.hold(ldap, { bound, result(3, 0x65, 32, "no such entry") })
    assert.same({ "NoSuchObject", "no such entry" }, { failure.type, failure.message })
    _, failure = conversation.hold(ldap, { result(0, 0x78, 52, "shutting down") })
    assert.equal("Unavailable", failure.type)
    _, failure = conversation.hold(ldap, { result(2, 0x61, 80) })
    assert.equal("LdapError", failure.type)
  end)

  it("refuses anything else", function()
    for _, bytes in ipairs { "HTTP/1.1 400 x\r\n", "0\x80\0\0", "0\x84\xFF\xFF\xFF\xFF", "0\0", result(7, 0x61, 0), done,
      ber.sequence(ber.integer(2), ber.write(0x61, "")) } do
      local ok, failure = conversation.hold(ldap, { bytes, done })
      assert.is_false(ok)
      assert.equal("InvalidAnswer", failure.type)
    end
  end)

  it("survives any broken answer", function()
    conversation.assert_survives(ldap, { bound, entry .. done }, { base = "dc=shop" })
  end)

  it("names a mistake of its options", function()
    for mistake, options in pairs {
      ["host: expected a string, found nothing"] = {},
      ['security: expected "none", "starttls" or "tls", found "ssl"'] = { host = "x", security = "ssl" },
      ['bse: unknown option, did you mean "base"?'] = { host = "x", bse = "" },
    } do
      local ok, text = pcall(ldap, options)
      assert.is_false(ok)
      assert.matches("bide.ldap: " .. mistake, text, 1, true)
    end
  end)
end)
