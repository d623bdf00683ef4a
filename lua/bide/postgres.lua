---Connects to PostgreSQL, by its own protocol (version 3), and may send a query.
---
---    local postgres = require "bide.postgres"
---    postgres { host = "db" }                                                             --> { answer = "passwordWanted" }
---    postgres { host = "db", user = "app", password = password, database = "shop" }       --> { answer = "ready", … }
---    postgres { host = "/run/postgresql" }                                                -- by its unix socket
---    postgres { host = "db", tls = { ca = "ca.pem" } }                                    -- by TLS, verified
---    postgres { host = "db", query = "SELECT id FROM jobs LIMIT 1" }       --> { answer = "ready", rows = 1, row = … }
---
---Once logged in, a query is sent in any case, SELECT 1 by default: a pooler logs a user in by itself, whether its server
---runs or not. A server that is starting, recovering or shutting down refuses before it asks for a password, so none is
---needed to find that out; a query needs one where the server wants one. A password is proved by SCRAM-SHA-256, the
---server's default, and is never sent; over TLS the proof is bound to the connection, if the server can (-PLUS). Closes
---the connection when the call ends.
---
---If PostgreSQL refuses, raises an operation error whose type is the SQLSTATE: 57P03 while it starts, 28P01 for a wrong
---password, 3D000 for a database that does not exist, 28000 for a role that may not connect. Raises the operation errors
---of bide.tcp and bide.tls, and these:
---
---    InvalidAnswer           the server does not speak the protocol, or does not know the password itself
---    InvalidInput            the query gives no rows, as CREATE TABLE and SET do; the server has carried it out
---    UnknownAuthentication   the server requires another proof than SCRAM-SHA-256

local connection = require "bide.probe.peer.connect"
local encryption = require "bide.probe.postgres.encryption"
local fail = require "bide.text.fail"
local kinds = require("bide.text.option").kinds
local login = require "bide.probe.postgres.login"
local messages = require "bide.probe.postgres.messages"
local option = require "bide.text.option"
local peer_options = require "bide.probe.peer.options"
local read_pieces = require "bide.probe.peer.pieces"
local require_auth = require "bide.probe.postgres.require_auth"
local rows = require "bide.probe.postgres.rows"
local socket = require "bide.probe.postgres.socket"
local unix = require "bide.unix"

---Its function in `bide`.
---@class bide
---@field postgres bide.postgres

---@class bide.postgres
---@overload fun(options: bide.postgres.Options): bide.postgres.Result
local M = {}

---The parameters of TLS that `parameters` may have.
M.parameters = encryption.parameters

local PORT = 5432
local LONGEST, LONGEST_ROW = 32 * 1024, 4 * 1024 * 1024 -- bytes of a message, and of one with a row

---The options. An unknown one, or one of the wrong type, raises an error.
---@class bide.postgres.Options
---@field host string a name, an address, or the folder of a unix socket, "/run/postgresql"
---@field port? integer|string 5432 by default
---@field user? string "postgres" by default
---@field password? string
---@field database? string named as the user by default
---@field sslmode? "disable"|"prefer"|"require"|"verify-ca"|"verify-full" whether TLS is used, and how much of the
---certificate has to be right; by default "verify-full" with `tls`, "prefer" with `parameters`, else "disable". Over a unix
---socket there is none
---@field tls? bide.tls.Options whose files go before those of `parameters`
---@field require_auth? string the proof that the server must ask for, as in libpq: "scram-sha-256", "!none"
---@field parameters? table<string, string> of a URL: require_auth, sslmode, sslrootcert, sslcert, sslkey, sslpassword; others
---are ignored
---@field query? string sent once the user is accepted; SELECT 1 by default, whose row is not in the result
---@field timeout? number seconds for all of it, 10 by default, and at most the time left to a wait

---@class bide.postgres.Result
---@field answer "ready"|"passwordWanted" ready if the server has answered a query
---@field version? string "15.18", if it is ready
---@field rows? integer the number of rows that the query gave
---@field columns? integer the number of their columns
---@field row? table<string, string> the first of them, without the columns that are NULL

local name = { "a string without NUL bytes", function(value)
  return type(value) == "string" and not value:find("\0", 1, true)
end }

local kind_of = { host = kinds.text, port = peer_options.port, user = name, database = name,
  password = kinds.text, query = name, sslmode = option.one_of(encryption.modes), require_auth = kinds.text,
  tls = kinds.table, parameters = kinds.table, timeout = kinds.seconds }

---The letters of messages that may come in the answer to a query.
local WITHIN = "[TDCIZENSAGHW]"

