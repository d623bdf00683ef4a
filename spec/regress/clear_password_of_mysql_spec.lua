---A server whose certificate was not verified got the password itself if it asked for mysql_clear_password, or for the whole
---of caching_sha2_password. Anybody on the way could ask: the server chooses the proof.

local Server = require "spec.support.server"
local mysql = require "bide.mysql"
local mysql_packet = require "spec.support.mysql_packet"
local tls = require "bide.tls"

local packet, SALT = mysql_packet.packet, mysql_packet.SALT
local greeting, one_row = mysql_packet.greeting(), mysql_packet.rows "\0011"

---The switch from another plugin, the number of the packet that accepts the password, and what asks for it after a proof.
local forms = {
  ["mysql_clear_password"] = { packet(3, "\xFEmysql_clear_password\0" .. SALT .. "\0"), 5 },
  ["caching_sha2_password"] = { packet(3, "\xFEcaching_sha2_password\0" .. SALT .. "\0"), 7, packet(5, "\1\4") },
}

for name, form in pairs(forms) do describe(name, function()
  local start, wanted, accepts = tls.start, form[1], packet(form[2], mysql_packet.OK)

  ---The bytes stay in clear, so that the spec can read them.
  setup(function() tls.start = function(dialogue) return dialogue end end)
  teardown(function() tls.start = start end)

  local function connect(verify, insecure)
    local said = ""
    local server = Server.start(nil, { connected = function(peer) peer:write(greeting) end, raw = function(peer, bytes)
      said = said .. bytes
      peer:write(said:find("SELECT 1", 1, true) and one_row or said:find("open sesame", 1, true) and accepts
        or said:find("\0asked", 1, true) and form[3] or said:find("root", 1, true) and wanted or "")
      if said:find("root", 1, true) then said = said .. "\0asked" end
    end })
    local ok, result = pcall(mysql, { host = "127.0.0.1", port = server.port, timeout = 2, password = "open sesame",
      tls = { verify = verify }, insecure = insecure })
    server:close()
    return ok, result, said
  end

  it("is not sent to a server that is not verified", function()
    local ok, failure, said = connect(false)
    assert.is_false(ok)
    assert.equal("UnknownAuthentication", failure.type)
    assert.matches("use TLS, and verify the certificate, with ssl-mode=VERIFY_CA&ssl-ca=FILE", failure.message, 1, true)
    assert.not_matches("sesame", said, 1, true)
  end)

  it("is sent to one that is, or if the user says so", function()
    for _, given in ipairs { { true }, { "authority" }, { false, true } } do
      local ok, result, said = connect(table.unpack(given))
      assert.is_true(ok, result.message)
      assert.matches("open sesame\0", said, 1, true)
    end
  end)
end) end
