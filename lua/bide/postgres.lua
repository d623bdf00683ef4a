---Connects to PostgreSQL, by its own protocol (version 3).
---
---    local postgres = require "bide.postgres"
---    postgres { host = "db" }                                                             --> { answer = "passwordWanted" }
---    postgres { host = "db", user = "app", password = password, database = "shop" }       --> { answer = "ready", … }
---
---A server that is starting, recovering or shutting down refuses before it asks for a password, so none is needed to
---find that out. A password is proved by SCRAM-SHA-256, the server's default, and is never sent. Closes the connection
---when the call ends. If PostgreSQL refuses, raises an operation error whose type is the SQLSTATE: 57P03 while it starts,
---28P01 for a wrong password, 3D000 for a database that does not exist, 28000 for a role that may not connect. Raises
---the operation errors of bide.tcp, and these:
---
---    InvalidAnswer           the server does not speak the protocol, or does not know the password itself
---    UnknownAuthentication   the server requires another proof than SCRAM-SHA-256

local kinds = require("bide.option").kinds
local Scram = require "bide.peer.scram"
local new_token = require("bide.operation").new_token
local option = require "bide.option"
local peer_options = require "bide.peer.options"
local tcp = require "bide.tcp"

---Its function in `bide`.
---@class bide
---@field postgres fun(options: bide.postgres.Options): bide.postgres.Result

local PORT, VERSION = 5432, 3 << 16
local LONGEST = 32 * 1024 -- bytes of a message

---The options. An unknown one, or one of the wrong type, raises an error.
---@class bide.postgres.Options
---@field host string a name or an address
---@field port? integer|string 5432 by default
---@field user? string "postgres" by default
---@field password? string
---@field database? string named as the user by default
---@field timeout? number seconds for all of it, 10 by default, and at most the time left to a wait

---@class bide.postgres.Result
---@field answer "ready"|"passwordWanted" ready if the server takes queries
---@field version? string "15.18", if it is ready

local name = { "a string without NUL bytes", function(value)
  return type(value) == "string" and not value:find("\0", 1, true)
end }

local kind_of = { host = kinds.text, port = peer_options.port, user = name, database = name,
  password = kinds.text, timeout = kinds.seconds }

local function fail(type_of_error, message)
  error({ type = type_of_error, message = message }, 0)
end

---Returns the first message, which has no letter before its length.
local function write_startup(user, database)
  local body = string.pack(">I4zzzzzz", VERSION, "user", user, "database", database, "application_name", "bide") .. "\0"
  return string.pack(">I4", #body + 4) .. body
end

---@param kind string a letter
local function write(kind, body)
  return kind .. string.pack(">I4", #body + 4) .. body
end

---@return string kind a letter
---@return string body
local function read_message(dialogue)
  local kind, length = string.unpack(">c1I4", dialogue:read(5))
  if not kind:find("[RSKNEZv]") or length < 4 or length > LONGEST then
    fail("InvalidAnswer", "this is not the protocol of PostgreSQL")
  end
  return kind, dialogue:read(length - 4)
end

---Raises the error that a message contains: its fields, a letter before each.
local function refuse(body)
  local fields = {}
  for letter, text in body:gmatch("(%a)([^\0]*)\0") do fields[letter] = fields[letter] or text end
  fail(fields.C or "InvalidAnswer", fields.M or "an error without a message")
end

local DONE, SASL, SASL_CONTINUE, SASL_FINAL = 0, 10, 11, 12
local MECHANISM = "SCRAM-SHA-256"

---The steps of authentication, by the server's numbers. Once SCRAM has begun, the server is trusted only after it has
---proved that it knows the password too.
local steps = {
  [DONE] = function(session)
    if session.scram and not session.proven then fail("InvalidAnswer", "the server does not know the password itself") end
    session.accepted = true
  end,
  [SASL] = function(session, mechanisms)
    if not mechanisms:find(MECHANISM .. "\0", 1, true) then
      fail("UnknownAuthentication", "the server does not know " .. MECHANISM)
    end
    session.scram = Scram.new(session.password, new_token())
    session.dialogue:send(write("p", string.pack(">zs4", MECHANISM, session.scram:first())))
  end,
  [SASL_CONTINUE] = function(session, answer)
    if not session.scram then fail("InvalidAnswer", "the server does not speak " .. MECHANISM) end
    local final, mistake = session.scram:final(answer)
    if not final then fail("InvalidAnswer", mistake) end
    session.dialogue:send(write("p", final))
  end,
  [SASL_FINAL] = function(session, answer)
    session.proven = session.scram ~= nil and session.scram:is_server(answer)
    if not session.proven then fail("InvalidAnswer", "the server does not know the password itself") end
  end,
}

local function authenticate(session, body)
  local step = #body >= 4 and steps[string.unpack(">I4", body)]
  if not step then fail("UnknownAuthentication", "the server requires another proof than " .. MECHANISM) end
  step(session, body:sub(5))
end

---@return bide.postgres.Result
local function connect(dialogue, user, given)
  local session, result = { dialogue = dialogue, password = given.password }, { answer = "ready" }
  dialogue:send(write_startup(user, given.database or user))
  while true do
    local kind, body = read_message(dialogue)
    if kind == "E" then refuse(body) end
    if kind == "R" and not given.password and body ~= "\0\0\0\0" then return { answer = "passwordWanted" } end
    if kind == "R" then authenticate(session, body) end
    if kind == "S" then result.version = body:match("^server_version\0([^\0]*)") or result.version end
    if kind == "Z" and not session.accepted then fail("InvalidAnswer", "the server is ready, but accepted no user") end
    if kind == "Z" then
      dialogue:send(write("X", ""))
      return result
    end
  end
end

---@param given bide.postgres.Options
---@return bide.postgres.Result
return function(given)
  local mistake = option.check(given, kind_of, { "host" })
  if mistake then error("bide.postgres: " .. mistake, 2) end
  local user = given.user or "postgres"
  return tcp({ host = given.host, port = given.port or PORT, timeout = given.timeout, talk = function(dialogue)
    return connect(dialogue, user, given)
  end }).answer
end