---@return string kind a letter
---@return string body
local function read_message(dialogue)
  local kind, length = string.unpack(">c1I4", dialogue:read(5))
  login.check(kind, length, WITHIN)
  if kind ~= "D" and length > LONGEST then fail("InvalidAnswer", "this is not the protocol of PostgreSQL") end
  if length > LONGEST_ROW then
    fail("InvalidAnswer", ("expected a row of at most %d bytes, found %d: select fewer columns"):format(LONGEST_ROW, length))
  end
  return kind, read_pieces(dialogue, length - 4)
end

---Reports whether messages may come unasked: notifications, errors, notices and parameters. The last one may be a part.
---@param received string
---@return boolean
local function may_come_unasked(received)
  local at = 1
  while received:find("^[AENS]", at) do
    if #received < at + 4 then return true end
    at = at + 1 + string.unpack(">I4", received, at + 1)
  end
  return at > #received
end

---Sends a query, and returns the number of its rows and the first one. What has come before is no answer to it.
---@return { count: integer, row: table<string, string>? }
local function ask(dialogue, query)
  dialogue:ask(messages.query(query), may_come_unasked)
  local found = rows.read(function()
    local kind, body = read_message(dialogue)
    if kind == "E" then login.refuse(body) end
    return kind, body
  end, function(text) fail("InvalidAnswer", "PostgreSQL answered the query with " .. text) end)
  if not found.is_query then
    fail("InvalidInput", "expected a query that gives rows, found a statement without columns")
  end
  return found
end

---The query where the input has none: it proves that a server, and not only a pooler, takes queries.
local PROOF = "SELECT 1"

---Sends the query, or one that proves that the server takes them.
---@param result bide.postgres.Result gets the rows of the query
local function use(dialogue, query, result)
  local found = ask(dialogue, query or PROOF)
  if query then
    result.rows, result.columns, result.row = found.count, found.columns, found.row
  elseif found.count ~= 1 then
    fail("InvalidAnswer", ("PostgreSQL answered %s with %d rows"):format(PROOF, found.count))
  end
end

---The SQLSTATE of a wrong password, and so of a missing one.
local WRONG_PASSWORD = "28P01"

---Says how to give the password that the tools of PostgreSQL find in the environment.
local function hint_of_password()
  return os.getenv "PGPASSWORD" and "; to give that of the environment, write password=@env:PGPASSWORD" or ""
end

---@param request string for a proof
---@return bide.postgres.Result
local function without_password(dialogue, given, request)
  if given.query then fail(WRONG_PASSWORD, "the server requires a password, and there is none" .. hint_of_password()) end
  login.await_challenge(dialogue, request)
  return { answer = "passwordWanted" }
end

---@param given bide.postgres.Options
---@return bide.postgres.Requirement?
---@return string? mistake
local function requirement_of(given)
  return require_auth.read(given.require_auth or given.parameters and given.parameters.require_auth)
end

---@return bide.postgres.Result
local function connect(dialogue, user, given)
  local server, request = login.run(dialogue, { user = user, database = given.database or user, password = given.password,
    application_name = "bide", is_enough = requirement_of(given) })
  if not server then return without_password(dialogue, given, request --[[@as string]]) end
  local result = { answer = "ready", version = server.version }
  use(dialogue, given.query, result)
  dialogue:send(messages.TERMINATE)
  return result
end

---Returns the mistake of options.
---@param given bide.postgres.Options
---@return string? mistake
function M.mistake(given)
  local mistake = option.check(given, kind_of, { "host" })
  if mistake then return mistake end
  local mode, problem = encryption.read(given)
  if not mode then return problem --[[@as string]] end
  local is_enough, wrong = requirement_of(given)
  return not is_enough and "require_auth: " .. wrong or nil
end

local function has_no_row(answer)
  return type(answer) == "table" and answer.rows == 0
end

---@param given bide.postgres.Options
---@return bide.postgres.Result
local function call(_, given)
  local mistake = M.mistake(given)
  if mistake then error("bide.postgres: " .. mistake, 2) end
  local user, port, mode, options = given.user or "postgres", given.port or PORT, encryption.read(given)
  local path = socket(given.host, math.tointeger(tonumber(port)))
  local function talk(dialogue)
    if not path then encryption.start(dialogue, mode, options) end
    return connect(dialogue, user, given)
  end
  if path then return unix({ path = path, timeout = given.timeout, talk = talk }).answer end
  return connection.tcp({ host = given.host, port = math.tointeger(tonumber(port)),
    timeout = peer_options.timeout(given.timeout), is_absent = has_no_row, talk = talk }).answer
end

return setmetatable(M, { __call = call })
