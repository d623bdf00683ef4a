---Asks a Kafka broker for what it knows of the cluster, by its own protocol.
---
---    local kafka = require "bide.kafka"
---    kafka { host = "broker" }                      --> { brokers = { { id = 1, host = "broker", port = 9092 } }, … }
---    kafka { host = "broker", topic = "orders" }    --> { topic = { partitions = 6, leaderless = 0, … }, … }
---    kafka { host = "broker", port = 9093, user = "app", password = password, tls = { ca = "ca.pem" } }
---
---Never makes a topic. A password is proved by SASL/SCRAM, with SHA-512 or SHA-256. A broker that takes neither gets it
---itself, by SASL/PLAIN, over TLS whose certificate is verified, or if that mechanism is named: anybody can be a broker that
---takes nothing else. Works with Kafka 0.11 and later. Closes the connection when the call ends. A broker that requires SASL
---closes it where no user is given; bide then asks for the mechanisms over another one.
---
---If the broker refuses, raises an operation error: `SaslAuthenticationFailed`, `TopicAuthorizationFailed`,
---`LeaderNotAvailable`, or `KafkaError` with the number in `code`. Raises the operation errors of bide.tcp and bide.tls,
---and these:
---
---    InvalidAnswer         the server does not speak the protocol, or requires TLS
---    SaslRequired          the broker requires a user
---    UnsupportedVersion    the broker is too old
---    UnsupportedSaslMechanism    the broker takes no mechanism that bide knows, or not the one that is named, or only
---                          PLAIN, where the password itself is not sent unasked

local base64 = require "bide.base64"
local core = require "bide.core"
local fail = require "bide.text.fail"
local kinds = require("bide.text.option").kinds
local metadata = require "bide.probe.kafka.metadata"
local Reader = require "bide.probe.kafka.reader"
local option = require "bide.text.option"
local peer_options = require "bide.probe.peer.options"
local read_pieces = require "bide.probe.peer.pieces"
local Scram = require "bide.probe.peer.scram"
local tables = require "bide.text.tables"
local tcp = require "bide.tcp"
local tls = require "bide.tls"

---Its function in `bide`.
---@class bide
---@field kafka fun(options: bide.kafka.Options): bide.kafka.Result

local PORT, TIMEOUT = 9092, 10
local LONGEST = 4 * 1024 * 1024 -- bytes of an answer

---The options. An unknown one, or one of the wrong type, raises an error.
---@class bide.kafka.Options
---@field host string a name or an address
---@field port? integer|string 9092 by default
---@field user? string
---@field password? string
---@field mechanism? "PLAIN"|"SCRAM-SHA-256"|"SCRAM-SHA-512" of SASL; by default the best one that the broker takes, PLAIN
---only over TLS that is verified
---@field topic? string to ask for
---@field tls? bide.tls.Options speaks TLS; `{}` for its defaults
---@field timeout? number seconds for all of it, 10 by default, and at most the time left to a wait

---@class bide.kafka.Result
---@field brokers { id: integer, host: string, port: integer }[] those that take part now
---@field cluster? string its id
---@field topic? bide.kafka.Topic if there was a question for one

local topic = { "a string of 1 to 249 bytes", function(value)
  return type(value) == "string" and #value >= 1 and #value <= 249
end }

---The mechanisms of SASL, from the best one, with the digests of SCRAM.
local best_first = { "SCRAM-SHA-512", "SCRAM-SHA-256", "PLAIN" }
local hashes = { ["SCRAM-SHA-512"] = "sha512", ["SCRAM-SHA-256"] = "sha256" }

local kind_of = { host = kinds.text, port = peer_options.port, user = kinds.text, password = kinds.text, topic = topic,
  mechanism = option.one_of(best_first), tls = kinds.table, timeout = kinds.seconds }

-- ---- requests ----------------------------------------------------------------------------------

---A conversation with a broker.
---@class bide.kafka.Session
---@field dialogue bide.peer.Dialogue
---@field number integer of the last request
---@field given bide.kafka.Options
---@field mechanism string? of SASL, which the broker takes
local Session = {}
Session.__index = Session

