---Asks a Kafka broker for what it knows of the cluster, by its own protocol.
---
---    local kafka = require "bide.kafka"
---    kafka { host = "broker" }                      --> { brokers = { { id = 1, host = "broker", port = 9092 } }, … }
---    kafka { host = "broker", topic = "orders" }    --> { topic = { partitions = 6, leaderless = 0, … }, … }
---    kafka { host = "broker", port = 9093, user = "app", password = password, tls = { ca = "ca.pem" } }
---
---Never makes a topic. A password is proved by SASL/PLAIN, which sends it: use TLS. Works with Kafka 0.11 and later.
---Closes the connection when the call ends. A broker that requires SASL closes it where no user is given; bide then asks
---for the mechanisms over another one.
---
---If the broker refuses, raises an operation error: `SaslAuthenticationFailed`, `TopicAuthorizationFailed`,
---`LeaderNotAvailable`, or `KafkaError` with the number in `code`. Raises the operation errors of bide.tcp and bide.tls,
---and these:
---
---    InvalidAnswer         the server does not speak the protocol, or requires TLS
---    SaslRequired          the broker requires a user
---    UnsupportedVersion    the broker is too old, or knows no SASL/PLAIN

local core = require "bide.core"
local fail = require "bide.text.fail"
local kinds = require("bide.text.option").kinds
local metadata = require "bide.probe.kafka.metadata"
local Reader = require "bide.probe.kafka.reader"
local option = require "bide.text.option"
local peer_options = require "bide.probe.peer.options"
local read_pieces = require "bide.probe.peer.pieces"
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

local kind_of = { host = kinds.text, port = peer_options.port, user = kinds.text, password = kinds.text, topic = topic,
  tls = kinds.table, timeout = kinds.seconds }

-- ---- requests ----------------------------------------------------------------------------------

---A conversation with a broker.
---@class bide.kafka.Session
---@field dialogue bide.peer.Dialogue
---@field number integer of the last request
---@field given bide.kafka.Options
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
  self.dialogue:send(string.pack(">s4", string.pack(">i2i2i4s2", key, version, self.number, "bide") .. body))
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
  return known
end

---@param known table<integer, { first: integer, last: integer }>
local function require_version(known, key, version, name)
  local range = known[key]
  if not range or range.first > version or range.last < version then
    fail("UnsupportedVersion", ("the broker does not know %s in version %d"):format(name, version))
  end
end

---Proves the password, by SASL/PLAIN.
function Session:log_in(known)
  require_version(known, HANDSHAKE, 1, "SaslHandshake")
  require_version(known, AUTHENTICATE, 0, "SaslAuthenticate")
  check(self:ask(HANDSHAKE, 1, string.pack(">s2", "PLAIN")):int16(), "the broker does not take SASL/PLAIN")
  local proof = ("\0%s\0%s"):format(self.given.user, self.given.password or "")
  local answer = self:ask(AUTHENTICATE, 0, string.pack(">s4", proof))
  local code = answer:int16()
  check(code, answer:text())
end

local UNSUPPORTED_MECHANISM = 33

---Asks for the mechanisms of SASL, by naming one that there is not. A listener without SASL refuses every name by another
---error.
---@return string[]? mechanisms nil if the broker requires none
function Session:mechanisms()
  local answer, list = self:ask(HANDSHAKE, 0, string.pack(">s2", "")), {}
  if answer:int16() ~= UNSUPPORTED_MECHANISM then return nil end
  for position = 1, answer:count(2) do list[position] = answer:text() end
  return list
end

---@return bide.kafka.Result
function Session:run()
  local known = self:versions()
  if self.given.user then self:log_in(known) end
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

---Raises what a broker may require that closed the connection in place of an answer. The question of SASL is certain; TLS
---is a guess, since a broker in Java sends an alert before it closes.
---@param session bide.kafka.Session
---@param failure { type: string, message: string }
---@param timeout number
local function explain(session, failure, timeout)
  local asked = session.number
  if asked == 1 and not session.given.tls then
    failure.message = failure.message .. "; the broker closed the connection: does it require TLS?"
  elseif asked > 1 and timeout > 0 then
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

---@param given bide.kafka.Options
---@return bide.kafka.Result
return function(given)
  local mistake = option.check(given, kind_of, { "host" }) or given.tls and tls.mistake(given.tls)
  if mistake then error("bide.kafka: " .. mistake, 2) end
  local session, began = setmetatable({ number = 0, given = given }, Session), core.loop.now()
  local ok, result = pcall(hold, session, Session.run, given.timeout)
  if ok then return result end
  if given.user or type(result) ~= "table" or not closed[result.type] then error(result, 0) end
  explain(session, result, (given.timeout or TIMEOUT) - (core.loop.update() - began) / 1000)
end
