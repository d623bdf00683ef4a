---Fuzzes the readers of protocols: damages what a server says in a conversation, and holds it with the probe. Of a reader of
---whole texts, such as a message of the DNS or the state of `bide step`, it damages the text.
---
---    lua5.4 spec/fuzz/protocols.lua --seconds 60 [--only redis] [--seed N]
---
---For each protocol for so many seconds. A probe or a reader returns, or raises an operation error, in time; anything else is
---a finding: its seed is printed with what was said, and the exit code is 1.

local Server = require "spec.support.server"
local ber = require "bide.probe.ldap.ber"
local bide = require "bide"
local bus = require "bide.probe.systemd.bus"
local cbor = require "bide.model.protocol.cbor"
local core = require "bide.core"
local dns = require "bide.probe.dns.message"
local docker = require "bide.probe.docker.frames"
local grpc = require "bide.probe.grpc.message"
local mysql_packet = require "spec.support.mysql_packet"
local postgres_message = require "spec.support.postgres_message"
local sessions = require "bide.postgres.session"
local states = require "bide.record.step.state"
local uv = require "luv"

local pack = string.pack

local options = { seconds = 60, seed = os.time() }
for i = 1, #arg, 2 do options[arg[i]:match "^%-%-(%a+)$"] = tonumber(arg[i + 1]) or arg[i + 1] end

-- ---- the protocols -----------------------------------------------------------------------------

local mysql_greeting, mysql_ok = mysql_packet.greeting(), mysql_packet.packet(2, mysql_packet.OK)
local mysql_rows = mysql_packet.rows "\1y"

---Returns a value, or raises the failure in its place.
local function raised(value, failure)
  if failure then error(failure, 0) end
  return value
end

local postgres_ready = postgres_message("R", pack(">I4", 0)) .. postgres_message("S", "server_version\00015.1\0")
  .. postgres_message("Z", "I")
local postgres_rows = postgres_message("T", pack(">I2zI4I2I4i2i4I2", 1, "id", 0, 0, 23, 4, -1, 0))
  .. postgres_message("D", pack(">I2s4", 1, "7")) .. postgres_message("C", "SELECT 1\0") .. postgres_message("Z", "I")

---The description of two columns, in a format, and three rows of them.
local function described(format, first, second)
  return postgres_message("T", pack(">I2zI4I2I4i2i4I2zI4I2I4i2i4I2", 2, "id", 0, 0, 20, 8, -1, format,
    "list", 0, 0, 1009, -1, -1, format)) .. postgres_message("D", pack(">I2s4s4", 2, first, second)):rep(3)
end

local function postgres_end(tag) return postgres_message("C", tag .. "\0") .. postgres_message("Z", "I") end

---A session: a query as text and again in binary, a COPY out and one in, over one connection.
local postgres_session = {
  postgres_message("R", pack(">I4", 0)) .. postgres_message("Z", "I"),
  postgres_message("1", "") .. postgres_message("2", "") .. described(0, "7", '{"a b",NULL}') .. postgres_end "SELECT 3",
  postgres_message("2", "") .. described(1, pack(">i8", 7), pack(">i4i4I4i4i4s4i4", 1, 1, 25, 2, 1, "a b", -1))
    .. postgres_message("N", "Mx\0\0") .. postgres_end "SELECT 3",
  postgres_message("H", pack(">BI2", 0, 0)) .. postgres_message("d", "7\n") .. postgres_message("c", "")
    .. postgres_message("A", pack(">I4zz", 1, "a", "b")) .. postgres_end "COPY 1",
  postgres_message("G", pack(">BI2", 0, 0)),
  postgres_end "COPY 1",
}