---The first bytes of an alert of TLS, read as the length of an answer: a longer one than any answer.
local TLS_ALERT = 0x1503

local METADATA, HANDSHAKE, VERSIONS, AUTHENTICATE = 3, 17, 18, 36

---Sends a request, and reads its answer.
---@param key integer of the kind of request
---@param version integer of it
---@param body string
---@return bide.kafka.Reader answer
function Session:ask(key, version, body)
  self.number = self.number + 1
  self.dialogue:ask(string.pack(">s4", string.pack(">i2i2i4s2", key, version, self.number, "bide") .. body))
  local length = string.unpack(">I4", self.dialogue:read(4))
  if length >> 16 == TLS_ALERT then Reader.refuse "a TLS alert: the broker requires TLS" end
  if length < 4 or length > LONGEST then
    Reader.refuse(("an answer of %d bytes"):format(length))
  end
  local reader = Reader.new(read_pieces(self.dialogue, length))
  if reader:int32() ~= self.number then Reader.refuse "another answer" end
  return reader
end

---Raises the error of a number that is not 0.
local function check(code, text)
  if code ~= 0 then fail(metadata.error_name(code), text or ("the broker answered with the error %d"):format(code), code) end
end

---Asks which requests the broker knows, and in which versions.
---@return table<integer, { first: integer, last: integer }>
function Session:versions()
  local answer = self:ask(VERSIONS, 0, "")
  check(answer:int16())
  local known = {}
  for _ = 1, answer:count(6) do
    local key, first, last = answer:int16(), answer:int16(), answer:int16()
    known[key] = { first = first, last = last }
  end
  answer:finish()
  return known
end

---@param known table<integer, { first: integer, last: integer }>
local function require_version(known, key, version, name)
  local range = known[key]
  if not range or range.first > version or range.last < version then
    fail("UnsupportedVersion", ("the broker does not know %s in version %d"):format(name, version))
  end
end

local UNSUPPORTED_MECHANISM = 33

---Sends what proves the password, and returns the answer of the broker.
---@param bytes string
---@return string
function Session:authenticate(bytes)
  local answer = self:ask(AUTHENTICATE, 0, string.pack(">s4", bytes))
  local code = answer:int16()
  check(code, answer:text())
  return answer:blob()
end

---Proves the password by SCRAM, and that the broker knows it too.
function Session:prove(hash)
  local nonce = base64.encode(string.pack("<i8i8", core.wait.random_seed(), core.wait.random_seed()))
  local scram = Scram.new(self.given.password or "", nonce, { user = self.given.user, hash = hash })
  local final, mistake = scram:final(self:authenticate(scram:first()))
  if not final then Reader.refuse(mistake) end
  if not scram:is_server(self:authenticate(final)) then Reader.refuse "no proof that the broker knows the password" end
end

---Returns the best mechanism of a list that bide knows, and that was not named otherwise.
local function best_of(list)
  for _, name in ipairs(best_first) do
    if tables.has(list, name) then return name end
  end
end

---Refuses to send the password itself to a broker that may be any, unless the user has named the mechanism.
local function check_trust(mechanism, options)
  if mechanism ~= "PLAIN" or options and options.verify ~= false then return end
  fail("UnsupportedSaslMechanism", "the broker takes no proof of the password, but only the password itself (PLAIN): "
    .. "use TLS, and verify the certificate, or give mechanism=PLAIN")
end

