---Asks a Kafka broker for what it knows of the cluster, by its own protocol.
---
---    local kafka = require "bide.kafka"
---    kafka { host = "broker" }                      --> { brokers = { { id = 1, host = "broker", port = 9092 } }, … }
---    kafka { host = "broker", topic = "orders" }    --> { topic = { partitions = 6, leaderless = 0, … }, … }
---    kafka { host = "broker", port = 9093, user = "app", password = password, tls = { ca = "ca.pem" } }
---
---Never makes a topic. A password is proved by SASL/PLAIN, which sends it: use TLS. Works with Kafka 0.11 and later.
---Closes the connection when the call ends.
---
---If the broker refuses, raises an operation error: `SaslAuthenticationFailed`, `TopicAuthorizationFailed`,
---`LeaderNotAvailable`, or `KafkaError` with the number in `code`. Raises the operation errors of bide.tcp and bide.tls,
---and these:
---
---    InvalidAnswer         the server does not speak the protocol
---    UnsupportedVersion    the broker is too old, or knows no SASL/PLAIN

local kinds = require("bide.option").kinds
local metadata = require "bide.kafka.metadata"
local Reader = require "bide.kafka.reader"
local option = require "bide.option"
local peer_options = require "bide.peer.options"
local tcp = require "bide.tcp"
local tls = require "bide.tls"

---Its function in `bide`.
---@class bide
---@field kafka fun(options: bide.kafka.Options): bide.kafka.Result

local PORT = 9092
local LONGEST = 4 * 1024 * 1024 -- bytes of an answer
local PIECE = 64 * 1024 -- bytes that a dialogue reads at a time

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

local function fail(type_of_error, message, code)
  error({ type = type_of_error, message = message, code = code }, 0)
end

-- ---- requests ----------------------------------------------------------------------------------

---A conversation with a broker.
---@class bide.kafka.Session
---@field dialogue bide.peer.Dialogue
---@field number integer of the last request
---@field given bide.kafka.Options
local Session = {}
Session.__index = Session

local METADATA, HANDSHAKE, VERSIONS, AUTHENTICATE = 3, 17, 18, 36

local function read_pieces(dialogue, count)
  local pieces = {}
  while count > 0 do
    local piece = dialogue:read(math.min(count, PIECE))
    pieces[#pieces + 1], count = piece, count - #piece
  end
  return table.concat(pieces)
end

---Sends a request, and reads its answer.
---@param key integer of the kind of request
---@param version integer of it
---@param body string
---@return bide.kafka.Reader answer
function Session:ask(key, version, body)
  self.number = self.number + 1
  self.dialogue:send(string.pack(">s4", string.pack(">i2i2i4s2", key, version, self.number, "bide") .. body))
  local length = string.unpack(">I4", self.dialogue:read(4))
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

---@return bide.kafka.Result
function Session:run()
  local known = self:versions()
  if self.given.user then self:log_in(known) end
  require_version(known, METADATA, metadata.VERSION, "Metadata")
  local result = metadata.read(self:ask(METADATA, metadata.VERSION, metadata.request(self.given.topic)))
  if result.topic then check(result.topic.code) end
  return result
end

---@param given bide.kafka.Options
---@return bide.kafka.Result
return function(given)
  local mistake = option.check(given, kind_of, { "host" }) or given.tls and tls.mistake(given.tls)
  if mistake then error("bide.kafka: " .. mistake, 2) end
  return tcp({ host = given.host, port = given.port or PORT, timeout = given.timeout, talk = function(dialogue)
    if given.tls then tls.start(dialogue, given.tls) end
    return setmetatable({ dialogue = dialogue, number = 0, given = given }, Session):run()
  end }).answer
end