---Opens a session, asks what the conversation answers, and raises the failure of any of it.
local function hold_session(given)
  given.connect_timeout = given.timeout
  local session <close> = raised(sessions.open(given))
  for _ = 1, 2 do
    for _, row in ipairs(raised(session:query "SELECT id, list FROM t")) do assert(type(row) == "table") end
  end
  raised(session:copy_out("COPY t TO STDOUT", function(text) assert(#text > 0) end))
  raised(session:copy_in("COPY t FROM STDIN", "7\n"))
end

local function amqp_method(channel, number, arguments)
  return pack(">BI2s4B", 1, channel, pack(">I4", number) .. arguments, 0xCE)
end

local function cassandra_frame(operation, body) return pack(">BBi2Bs4", 0x84, 0, 0, operation, body) end

local function kafka_answer(number, body) return pack(">s4", pack(">i4", number) .. body) end

local ldap_success = ber.integer(0, ber.ENUMERATED) .. ber.octets "" .. ber.octets ""

local function ldap_message(number, tag, content) return ber.sequence(ber.integer(number), ber.write(tag, content)) end

local function mongodb_answer(number, members)
  local body = pack("<I4B", 0, 0) .. pack("<I4", #members + 5) .. members .. "\0"
  return pack("<i4i4i4i4", #body + 16, 77, number, 2013) .. body
end

local UNIT = "/org/freedesktop/systemd1/unit/web_2eservice"

local function bus_message(kind, fields, body)
  return pack("<c1BBBI4I4s4", "l", kind, 0, 1, #body, 1, fields) .. ("\0"):rep(-#fields % 8) .. body
end

---Hears of the changes of a unit until the server ends the connection.
local function follow_unit(given)
  local changes = 0
  local ok, failure = pcall(bide.tcp, { host = given.host, port = given.port, timeout = given.timeout, talk = function(dialogue)
    bus.follow(dialogue, { user = 0, unit = "web.service", is_shared = true }, function() changes = changes + 1 end)
  end })
  local has_ended = changes > 1 and type(failure) == "table" and failure.type == "UnexpectedAnswer"
  if not ok and not has_ended then error(failure, 0) end
end

-- ---- readers of texts --------------------------------------------------------------------------

local dns_name = "\7example\3org\0"

local function dns_record(kind, data) return "\xC0\x0C" .. pack(">I2I2I4s2", kind, 1, 300, data) end

local dns_answer = pack(">I2I2I2I2I2I2", 7, 0x8180, 1, 6, 1, 1) .. dns_name .. pack(">I2I2", 1, 1)
  .. dns_record(1, "\10\0\0\1") .. dns_record(28, ("\0"):rep(15) .. "\1") .. dns_record(5, "\3www\xC0\x0C")
  .. dns_record(15, "\0\10\4mail\xC0\x0C") .. dns_record(16, "\3one\3two") .. dns_record(33, "\0\1\0\2\0\80\xC0\x0C")
  .. dns_record(2, "\2ns\xC0\x0C") .. dns_record(1, "\10\0\0\2")

local function read_dns(text)
  local question = dns.question(7, "example.org", "A")
  if dns.answers(text, question) then dns.is_truncated(text) end
  local answer, mistake = dns.read(text)
  assert(answer or type(mistake) == "string")
end

---Reads a log as one piece, and in random ones, which must not differ.
local function read_log(text)
  local function read(longest)
    local streams, is_log = { stdin = {}, stdout = {}, stderr = {} }, true
    local frames = docker.new(false, function(bytes, stream) table.insert(streams[stream], bytes) end)
    local at = 1
    while is_log and at <= #text do
      local length = longest or math.random(9)
      is_log, at = frames:add(text:sub(at, at + length - 1)), at + length
    end
    if not is_log then return "no log" end
    local function all(stream) return table.concat(streams[stream]) end
    return pack("s4s4s4B", all "stdin", all "stdout", all "stderr", frames:is_whole() and 1 or 0)
  end
  assert(read(#text) == read(), "pieces differ from the whole")
end

---Reads a value, and the same one again from what is written of it.
local function read_cbor(text)
  local ok, value = pcall(cbor.decode, text)
  if not ok then
    if type(value) ~= "table" or type(value[1]) ~= "string" then error(value, 0) end
    return
  end
  local written = cbor.encode(value)
  assert(cbor.encode(cbor.decode(written)) == written, "a value differs once it is written")
end

---A wait that never succeeds, and its state after the first step.
local stepped = bide.waiter {
  name = "Never", minDelay = 0.05, maxDelay = 0.05, idempotencyToken = "token",
  acceptors = {
    { state = "success", matcher = { output = { path = "done", comparator = "booleanEquals", expected = "true" } } },
  },
  call = function() return { done = false } end,
}

local function prepared() return stepped:prepare({ name = "x" }, { maxWait = 300, seed = 1, hold = "1s", tolerate = 3 }) end

local first_step = assert(prepared():step()).state

---Puts a damaged text into the state of a step, sealed as anybody can, and takes the next step.
local function read_state(text)
  local state = assert(states.unpack(first_step))
  local member = ({ "record", "record", "record", "members", "token", "output" })[math.random(6)]
  if member == "members" then text = (text .. ("\0"):rep(32)):sub(1, 32) end
  state[member] = text:sub(1, member == "token" and 200 or 1500)
  if math.random(4) == 1 then state.delay = math.random(0, 1 << math.random(0, 52)) end
  local step, mistake = prepared():step(states.pack(state))
  assert(step and step.outcome.state ~= "success" or type(mistake) == "string", "a wait that never succeeds has succeeded")
end

---Of each protocol its options and what a server says: the first text when the connection is there ("" if the client begins),
---the others in turn. The module of its name holds the conversation, or `call` does; `read` reads the only text without one.
local protocols = {
  ["systemd.bus"] = { { call = follow_unit }, "", "OK 0123456789abcdef\r\n", bus_message(2, "", ""),
    bus_message(4, "\1\1o\0" .. pack("<s4x", "/other"), "") .. bus_message(2, "", ""),
    bus_message(2, "\8\1g\0\1o\0", pack("<s4x", UNIT)),
    bus_message(2, "", "") .. bus_message(4, "\1\1o\0" .. pack("<s4x", UNIT), "") },
  dns = { { read = read_dns }, dns_answer },
  grpc = { { read = grpc.status }, "\0\0\0\0\2\8\1", grpc.question "shop.Orders" },
  ["docker.log"] = { { read = read_log }, pack(">Bxxxs4Bxxxs4", 1, "one\ntwo\n", 2, "three\n"):rep(3) },
  cbor = { { read = read_cbor },
    cbor.encode { list = { 1, -1, 2 ^ 40, 1.5, true, "text" }, map = { a = cbor.bytes "xyz" } },
    "\x9F\xC1\x1A\x65\0\0\0\xC2\x49" .. ("\1"):rep(9)
      .. "\xC4\x82\x20\x0F\x7F\x61a\x61b\xFF\xF9\x3C\0\xFA\x7F\x80\0\0\xFF" },
  ["step.state"] = { { read = read_state }, states.unpack(first_step).record, ("\0"):rep(32), '{"done":false}' },
  redis = { { command = { "INFO" } }, "", "*3\r\n:1\r\n*1\r\n+a\r\n$3\r\nb\r\n\r\n-ERR x\r\n$5\r\nrole:\r\n" },
  postgres = { { user = "app", query = "SELECT 1" }, "", postgres_ready, postgres_rows },
  ["postgres.session"] = { { user = "app", sslmode = "disable", call = hold_session }, "", table.unpack(postgres_session) },
  mysql = { { user = "app", password = "pw", query = "SELECT 1" }, mysql_greeting, mysql_ok, mysql_rows },
  nats = { {}, 'INFO {"version":"2.9","auth_required":false,"jetstream":true}\r\n', "PING\r\nINFO {}\r\nPONG\r\n" },
  smtp = { {}, "220-mail ESMTP\r\n220 at your service\r\n", "250-mail greets you\r\n250-SIZE 1000\r\n250 HELP\r\n", "221 x\r\n" },
  imap = { {}, "* OK [CAPABILITY IMAP4rev1] ready\r\n", "* CAPABILITY IMAP4rev1 IDLE\r\nTAG OK done\r\n", "* BYE\r\nTAG OK\r\n" },
  amqp = { { user = "guest", password = "guest", queue = "jobs" }, "",
    amqp_method(0, 0x000A000A, "\0\9" .. pack(">s4s4s4", "\1aS\0\0\0\1b", "AMQPLAIN PLAIN", "en_US")),
    amqp_method(0, 0x000A001E, pack(">I2I4I2", 2047, 131072, 60)), amqp_method(0, 0x000A0029, "\0"),
    amqp_method(1, 0x0014000B, "\0\0\0\0"), amqp_method(1, 0x0032000B, pack(">s1I4I4", "jobs", 7, 2)),
    amqp_method(0, 0x000A0033, "") },
  cassandra = { { user = "app", password = "pw" }, "", cassandra_frame(6, pack(">I2s2I2s2", 1, "CQL_VERSION", 1, "3.4.5")),
    cassandra_frame(3, pack(">s2", "org.apache.cassandra.auth.PasswordAuthenticator")),
    cassandra_frame(16, "\xFF\xFF\xFF\xFF") },
  kafka = { { topic = "orders" }, "", kafka_answer(1, pack(">i2i4i2i2i2i2i2i2", 0, 2, 3, 0, 9, 18, 0, 3)),
    kafka_answer(2, pack(">i4i4i4s2i4i2s2i4i4", 0, 1, 1, "127.0.0.1", 9092, -1, "id", 1, 1)
      .. pack(">i2s2i1i4", 0, "orders", 0, 1) .. pack(">i2i4i4i4i4i4i4", 0, 0, 1, 1, 1, 1, 1)) },
  mongodb = { {}, "", mongodb_answer(1, "\8isWritablePrimary\0\1" .. "\2setName\0" .. pack("<s4", "rs0\0")
    .. "\4hosts\0" .. pack("<I4", 16) .. "\0020\0" .. pack("<s4", "a:1\0") .. "\0" .. "\1ok\0" .. pack("<d", 1)),
    mongodb_answer(2, "\1ok\0" .. pack("<d", 1)) },
  ldap = { {}, "", ldap_message(2, 0x61, ldap_success),
    ldap_message(3, 0x64, ber.octets "" .. ber.sequence(ber.sequence(ber.octets "o", ber.write(ber.SET, ber.octets "x"))))
      .. ldap_message(3, 0x65, ldap_success) },
}

-- ---- damage ------------------------------------------------------------------------------------

local extremes = { "\0", "\1", "\x7F", "\x80", "\xFE", "\xFF", "\xFF\xFF\xFF\xFF", "\x7F\xFF\xFF\xFF", "\0\0\0\0",
      "\r\n", "\n", "-" }

---The ways in which a text is damaged.
local damages = {
  function(text, at) return text:sub(1, at - 1) .. string.char(math.random(0, 255)) .. text:sub(at + 1) end,
  function(text, at) return text:sub(1, at - 1) .. extremes[math.random(#extremes)] .. text:sub(at + 1) end,
  function(text, at) return text:sub(1, at - 1) .. extremes[math.random(#extremes)] .. text:sub(at) end,
  function(text, at) return text:sub(1, at - 1) end,
  function(text, at) return text:sub(1, at) .. text:sub(math.random(#text)) end,
  function(text, at) return text .. text:sub(at):rep(math.random(40)) end,
}

---A longer text is damaged no further: repeated again and again, one would become as long as memory allows.
local LONG = 1024 * 1024

local function damage(text)
  for _ = 1, math.random(3) do
    if #text > 0 and #text < LONG then text = damages[math.random(#damages)](text, math.random(#text)) end
  end
  return text
end

---Returns what the server says, with one to three of the texts damaged.
local function conversation(protocol)
  local said = table.move(protocol, 2, #protocol, 1, {})
  for _ = 1, math.random(3) do
    local position = math.random(#said)
    said[position] = damage(said[position])
  end
  return said
end

-- ---- one conversation --------------------------------------------------------------------------

---In seconds: the timeout of a probe whose peer may say nothing, that of one whose peer says all, and the longest that a probe
---may take on a busy machine.
local TIMEOUT, PATIENCE, LONGEST = 0.1, 10, 20

---Reads one of the texts.
---@return string? finding
local function read_text(protocol, said)
  local began = uv.hrtime()
  local ok, failure = pcall(protocol[1].read, said[math.random(#said)])
  if (uv.hrtime() - began) / 1e9 > LONGEST then return "it took too long" end
  if not ok and (type(failure) ~= "table" or type(failure.type) ~= "string") then return "it raised " .. tostring(failure) end
end

---@param timeout number in seconds
---@return string? finding
---@return any? failure of the probe
local function hold(probe, protocol, said, timeout)
  if protocol[1].read then return read_text(protocol, said) end
  local server = Server.start(nil, {
    connected = function(peer)
      peer.said = 1
      if said[1] ~= "" then peer:write(said[1]) end
    end,
    raw = function(peer, request)
      peer.said = peer.said + 1
      local answer = said[peer.said] and said[peer.said]:gsub("TAG", function() return request:match "^%S+" end)
      if answer then peer:write(answer) end
      if peer.said >= #said then peer:finish() end
    end,
  })
  local given = { host = "127.0.0.1", port = server.port, timeout = timeout }
  for name, value in pairs(protocol[1]) do given[name] = value end
  given.call = nil
  local began = uv.hrtime()
  local ok, failure = pcall(probe, given)
  local elapsed = (uv.hrtime() - began) / 1e9
  server:close()
  if elapsed > LONGEST then return ("it took %.1f s"):format(elapsed) end
  if ok then return nil end
  if type(failure) ~= "table" or type(failure.type) ~= "string" then return "it raised " .. tostring(failure) end
  return nil, failure
end

local function fuzz(name, protocol)
  local probe = protocol[1].call or protocol[1].read or require("bide." .. name)
  local until_when, count = uv.hrtime() + options.seconds * 1e9, 0
  local _, failure = hold(probe, protocol, table.move(protocol, 2, #protocol, 1, {}), PATIENCE)
  if failure then
    print(("%s: the conversation without damage failed: %s: %s"):format(name, failure.type, failure.message))
    return false
  end
  repeat
    local seed = options.seed + count
    math.randomseed(seed)
    local said = conversation(protocol)
    local finding = hold(probe, protocol, said, TIMEOUT)
    if finding then
      print(("%s, seed %d: %s\n%s"):format(name, seed, finding, core.json.encode(said)))
      return false
    end
    count = count + 1
  until uv.hrtime() >= until_when
  print(("  %s: %d conversations"):format(name, count))
  return true
end

local names = {}
for name in pairs(protocols) do
  if (options.only or name) == name then names[#names + 1] = name end
end
table.sort(names)
local is_clean = true
for _, name in ipairs(names) do is_clean = fuzz(name, protocols[name]) and is_clean end
os.exit(is_clean and 0 or 1)
