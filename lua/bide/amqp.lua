---Opens a virtual host of a broker by AMQP 0-9-1 (RabbitMQ and others), and may ask for a queue.
---
---    local amqp = require "bide.amqp"
---    amqp { host = "bus" }                                                  --> { answer = "ready", product = "RabbitMQ", … }
---    amqp { host = "bus", user = "app", password = password, vhost = "shop", queue = "jobs" }
---                                                        --> { answer = "ready", messages = 0, consumers = 1, … }
---    amqp { host = "bus", port = 5671, tls = { ca = "ca.pem" } }
---
---Without a user, bide logs in as guest; if the broker refuses that, it is ready and the answer is "credentialsWanted",
---unless a virtual host or a queue was asked for: a broker that refuses guest says nothing about them. The password is
---sent (PLAIN): use TLS. Closes the connection when the call ends.
---
---If the broker refuses, raises an operation error with its number in `code`: `AccessRefused` for wrong credentials,
---`NotAllowed` for a virtual host that does not exist, `NotFound` for a queue that does not exist, `QueueUnavailable` for
---one whose node is down, `ResourceLocked` for one that belongs to another connection, `ConnectionForced` while it ends,
---and `ServerError` for anything else. Raises the operation errors of bide.tcp and bide.tls, and these:
---
---    InvalidAnswer            the server does not speak the protocol
---    UnknownAuthentication    the broker does not take PLAIN

local fail = require "bide.text.fail"
local kinds = require("bide.text.option").kinds
local protocol = require "bide.probe.peer.protocol"
local values = require "bide.probe.amqp.values"

---Its function in `bide`.
---@class bide
---@field amqp fun(options: bide.amqp.Options): bide.amqp.Result

local LONGEST = 48 * 1024 -- bytes of a frame

---The options. An unknown one, or one of the wrong type, raises an error.
---@class bide.amqp.Options
---@field host string a name or an address
---@field port? integer|string 5672 by default
---@field user? string
---@field password? string
---@field vhost? string "/" by default
---@field queue? string to ask for
---@field tls? bide.tls.Options speaks TLS; `{}` for its defaults
---@field timeout? number seconds for all of it, 10 by default, and at most the time left to a wait

---@class bide.amqp.Result
---@field answer "ready"|"credentialsWanted"
---@field product? string
---@field version? string
---@field messages? integer that are ready in the queue
---@field consumers? integer of the queue