---Logs in by a mechanism. Where the broker takes another one, the next connection tries that: the broker closes this one.
---@return string? other
function Session:log_in(known)
  require_version(known, HANDSHAKE, 1, "SaslHandshake")
  require_version(known, AUTHENTICATE, 0, "SaslAuthenticate")
  local mechanism = self.given.mechanism or self.mechanism or best_first[1]
  local answer, list = self:ask(HANDSHAKE, 1, string.pack(">s2", mechanism)), {}
  local code = answer:int16()
  for position = 1, code == UNSUPPORTED_MECHANISM and answer:count(2) or 0 do list[position] = answer:text() end
  local other = not self.given.mechanism and not self.mechanism and best_of(list)
  if other then
    check_trust(other, self.given.tls)
    return other
  end
  check(code, ("the broker does not take SASL/%s; it takes %s"):format(mechanism,
    list[1] and table.concat(list, ", ") or "none"))
  if hashes[mechanism] then
    self:prove(hashes[mechanism])
  else
    self:authenticate(("\0%s\0%s"):format(self.given.user, self.given.password or ""))
  end
end

---Asks for the mechanisms of SASL, by naming one that there is not. A listener without SASL refuses every name by another
---error.
---@return string[]? mechanisms nil if the broker requires none
function Session:mechanisms()
  local answer, list = self:ask(HANDSHAKE, 0, string.pack(">s2", "")), {}
  if answer:int16() ~= UNSUPPORTED_MECHANISM then return nil end
  for position = 1, answer:count(2) do list[position] = answer:text() end
  return list
end

---@return bide.kafka.Result? result nil if another mechanism has to be tried
function Session:run()
  local known = self:versions()
  self.mechanism = self.given.user and self:log_in(known) or nil
  if self.mechanism then return nil end
  require_version(known, METADATA, metadata.VERSION, "Metadata")
  local result = metadata.read(self:ask(METADATA, metadata.VERSION, metadata.request(self.given.topic)))
  if self.given.topic and (not result.topic or result.topic.name ~= self.given.topic) then
    Reader.refuse "nothing about the topic"
  end
  if result.topic then check(result.topic.code) end
  return result
end

-- ---- the connection ----------------------------------------------------------------------------

---Holds a conversation.
---@param session bide.kafka.Session
---@param talk fun(session: bide.kafka.Session): any
---@param timeout? number
local function hold(session, talk, timeout)
  local given = session.given
  return tcp({ host = given.host, port = given.port or PORT, timeout = timeout, talk = function(dialogue)
    if given.tls then tls.start(dialogue, given.tls) end
    session.dialogue, session.number = dialogue, 0
    return talk(session)
  end }).answer
end

---Raises an error for a broker that closed the connection in place of an answer. It says what the broker may require: SASL
---is certain, TLS is a guess, since a broker in Java sends an alert before it closes.
---@param session bide.kafka.Session
---@param failure { type: string, message: string }
---@param timeout number
local function explain(session, failure, timeout)
  local asked = session.number
  if asked == 1 and not session.given.tls then
    failure.message = failure.message .. "; the broker closed the connection: does it require TLS?"
  elseif asked > 1 and timeout > 0.001 then
    local ok, mechanisms = pcall(hold, session, Session.mechanisms, timeout)
    if not ok and type(mechanisms) ~= "table" then error(mechanisms, 0) end
    if ok and mechanisms then
      fail("SaslRequired", ("the broker requires a user (SASL: %s)"):format(table.concat(mechanisms, ", ")))
    end
  end
  error(failure, 0)
end

---The errors by which a dialogue says that the connection was closed.
local closed = { UnexpectedAnswer = true, ConnectionReset = true }

---Returns the seconds that are left.
local function left_of(given, began)
  return math.max((given.timeout or TIMEOUT) - (core.loop.update() - began) / 1000, 0.001)
end

---@param given bide.kafka.Options
---@return bide.kafka.Result
return function(given)
  local mistake = option.check(given, kind_of, { "host" }) or given.tls and tls.mistake(given.tls)
  if mistake then error("bide.kafka: " .. mistake, 2) end
  local session, began = setmetatable({ number = 0, given = given }, Session), core.loop.now()
  local ok, result = pcall(hold, session, Session.run, given.timeout)
  if ok and session.mechanism then ok, result = pcall(hold, session, Session.run, left_of(given, began)) end
  if ok then return result end
  if given.user or type(result) ~= "table" or not closed[result.type] then error(result, 0) end
  explain(session, result, left_of(given, began))
end
