---EntryGone took any text in the place of the entry above for that entry, also one of another tree.

local Workspace = require "spec.support.workspace"
local conversation = require "spec.support.conversation"

describe("the entry that a directory names above one that is gone", function()
  local workspace = Workspace.of_block()

  local function element(tag, content) return string.char(tag, #content) .. content end
  local function answer(number, tag, code, matched)
    local result = element(tag, element(10, string.char(code)) .. element(4, matched) .. element(4, ""))
    return element(0x30, element(2, string.char(number)) .. result)
  end

  local function run(matched, ...)
    local server = conversation.serve { answer(2, 0x61, 0, ""), answer(3, 0x65, 32, matched), "" }
    local done = workspace:bide { "run", "ldap", "EntryGone", "127.0.0.1:" .. server.port, "base=CN=app, ou=it,dc=shop",
      "--max-attempts", "1", "--max-wait", "50s", "--quiet", ... }
    server:close()
    return done
  end

  for _, matched in ipairs { "dc=shop", "DC=shop", "ou=IT, dc=shop", "OU = it,dc=shop", "domainComponent=shop", "dc=sh\\6fp",
    "2.5.4.11=it,0.9.2342.19200300.100.1.25=shop" } do
    it(("is %q"):format(matched), function() assert.equal(0, run(matched).code) end)
  end

  for _, matched in ipairs { "c=shop", "dc=other", "ou=it", "hop", "cn=app,ou=it,dc=shop", "\1" } do
    it(("is not %q"):format(matched), function()
      local done = run(matched)
      assert.equal(4, done.code, done.stderr)
      assert.matches("EntryUnseen: the server finds no such entry, and names .*, which is not above it", done.stderr)
      assert.equal(0, run(matched, "unseen=true").code)
    end)
  end
end)
