local uv = require "luv"
local postgres = require "bide.postgres"
local Server = require "spec.support.server"
local failure_of = require "spec.support.failure_of"
local leftovers = require "spec.support.leftovers"

---A message of the server: a letter, the length, the body.
local function message(letter, body)
  return letter .. string.pack(">I4", #body + 4) .. body
end

local accepted = message("R", "\0\0\0\0")

describe("bide.postgres, with a socket", function()
  local server

  after_each(function()
    if server then server:close() end
    server = nil
    uv.run("nowait")
    assert.is_nil(leftovers.find())
  end)

  local function ask(answer, options)
    if server then server:close() end
    local sent = ""
    server = Server.start(nil, { raw = function(peer, bytes)
      if sent == "" then peer:write(answer) end
      sent = sent .. bytes
    end })
    options = options or {}
    options.host, options.port, options.timeout = "127.0.0.1", server.port, 5
    return postgres(options), sent
  end

  it("says who is there, and for which database", function()
    local _, sent = ask(message("R", "\0\0\0\10SCRAM-SHA-256\0\0"), { user = "app", database = "shop" })
    assert.equal("\0\3\0\0user\0app\0database\0shop\0application_name\0bide\0\0", sent:sub(5))
    assert.equal(#sent, string.unpack(">I4", sent))
    _, sent = ask(message("R", "\0\0\0\3"))
    assert.matches("user\0postgres\0database\0postgres\0", sent, 1, true)
  end)

  it("hears that the server is ready, whatever else it tells", function()
    assert.same({ answer = "ready", version = "15.18" }, (ask(accepted .. message("S", "TimeZone\0UTC\0")
      .. message("S", "server_version\00015.18\0") .. message("K", "12345678") .. message("Z", "I"))))
    assert.same({ answer = "passwordWanted" }, (ask(message("R", "\0\0\0\5salt"))))
  end)

  it("raises what the server refuses", function()
    local refusal = message("E", "SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0Fpostmaster.c\0\0")
    assert.same({ type = "57P03", message = "the database system is starting up" }, failure_of(ask, refusal))
    assert.equal("57P03", failure_of(ask, accepted .. refusal).type)
  end)

  it("sends no password, and believes no server that does not know it", function()
    local secret = { user = "app", password = "open sesame" }
    local replies = {
      function() return message("R", "\0\0\0\10SCRAM-SHA-256\0\0") end,
      function(bytes)
        return message("R", "\0\0\0\11r=" .. bytes:match("r=([^,]+)$") .. "more,s=" .. "AAAA,i=4096")
      end,
      function() return message("R", "\0\0\0\12v=AAAA") .. accepted .. message("Z", "I") end,
    }
    local sent = ""
    server = Server.start(nil, { raw = function(peer, bytes)
      sent = sent .. bytes
      peer:write(table.remove(replies, 1)(bytes))
    end })
    secret.host, secret.port = "127.0.0.1", server.port
    local ok, failure = pcall(postgres, secret)
    assert.is_false(ok)
    assert.same({ type = "InvalidAnswer", message = "the server does not know the password itself" }, failure)
    assert.matches("c=biws,r=.*,p=", sent)
    assert.not_matches("sesame", sent)
  end)

  it("shows its password to nobody who wants another proof of it", function()
    local options = { password = "open sesame" }
    for _, wanted in ipairs { "\3", "\5salt", "\10PLAIN\0\0", "\10" } do
      local ok, failure = pcall(ask, message("R", "\0\0\0" .. wanted), options)
      assert.is_false(ok)
      assert.equal("UnknownAuthentication", failure.type)
    end
    for _, wanted in ipairs { "\11r=x,s=AAAA,i=1", "\12v=AAAA" } do
      local ok, failure = pcall(ask, message("R", "\0\0\0" .. wanted), options)
      assert.is_false(ok)
      assert.equal("InvalidAnswer", failure.type)
    end
  end)

  for name, answer in pairs {
    ["another protocol"] = "HTTP/1.1 400 Bad Request\r\n", ["a length that cannot be"] = "R\0\0\0\3\0\0\0\0",
    ["a message without end"] = "S\x7f\xff\xff\xff", ["an error without fields"] = message("E", "\0"),
  } do
    it("refuses " .. name, function() assert.equal("InvalidAnswer", failure_of(ask, answer).type) end)
  end

  it("is not led astray by a body that is none", function()
    assert.same({ answer = "ready" }, (ask(accepted .. message("S", "") .. message("S", "server_version") .. message("Z", ""))))
    assert.same({ answer = "passwordWanted" }, (ask(message("R", ""))))
  end)

  it("refuses options that it does not know or that miss, by name", function()
    for mistake, options in pairs {
      ['databse: unknown option, did you mean "database"%?'] = { databse = "x" },
      ["host: expected a string, found nothing"] = { user = "x" },
      ["user: expected a string without NUL bytes"] = { host = "x", user = "a\0b" },
    } do
      local ok, text = pcall(function() local done = postgres(options) return done end)
      assert.is_false(ok)
      assert.matches("postgres_spec.lua:%d+: bide.postgres: .*" .. mistake, text)
    end
  end)
end)