local name = { "a string of at most 255 bytes", function(value) return type(value) == "string" and #value <= 255 end }

-- ---- frames ------------------------------------------------------------------------------------

local METHOD, HEARTBEAT, END = 1, 8, 0xCE

local CONNECTION = 10 -- the class whose methods have no channel of their own

---Numbers of the methods: class and method.
local START, START_OK, SECURE, TUNE, TUNE_OK = 0x000A000A, 0x000A000B, 0x000A0014, 0x000A001E, 0x000A001F
local OPEN, OPEN_OK, CLOSE = 0x000A0028, 0x000A0029, 0x000A0032
local CHANNEL_OPEN, CHANNEL_OPEN_OK, CHANNEL_CLOSE = 0x0014000A, 0x0014000B, 0x00140028
local DECLARE, DECLARE_OK = 0x0032000A, 0x0032000B

---@param channel integer
---@param method integer
---@param arguments string
---@return string
local function frame_of(channel, method, arguments)
  return string.pack(">BI2s4B", METHOD, channel, string.pack(">I4", method) .. arguments, END)
end

---Sends a method. A broker says nothing by itself, since this client wants no heartbeat.
---@param channel integer
---@param method integer
---@param arguments string
local function send(dialogue, channel, method, arguments)
  dialogue:ask(frame_of(channel, method, arguments))
end

---@return string payload of the next method
---@return integer channel
local function read_frame(dialogue)
  while true do
    local kind, channel, length = string.unpack(">BI2I4", dialogue:read(7))
    if kind ~= METHOD and kind ~= HEARTBEAT then values.refuse "no frame of a method" end
    if length > LONGEST then values.refuse("a frame of " .. length .. " bytes") end
    local frame = dialogue:read(length + 1)
    if frame:byte(-1) ~= END then values.refuse "a frame without an end" end
    if kind == METHOD then return frame:sub(1, -2), channel end
  end
end

---The words of RabbitMQ and LavinMQ when a queue does not exist. RabbitMQ has one number, 404, for that, for a queue
---whose node is down, and for one that does not answer in time.
local NO_QUEUE = "not_found - no queue '%s'"
local NOT_FOUND = 404

local LONGEST_TEXT = 252 -- bytes of an error's text, after which RabbitMQ writes "..."

---Reports whether the broker closed the channel since it has no queue of that name.
---@param reader bide.amqp.Reader of what follows the text
---@param method integer
---@param text string
---@param queue? string
local function is_missing(reader, method, text, queue)
  local words = queue and NO_QUEUE:format(queue):sub(1, LONGEST_TEXT):lower()
  return words and method == CHANNEL_CLOSE and reader:uint32() == DECLARE and text:sub(1, #words):lower() == words
end

---The names of the errors that matter to a wait, by their numbers.
local names = { [311] = "ContentTooLarge", [320] = "ConnectionForced", [402] = "InvalidPath", [403] = "AccessRefused",
  [404] = "NotFound", [405] = "ResourceLocked", [530] = "NotAllowed" }

---Reads a method, and raises the error that it may be.
---@param wanted integer
---@param other? integer a method that may come as well
---@param queue? string that was asked for
---@return bide.amqp.Reader arguments
---@return integer method
local function read(dialogue, wanted, other, queue)
  local frame, channel = read_frame(dialogue)
  local reader = values.reader(frame)
  local method = reader:uint32()
  if channel ~= (method >> 16 == CONNECTION and 0 or 1) then values.refuse("a method of the channel " .. channel) end
  if method == wanted or method == other then return reader, method end
  if method ~= CLOSE and method ~= CHANNEL_CLOSE then values.refuse(("the method 0x%08X"):format(method)) end
  local code, text = reader:uint16(), reader:short_text()
  if code == NOT_FOUND and not is_missing(reader, method, text, queue) then fail("QueueUnavailable", text, code) end
  fail(names[code] or "ServerError", text, code)
end

-- ---- the handshake -----------------------------------------------------------------------------

---Greets the broker, and returns what it says about itself.
local function greet(dialogue)
  dialogue:ask "AMQP\0\0\9\1"
  local reader = read(dialogue, START)
  reader:take(2)
  local about, mechanisms = reader:table(), " " .. reader:long_text() .. " "
  if not mechanisms:find(" PLAIN ", 1, true) then fail("UnknownAuthentication", "the broker does not take PLAIN") end
  return about
end

---Makes a broker that refuses credentials say so; it would close without a word otherwise.
local capabilities = { { "authentication_failure_close", true } }

---@param given bide.amqp.Options
local function log_in(dialogue, given)
  local proof = ("\0%s\0%s"):format(given.user or "guest", given.password or given.user and "" or "guest")
  local about = values.table { { "product", "bide" }, { "capabilities", capabilities } }
  send(dialogue, 0, START_OK, about .. string.pack(">s1s4s1", "PLAIN", proof, "en_US"))
  local reader, method = read(dialogue, TUNE, SECURE)
  if method == SECURE then fail("UnknownAuthentication", "the broker asks for more than PLAIN") end
  dialogue:ask(frame_of(0, TUNE_OK, string.pack(">I2I4I2", reader:uint16(), reader:uint32(), 0))
    .. frame_of(0, OPEN, string.pack(">s1s1B", given.vhost or "/", "", 0)))
  read(dialogue, OPEN_OK)
end

local PASSIVE = 1 -- asks for a queue, and makes none

---@return integer messages
---@return integer consumers
local function find_queue(dialogue, queue)
  send(dialogue, 1, CHANNEL_OPEN, "\0")
  read(dialogue, CHANNEL_OPEN_OK)
  send(dialogue, 1, DECLARE, string.pack(">I2s1B", 0, queue, PASSIVE) .. values.table {})
  local reader = read(dialogue, DECLARE_OK, nil, queue)
  local about, messages, consumers = reader:short_text(), reader:uint32(), reader:uint32()
  if about ~= queue or reader:left() > 0 then values.refuse "the answer about another queue" end
  return messages, consumers
end

local REFUSED = "AccessRefused"

---@return boolean is_in
local function try_log_in(dialogue, given)
  if given.user or given.queue or given.vhost then
    log_in(dialogue, given)
    return true
  end
  local ok, failure = pcall(log_in, dialogue, given)
  if not ok and (type(failure) ~= "table" or failure.type ~= REFUSED) then error(failure, 0) end
  return ok
end

local function text(value)
  return type(value) == "string" and value or nil
end

---@param given bide.amqp.Options
---@return bide.amqp.Result
local function talk(dialogue, given)
  local about = greet(dialogue)
  local result = { answer = "ready", product = text(about.product), version = text(about.version) }
  if not try_log_in(dialogue, given) then
    result.answer = "credentialsWanted"
    return result
  end
  if given.queue then result.messages, result.consumers = find_queue(dialogue, given.queue) end
  send(dialogue, 0, CLOSE, string.pack(">I2s1I2I2", 200, "bye", 0, 0))
  return result
end

return protocol {
  name = "bide.amqp",
  port = 5672,
  options = { user = kinds.text, password = kinds.text, vhost = name, queue = name },
  is_absent = function(failure) return type(failure) == "table" and failure.type == "NotFound" end,
  talk = talk,
}
