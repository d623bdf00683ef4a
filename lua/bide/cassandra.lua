---Connects to Cassandra, or another server of CQL, by the native protocol (version 4).
---
---    local cassandra = require "bide.cassandra"
---    cassandra { host = "db" }                                      --> { answer = "ready", cqlVersion = "3.4.6", … }
---    cassandra { host = "db", user = "app", password = password }
---    cassandra { host = "db", tls = { ca = "ca.pem" } }
---
---Cassandra opens its port once it takes part in the ring, and then starts a session. Without a user, a server that asks
---for a password is ready: the answer is "passwordWanted". The password is sent (PLAIN): use TLS. Closes the connection
---when the call ends.
---
---If the server refuses, raises an operation error with its number in `code`: `BadCredentials`, `Overloaded`,
---`IsBootstrapping`, `ProtocolError`, and `ServerError` for anything else. Raises the operation errors of bide.tcp and
---bide.tls, and these:
---
---    InvalidAnswer            the server does not speak the protocol
---    UnknownAuthentication    the server asks for more than a password

local fail = require "bide.text.fail"
local kinds = require("bide.text.option").kinds
local protocol = require "bide.probe.peer.protocol"
local reader = require "bide.probe.peer.reader"

---Its function in `bide`.
---@class bide
---@field cassandra fun(options: bide.cassandra.Options): bide.cassandra.Result

local LONGEST = 32 * 1024 -- bytes of a body

---The options. An unknown one, or one of the wrong type, raises an error.
---@class bide.cassandra.Options
---@field host string a name or an address
---@field port? integer|string 9042 by default
---@field user? string
---@field password? string
---@field tls? bide.tls.Options speaks TLS; `{}` for its defaults
---@field timeout? number seconds for all of it, 10 by default, and at most the time left to a wait

---@class bide.cassandra.Result
---@field answer "ready"|"passwordWanted"
---@field cqlVersion? string the last one that the server names

local fail_of_answer = reader.refusal "Cassandra"

-- ---- frames ------------------------------------------------------------------------------------

local REQUEST, RESPONSE = 4, 0x84
local ERROR, STARTUP, READY, AUTHENTICATE, OPTIONS, SUPPORTED = 0, 1, 2, 3, 5, 6
local CHALLENGE, PROOF, ACCEPTED = 14, 15, 16

---The names of the errors that matter to a wait, by their numbers.
local names = { [0x000A] = "ProtocolError", [0x0100] = "BadCredentials", [0x1001] = "Overloaded",
  [0x1002] = "IsBootstrapping" }

---@class bide.cassandra.Reader: bide.peer.Reader
local Reader = reader.class(fail_of_answer, { count = ">I2", code = ">i4" })

---@return string
function Reader:text()
  return self:take(self:count())
end

---Raises the error that a body holds.
local function refuse(body)
  local answer = Reader.new(body)
  local code = answer:code()
  fail(names[code] or "ServerError", answer:text(), code)
end

---Sends a request, and reads its answer; raises the error that it may be.
---@param operation integer
---@param body string
---@return integer operation
---@return string body
local function ask(dialogue, operation, body)
  dialogue:ask(string.pack(">BBi2Bs4", REQUEST, 0, 0, operation, body))
  local version, flags, stream, answer, length = string.unpack(">BBi2BI4", dialogue:read(9))
  -- A server that knows other versions refuses in one of its own.
  if version < RESPONSE - 1 or version > RESPONSE + 2 then fail_of_answer("version " .. version) end
  if length > LONGEST then fail_of_answer("an answer of " .. length .. " bytes") end
  local found = dialogue:read(length)
  if flags ~= 0 then fail_of_answer("the flags " .. flags) end
  if answer == ERROR then refuse(found) end
  if version ~= RESPONSE then fail_of_answer("version " .. version) end
  if stream ~= 0 then fail_of_answer "an answer to another request" end
  return answer, found
end

-- ---- the session -------------------------------------------------------------------------------

---Reads lists of texts by their names.
---@param body string
---@return table<string, string[]>
local function read_lists(body)
  local answer, lists = Reader.new(body), {}
  for _ = 1, answer:count() do
    local name, list = answer:text(), {}
    for position = 1, answer:count() do list[position] = answer:text() end
    lists[name] = list
  end
  if answer:left() > 0 then fail_of_answer "bytes after the lists" end
  return lists
end

---@return string? version the last that the server names
local function ask_for_version(dialogue)
  local operation, body = ask(dialogue, OPTIONS, "")
  if operation ~= SUPPORTED then fail_of_answer("the answer " .. operation .. " to OPTIONS") end
  local versions = read_lists(body).CQL_VERSION or {}
  return versions[#versions]
end

---@param given bide.cassandra.Options
local function prove(dialogue, given)
  local proof = ("\0%s\0%s"):format(given.user, given.password or "")
  local operation = ask(dialogue, PROOF, string.pack(">s4", proof))
  if operation == CHALLENGE then fail("UnknownAuthentication", "the server asks for more than a password") end
  if operation ~= ACCEPTED then fail_of_answer("the answer " .. operation .. " to a password") end
end

---@param given bide.cassandra.Options
---@return bide.cassandra.Result
local function talk(dialogue, given)
  local version = ask_for_version(dialogue)
  local operation, body = ask(dialogue, STARTUP, string.pack(">I2s2s2", 1, "CQL_VERSION", version or "3.0.0"))
  if operation ~= READY and operation ~= AUTHENTICATE then fail_of_answer("the answer " .. operation .. " to STARTUP") end
  if operation == AUTHENTICATE and Reader.new(body):text() == "" then fail_of_answer "a proof without a name" end
  local result = { answer = "ready", cqlVersion = version }
  if operation == AUTHENTICATE and not given.user then
    result.answer = "passwordWanted"
  elseif operation == AUTHENTICATE then
    prove(dialogue, given)
  end
  return result
end

return protocol {
  name = "bide.cassandra",
  port = 9042,
  options = { user = kinds.text, password = kinds.text },
  talk = talk,
}
