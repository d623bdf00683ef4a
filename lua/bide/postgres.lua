---Connects to PostgreSQL as far as that goes without a password, by its own protocol (version 3).
---
---    local postgres = require "bide.postgres"
---    postgres { host = "db", user = "app", database = "shop" }       --> { answer = "passwordWanted" }
---
---A server that is starting, recovering or shutting down refuses before it asks who is there, so that a password is not
---needed to know that it is not. The connection is closed when the call is over. What PostgreSQL refuses is raised as an
---operation error whose type is its SQLSTATE: 57P03 while it starts, 3D000 for a database that does not exist, 28000 for a
---role that may not connect; what bide.tcp raises is raised as well, and
---
---    InvalidAnswer       who listens there does not speak as PostgreSQL does

local kinds = require("bide.option").kinds
local option = require "bide.option"
local peer_options = require "bide.peer.options"
local tcp = require "bide.tcp"

local PORT, VERSION = 5432, 3 << 16
local LONGEST = 32 * 1024 -- bytes of a message

---Unknown options and wrong types raise.
---@class bide.postgres.Options
---@field host string a name or an address
---@field port? integer|string 5432 otherwise
---@field user? string "postgres" otherwise
---@field database? string named as the user otherwise
---@field timeout? number seconds for all of it, 10 otherwise; the time left to a wait caps it

---@class bide.postgres.Result
---@field answer "ready"|"passwordWanted" ready where it takes queries without a password, or another proof
---@field version? string "15.18", where it is ready

local name = { "a text without NUL bytes", function(value) return type(value) == "string" and not value:find("\0", 1, true) end }

local kind_of = { host = kinds.text, port = peer_options.port, user = name, database = name, timeout = kinds.seconds }

local function fail(type_of_error, message)
  error({ type = type_of_error, message = message }, 0)
end

---The first message, which has no letter in front of its length.
local function write_startup(user, database)
  local body = string.pack(">I4zzzzzz", VERSION, "user", user, "database", database, "application_name", "bide") .. "\0"
  return string.pack(">I4", #body + 4) .. body
end

local TERMINATE = "X" .. string.pack(">I4", 4)

---@return string kind a letter
---@return string body
local function read_message(dialogue)
  local kind, length = string.unpack(">c1I4", dialogue:read(5))
  if not kind:find("[RSKNEZv]") or length < 4 or length > LONGEST then
    fail("InvalidAnswer", "this does not speak as PostgreSQL does")
  end
  return kind, dialogue:read(length - 4)
end

---The fields of an error, a letter before each.
local function refuse(body)
  local fields = {}
  for letter, text in body:gmatch("(%a)([^\0]*)\0") do fields[letter] = fields[letter] or text end
  fail(fields.C or "InvalidAnswer", fields.M or "an error without a message")
end

---@return bide.postgres.Result
local function connect(dialogue, user, database)
  dialogue:send(write_startup(user, database))
  local result = { answer = "ready" }
  while true do
    local kind, body = read_message(dialogue)
    if kind == "E" then refuse(body) end
    if kind == "R" and body ~= "\0\0\0\0" then return { answer = "passwordWanted" } end
    if kind == "S" then result.version = body:match("^server_version\0([^\0]*)") or result.version end
    if kind == "Z" then
      dialogue:send(TERMINATE)
      return result
    end
  end
end

local function check(given)
  if type(given) ~= "table" then return "the options must be a table, and are " .. option.describe(given) end
  return option.check(given, kind_of) or given.host == nil and "the option 'host' is missing" or nil
end

---@param given bide.postgres.Options
---@return bide.postgres.Result
return function(given)
  local mistake = check(given)
  if mistake then error("bide.postgres: " .. mistake, 2) end
  local user = given.user or "postgres"
  return tcp({ host = given.host, port = given.port or PORT, timeout = given.timeout, talk = function(dialogue)
    return connect(dialogue, user, given.database or user)
  end }).answer
end
