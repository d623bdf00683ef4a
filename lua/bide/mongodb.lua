---Asks MongoDB what it is, by its own protocol (OP_MSG): the command hello, or isMaster where a server is too old for it.
---With a user, it then logs in on a server that takes work.
---
---    local mongodb = require "bide.mongodb"
---    mongodb { host = "db" }                            --> { state = "standalone", wireVersion = 21, … }
---    mongodb { host = "db", tls = { ca = "ca.pem" } }   --> { state = "secondary", set = "rs0", primary = "db1:27017", … }
---
---    mongodb { host = "db", user = "app", password = password }
---
---The command needs no user. A password is proved by SCRAM-SHA-256, or SCRAM-SHA-1 for a user that has only that, and the
---server has to prove that it knows it, too. Where no password is proved, a ping follows, whatever the answer to it: a program
---that sends its greeting to everybody does not answer it. Closes the connection when the call ends.
---
---If MongoDB refuses, raises an operation error whose type is the name of its error (`codeName`), or `ServerError`. Raises
---the operation errors of bide.tcp and bide.tls, and this one:
---
---    InvalidAnswer    the server does not speak the protocol, or has not proved that it knows the password

local bson = require "bide.probe.mongodb.bson"
local fail = require "bide.text.fail"
local kinds = require("bide.text.option").kinds
local log_in = require "bide.probe.mongodb.login"
local option = require "bide.text.option"
local protocol = require "bide.probe.peer.protocol"

---Its function in `bide`.
---@class bide
---@field mongodb fun(options: bide.mongodb.Options): bide.mongodb.Result

local LONGEST = 48 * 1024 -- bytes of an answer

---The options. An unknown one, or one of the wrong type, raises an error.
---@class bide.mongodb.Options
---@field host string a name or an address
---@field port? integer|string 27017 by default
---@field user? string
---@field password? string
---@field database? string that has the user; admin by default
---@field mechanism? "SCRAM-SHA-1"|"SCRAM-SHA-256" by default the better one that the user has
---@field tls? bide.tls.Options speaks TLS; `{}` for its defaults
---@field timeout? number seconds for all of it, 10 by default, and at most the time left to a wait

---@class bide.mongodb.Result
---@field state "standalone"|"primary"|"secondary"|"leaderless"|"router"|"arbiter"|"uninitialized"|"other" "leaderless" for
---a secondary that knows no primary; "uninitialized" before its replica set is made, or after its removal from it; "other"
---for a member that starts or recovers
---@field set? string the name of the replica set
---@field primary? string its primary, HOST:PORT, if the server knows one
---@field hosts? string[] the members of the set
---@field wireVersion? integer of the protocol, which grows with the server's version

-- ---- messages ----------------------------------------------------------------------------------

local MESSAGE, HEADER = 2013, 16
local CHECKSUM = 1 -- the bit that says that four bytes follow the document
local REQUIRED = 0xFFFF -- bits that say how to read the answer, known or not

---@param number integer of the request
---@param members table[] of the command
local function send(dialogue, number, members)
  local body = string.pack("<I4B", 0, 0) .. bson.write(members)
  dialogue:ask(string.pack("<i4i4i4i4", HEADER + #body, number, 0, MESSAGE) .. body)
end

---@param number integer of the request
---@return table document
local function read(dialogue, number)
  local length, _, request, operation = string.unpack("<i4i4i4i4", dialogue:read(HEADER))
  if operation ~= MESSAGE or request ~= number then bson.refuse "an answer to another request" end
  if length < HEADER + 10 or length > LONGEST then bson.refuse("an answer of " .. length .. " bytes") end
  local flags, section, at = string.unpack("<I4B", dialogue:read(5))
  if section ~= 0 then bson.refuse "an answer without a document" end
  if flags & REQUIRED & ~CHECKSUM ~= 0 then bson.refuse(("an answer with the flags 0x%04X"):format(flags & REQUIRED)) end
  local document = dialogue:read(length - HEADER - at + 1)
  return bson.read(flags & CHECKSUM ~= 0 and document:sub(1, -5) or document)
end

-- ---- hello -------------------------------------------------------------------------------------

---@param answer table of a command
---@return table answer
local function check(answer)
  if answer.ok == 1 then return answer end
  local code = answer.codeName
  fail(type(code) == "string" and code or "ServerError",
    type(answer.errmsg) == "string" and answer.errmsg or "an error without a message")
end

---The number of the error CommandNotFound, and how servers say it that have no numbers.
local NOT_FOUND, NO_SUCH = 59, "no such c"

local function is_unknown(answer)
  return answer.ok ~= 1 and (answer.code == NOT_FOUND or type(answer.errmsg) == "string"
    and answer.errmsg:find(NO_SUCH, 1, true) ~= nil)
end

---Returns a function that sends a command and reads its answer.
local function asking(dialogue)
  local number = 0
  return function(members)
    number = number + 1
    send(dialogue, number, members)
    return read(dialogue, number)
  end
end

---@param ask fun(members: table[]): table
---@param user string? whose proofs are asked for: `admin.app`
---@return table answer
local function greet(ask, user)
  local answer
  for _, command in ipairs { "hello", "isMaster" } do
    answer = ask(user and { { command, 1 }, { "saslSupportedMechs", user }, { "$db", "admin" } }
      or { { command, 1 }, { "$db", "admin" } })
    if not is_unknown(answer) then break end
  end
  return check(answer)
end

local function typed(value, kind)
  return type(value) == kind and value or nil
end

local function is_writable(answer)
  return answer.isWritablePrimary == true or answer.ismaster == true
end

---Returns the primary that a server names. A member that was elected just now names itself before it accepts writes.
---@param answer table
---@return string?
local function primary_of(answer)
  local primary = typed(answer.primary, "string")
  return (primary ~= answer.me or is_writable(answer)) and primary or nil
end

---@param answer table
---@return string
local function state_of(answer)
  if answer.msg == "isdbgrid" then return "router" end
  if is_writable(answer) then return type(answer.setName) == "string" and "primary" or "standalone" end
  if answer.isreplicaset == true then return "uninitialized" end
  if answer.secondary == true then return primary_of(answer) and "secondary" or "leaderless" end
  return answer.arbiterOnly == true and "arbiter" or "other"
end

---@return string[]?
local function texts(value)
  local list = {}
  for _, text in ipairs(typed(value, "table") or {}) do list[#list + 1] = typed(text, "string") end
  return list[1] and list
end

---The states of a server that has users: an arbiter has none, and a member that is not in its set yet has no data.
local has_users = { standalone = true, primary = true, secondary = true, router = true }

---@param given bide.mongodb.Options
---@return bide.mongodb.Result
local function talk(dialogue, given)
  local ask, database = asking(dialogue), given.database or "admin"
  local answer = greet(ask, given.user and ("%s.%s"):format(database, given.user))
  local state = state_of(answer)
  if given.user and has_users[state] then
    log_in(function(members) return check(ask(members)) end, given, database, texts(answer.saslSupportedMechs))
  else
    ask { { "ping", 1 }, { "$db", "admin" } }
  end
  return {
    state = state, set = typed(answer.setName, "string"), primary = primary_of(answer),
    hosts = texts(answer.hosts), wireVersion = math.tointeger(typed(answer.maxWireVersion, "number")),
  }
end

local mechanism = option.one_of { "SCRAM-SHA-1", "SCRAM-SHA-256" }

return protocol {
  name = "bide.mongodb",
  port = 27017,
  options = { user = kinds.text, password = kinds.text, database = kinds.text, mechanism = mechanism },
  talk = talk,
}
