---A program that writes answers as soon as a connection is made, and reads nothing, was memcached, Redis with a key, a topic of
---Kafka, an entry of a directory, a queue of a broker, or a database. What comes before its question is no answer to it.

local Directory = require "spec.support.directory"
local Server = require "spec.support.server"
local TlsServer = require "spec.support.tls_server"
local Workspace = require "spec.support.workspace"
local bide = require "bide"
local certificates = require "spec.support.certificates"
local conversation = require "spec.support.conversation"
local failure_of = require "spec.support.failure_of"
local good = require "spec.support.good_conversations"
local tls = require "bide.tls"

---@return string all that the server of a good conversation says
local function whole(row)
  local parts = {}
  for position, answer in ipairs(row) do parts[position] = type(answer) == "function" and answer "a\0\0\0\2\0\0\0" or answer end
  return table.concat(parts)
end

---Calls a protocol with a server that writes these bytes, and nothing else.
---@param writes string[]
local function hold(ask, options, writes)
  local server = Server.start(nil, { connected = function(peer)
    for _, bytes in ipairs(writes) do peer:write(bytes) end
  end, raw = function() end })
  local given = { host = "127.0.0.1", port = server.port, timeout = 0.5 }
  for name, value in pairs(options or {}) do given[name] = value end
  local ok, result = pcall(ask, given)
  server:close()
  return ok, result
end

local function assert_refused(ask, options, bytes)
  for _, writes in ipairs { { bytes }, { bytes:sub(1, #bytes // 2), bytes:sub(#bytes // 2 + 1) } } do
    local ok, failure = hold(ask, options, writes)
    assert.is_false(ok)
    assert.equal("UnexpectedAnswer", failure.type, failure.message)
    assert.matches("expected nothing before the question", failure.message, 1, true)
  end
end

---HTTP says nothing about it, gRPC neither; IMAP's answers name the question, and one command of Redis may be any.
local others = { http = true, ["http, in chunks"] = true, grpc = true, imap = true, redis = true }

describe("answers that are written before a question", function()
  for name, row in pairs(good.rows) do
    if not others[name] then
      it("are none of " .. name, function() assert_refused(row.ask, row.options, whole(row)) end)
    end
  end

  it("do not say that a queue or a topic is not there", function()
    assert_refused(good.no_queue.ask, good.no_queue.options, whole(good.no_queue))
    assert_refused(good.no_topic.ask, good.no_topic.options, whole(good.no_topic))
  end)

  it("are none of IMAP", function()
    local ok, failure = hold(bide.imap, nil, { "* OK ready\r\n* CAPABILITY IMAP4rev1\r\na OK done\r\n" })
    assert.same({ false, "InvalidAnswer" }, { ok, failure.type })
  end)

  it("are none of Redis, if there are two questions", function()
    assert_refused(bide.redis, { command = { { "PING" }, { "EXISTS", "job" } } }, "+PONG\r\n:0\r\n")
    assert_refused(bide.redis, { command = { { "PING" }, { "EXISTS", "job" } } }, "+PONG\r\n-NOPERM no exists\r\n")
    assert_refused(bide.redis, { command = { "EXISTS", "job" }, password = "pw" }, "+OK\r\n:0\r\n")
    local ok, failure = hold(bide.redis, { command = { "PING" } }, { "-ERR max number of clients reached\r\n" })
    assert.same({ false, "ERR" }, { ok, failure.type })
  end)

  it("do not deny a user, and so say that a database wants a password", function()
    local greeting = whole { good.rows.mysql[1] }
    local denial = "\xFF\x15\4#28000Access denied"
    assert_refused(bide.mysql, nil, greeting .. string.pack("<I3I1", #denial, 2) .. denial)
    assert_refused(bide.postgres, { parameters = {} }, "N" .. "R\0\0\0\8\0\0\0\3")
  end)

  it("do not deny guest, and so say that a broker wants credentials", function()
    local close = string.pack(">BI2s4B", 1, 0, string.pack(">I4I2s1I4", 0x000A0032, 403, "ACCESS_REFUSED", 0), 0xCE)
    assert_refused(bide.amqp, nil, good.rows.amqp[2] .. close)
  end)

  it("let a directory say by itself that it ends", function()
    local notice = "\x30\x15\2\1\0\x78\x10\10\1\52\4\0\4\9Goodbye!!"
    assert.equal("Unavailable", conversation.failure(bide.ldap, { good.rows.ldap[2] .. notice, "" }).type)
  end)
end)

describe("a text over TLS that comes before a question", function()
  local directory = Directory.of_block()
  TlsServer.close_after_each()

  it("is no answer to it, whether it was read with another or not", function()
    certificates(directory)
    local server = TlsServer.start(directory, { "-cert", "server.pem", "-key", "server.key", "-quiet" })
    local connection <close> = tls.connect("localhost:" .. server.port, { ca = directory.path .. "/ca.pem", timeout = 50 })
    connection:ask "PING\n"
    server:await "PING\n"
    server:say "+PONG\n:0\n"
    assert.equal("+PONG", connection:read_line())
    assert.equal("UnexpectedAnswer", failure_of(connection.ask, connection, "EXISTS job\n").type)
    assert.equal(":0", connection:read_line())
    server:say ":1\n"
    local ok, failure
    repeat ok, failure = pcall(connection.ask, connection, "EXISTS job\n") until not ok -- at the latest by its timeout
    assert.equal("UnexpectedAnswer", failure.type)
  end)
end)

describe("a program that writes at once", function()
  local workspace = Workspace.of_block()

  local info = "role:slave\r\nmaster_link_status:up\r\nmaster_host:127.0.0.1\r\nmaster_port:1\r\n"
  local of_info = ("$%d\r\n%s\r\n"):format(#info, info)

  for _, row in ipairs {
    { "VERSION 1.6.18\r\nEND\r\n", "memcached", "@" }, { "+PONG\r\n:0\r\n", "redis", "KeyGone", "@", "job", "chain=false" },
    { "+OK\r\n+PONG\r\n+OK\r\n:1\r\n", "redis", "KeyExists", "redis://@/3", "job", "password=pw" },
    { "+PONG\r\n:1\r\n$4\r\ndone\r\n", "redis", "KeyExists", "@", "job", "value=done" },
    { of_info, "redis", "ReplicaLinked", "@", "chain=false" },
    { "+PONG\r\n" .. of_info, "redis", "ReplicaLinked", "@", "chain=false" },
  } do
    it("is not the service of " .. table.concat(row, " ", 2), function()
      local server = Server.start(nil, { connected = function(peer) peer:write(row[1]) end, raw = function() end })
      local words = {}
      for position = 2, #row do words[#words + 1] = row[position]:gsub("@", "127.0.0.1:" .. server.port) end
      for _, word in ipairs { "timeout=500ms", "--max-wait", "50s", "--max-attempts", "1", "--quiet" } do
        words[#words + 1] = word
      end
      local done = workspace:bide(words)
      server:close()
      assert.is_true(done.code == 3 or done.code == 4, done.code .. done.stdout .. done.stderr)
    end)
  end
end)
