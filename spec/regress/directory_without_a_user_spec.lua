---An entry was gone where the directory said so of the user that binds, as old ones do; and an entry existed where it gave
---another one, or several.

local conversation = require "spec.support.conversation"
local ldap = require "bide.ldap"

local function element(tag, content) return string.char(tag, #content) .. content end

local function message(number, tag, content)
  return element(0x30, element(2, string.char(number)) .. element(tag, content))
end

local function result(number, tag, code, matched)
  return message(number, tag, element(10, string.char(code)) .. element(4, matched or "") .. element(4, ""))
end

local function entry(name)
  local attribute = element(0x30, element(4, "cn") .. element(0x31, element(4, "app")))
  return message(3, 0x64, element(4, name) .. element(0x30, attribute))
end

local BASE <const> = "cn=app,dc=shop"
local BOUND <const> = result(2, 0x61, 0)
local DONE <const>, GONE <const> = result(3, 0x65, 0), result(3, 0x65, 32, "dc=shop")
local REFERENCE <const> = message(3, 0x73, element(4, "ldap://other/"))

describe("a directory", function()
  ---@return string what it says of the base
  local function ask(answers, more)
    local options = { base = BASE }
    for name, value in pairs(more or {}) do options[name] = value end
    local ok, found = conversation.hold(ldap, answers, options)
    return ok and (found.entry and found.name or "no entry") or found.type
  end

  it("has the entry, by any spelling of its name", function()
    assert.equal(BASE, ask { BOUND, entry(BASE) .. DONE, "" })
    assert.equal("CN=App, DC=shop", ask { BOUND, entry "CN=App, DC=shop" .. DONE, "" })
    assert.equal(BASE, ask({ BOUND, entry(BASE) .. DONE, "" }, { base = "<GUID=5>" }))
    assert.equal("no entry", ask { BOUND, REFERENCE .. DONE, "" })
    assert.equal("NoSuchObject", ask { BOUND, GONE, "" })
  end)

  it("gives no other entry", function()
    assert.equal("InvalidAnswer", ask { BOUND, entry "cn=other,dc=shop" .. DONE, "" })
    assert.equal("InvalidAnswer", ask { BOUND, entry "" .. DONE, "" })
    assert.equal("InvalidAnswer", ask { BOUND, entry(BASE) .. entry(BASE) .. DONE, "" })
  end)

  it("says of the user that there is none, and not of the entry", function()
    assert.equal("InvalidCredentials", ask({ result(2, 0x61, 32, "dc=shop"), "" }, { user = "cn=me,dc=shop", password = "x" }))
    assert.equal("LdapError", ask { result(0, 0x78, 32, "dc=shop"), "" })
    assert.equal("LdapError", ask({ result(1, 0x78, 32, "dc=shop"), "", "" }, { security = "starttls" }))
  end)

  it("says that there is no entry, and nothing else", function()
    assert.equal("LdapError", ask { BOUND, entry(BASE) .. GONE, "" })
    assert.equal("LdapError", ask { BOUND, REFERENCE .. GONE, "" })
  end)
end)
