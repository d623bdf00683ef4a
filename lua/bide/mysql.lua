---Connects to MySQL or MariaDB, by their own protocol, and may send a query.
---
---    local mysql = require "bide.mysql"
---    mysql { host = "db" }                                                     --> { answer = "passwordWanted", … }
---    mysql { host = "db", user = "app", password = password }                  --> { answer = "ready", version = "10.11.6" }
---    mysql { host = "db", user = "app", password = password, database = "shop", query = "SELECT id FROM jobs LIMIT 1" }
---                                                                              --> { answer = "ready", rows = 1, row = … }
---
---Without a password and a query, a server that refuses the user is ready: bide asks it as a client does, since a server
---blocks a host whose connections end within the handshake. Proves a password by mysql_native_password or
---caching_sha2_password; what only works with the password itself needs TLS and a certificate that is verified,
---or `insecure`. Once the user is accepted, a query is sent in any case, SELECT 1 by default: a proxy, or a node of a cluster
---that has lost the others, lets a user in and answers no query. Closes the connection when the call ends.
---
---If the server refuses, raises an operation error whose type is the SQLSTATE (28000 for a wrong password, 42000 for an
---unknown database, 08004 for too many connections), with the server's number in `code`. Raises the operation errors of
---bide.tcp and bide.tls, and these:
---
---    InvalidAnswer           the server does not speak the protocol
---    InvalidInput            the query gives no rows, as CREATE TABLE and SET do; the server has carried it out
---    UnknownAuthentication   the server requires another proof, or TLS for it

local authentication = require "bide.probe.mysql.authentication"
local fail = require "bide.text.fail"
local kinds = require("bide.text.option").kinds
local protocol = require "bide.probe.peer.protocol"
local reader = require "bide.probe.peer.reader"
local read_pieces = require "bide.probe.peer.pieces"
local rows = require "bide.probe.mysql.rows"
local tls = require "bide.tls"

---Its function in `bide`.
---@class bide
---@field mysql fun(options: bide.mysql.Options): bide.mysql.Result

local LONGEST, LONGEST_ROW = 32 * 1024, 4 * 1024 * 1024 -- bytes of a packet, and of one in the answer to a query

---The options. An unknown one, or one of the wrong type, raises an error.
---@class bide.mysql.Options
---@field host? string a name or an address
---@field unix? string the path of a unix socket, in place of host and port
---@field port? integer|string 3306 by default
---@field user? string "root" by default
---@field password? string
---@field database? string none by default
---@field query? string sent once the user is accepted; SELECT 1 by default, whose row is not in the result
---@field tls? bide.tls.Options speaks TLS; `{}` for its defaults
---@field insecure? boolean whether a server whose certificate is not verified may get the password itself
---@field timeout? number seconds for all of it, 10 by default, and at most the time left to a wait

---@class bide.mysql.Result
---@field answer "ready"|"passwordWanted" ready if the server has answered a query
---@field version string "10.11.6-MariaDB"
---@field rows? integer the number of rows that the query gave
---@field columns? integer the number of their columns
---@field row? table<string, string> the first of them

local name = { "a string without NUL bytes", function(value)
  return type(value) == "string" and not value:find("\0", 1, true)
end }

local fail_of_answer = reader.refusal "MySQL"

---The SQLSTATE of a user that the server does not let in.
local DENIED = "28000"

-- ---- packets -----------------------------------------------------------------------------------

---A conversation with the server.
---@class bide.mysql.Session
---@field dialogue bide.peer.Dialogue
---@field number integer of the next packet
---@field given bide.mysql.Options
---@field version string
---@field salt string
---@field plugin string by which the password is proved
local Session = {}
Session.__index = Session

---Sends a packet, to which nothing that has come is the answer. A server that shuts down says so unasked, but not that it
---denies a user.
function Session:send(body)
  self.dialogue:ask(string.pack("<I3I1", #body, self.number) .. body, function(received)
    return received:find "^....\xFF" and not received:find("^.......#" .. DENIED)
  end)
  self.number = (self.number + 1) % 256
end

---Raises the error that a packet holds.
local function refuse(body)
  if #body < 3 then fail_of_answer "an error without a number" end
  local number, state, text = string.unpack("<I2", body, 2), body:match "^...#(%w%w%w%w%w)(.*)$"
  fail(state or "HY000", text or body:sub(4), number)
end

---Reads a packet, and raises the error that it may be.
---@param longest? integer LONGEST by default
---@return string body
function Session:read(longest)
  local length, number = string.unpack("<I3I1", self.dialogue:read(4))
  if longest and length > longest then
    fail("InvalidAnswer", ("expected a row of at most %d bytes, found %d: select fewer columns"):format(longest, length))
  end
  if length == 0 or length > (longest or LONGEST) then fail_of_answer("a packet of " .. length .. " bytes") end
  local body = read_pieces(self.dialogue, length)
  if body:byte(1) == 0xFF then refuse(body) end
  if number ~= self.number then fail_of_answer(("the packet %d in place of %d"):format(number, self.number)) end
  self.number = (number + 1) % 256
  return body
end

-- ---- the handshake -----------------------------------------------------------------------------

local LONG_PASSWORD, WITH_DATABASE, PROTOCOL_41, TLS = 0x1, 0x8, 0x200, 0x800
local TRANSACTIONS, SECURE_CONNECTION, PLUGINS = 0x2000, 0x8000, 0x80000
local UTF8MB4 = 45

---Reads the greeting of the server: its version, what it can do, and the salt for the proof.
---@return integer capabilities
function Session:greet()
  local body = self:read()
  if body:byte(1) ~= 10 then fail_of_answer("version " .. body:byte(1) .. " of it, and not 10") end
  local version, at = body:match "^.([^\0]*)\0()"
  if not at or #body < at + 30 then fail_of_answer "a greeting that is too short" end
  local _, first, low, high, length = string.unpack("<I4c8xI2xxxI2I1", body, at)
  local rest = at + 31 + math.max(13, length - 8)
  local second, plugin = body:sub(at + 31, rest - 1), body:match("^[^\0]*", rest)
  version = version:gsub("^5%.5%.5%-(.*MariaDB)", "%1") -- what MariaDB puts before its version
  self.version, self.salt = version, first .. second:sub(1, 12)
  self.plugin = plugin ~= "" and plugin or "mysql_native_password"
  return low | high << 16
end

function Session:capabilities()
  return LONG_PASSWORD | PROTOCOL_41 | TRANSACTIONS | SECURE_CONNECTION | PLUGINS | (self.given.tls and TLS or 0)
    | (self.given.database and WITH_DATABASE or 0)
end

---Asks for TLS, and starts it.
function Session:encrypt(offered)
  if offered & TLS == 0 then fail("TlsFailure", "the server has no TLS") end
  self:send(string.pack("<I4I4I1c23", self:capabilities(), LONGEST, UTF8MB4, ""))
  tls.start(self.dialogue, self.given.tls)
end

---Reports whether the password itself may be sent: over TLS, to a server whose certificate was verified, or to any one if
---the user says so. The server chooses the proof, so that this holds for each.
function Session:may_send_password()
  local options = self.given.tls
  return options ~= nil and (options.verify ~= false or self.given.insecure == true)
end

function Session:refuse_password()
  fail("UnknownAuthentication", ("the server requires the password itself (%s): use TLS, and verify the certificate, "
    .. "with ssl-mode=VERIFY_CA&ssl-ca=FILE in the URL"):format(self.plugin))
end

function Session:prove()
  local proof = authentication.prove(self.plugin, self.given.password or "", self.salt, self:may_send_password())
  if proof then return proof end
  if authentication.knows(self.plugin) then self:refuse_password() end
  fail("UnknownAuthentication", "the server requires a proof that bide does not know: " .. self.plugin)
end

function Session:log_in()
  local given = self.given
  if not authentication.knows(self.plugin) then self.plugin = "mysql_native_password" end -- the server will say another
  local database = given.database and string.pack("z", given.database) or ""
  self:send(string.pack("<I4I4I1c23zs1", self:capabilities(), LONGEST, UTF8MB4, "", given.user or "root", self:prove())
    .. database .. string.pack("z", self.plugin))
end

---The server wants another proof.
function Session:switch(body)
  local plugin, salt = body:match "^.([^\0]+)\0(.*)$"
  if not plugin then fail_of_answer "no name of a proof" end
  self.plugin, self.salt = plugin, salt:sub(1, 20)
  self:send(self:prove())
end

local FAST, WHOLE = 3, 4

---The server knows the proof already, or wants the password itself.
function Session:continue(body)
  local step = body:byte(2)
  if self.plugin ~= "caching_sha2_password" or step ~= FAST and step ~= WHOLE then fail_of_answer "an unknown step" end
  if step == FAST then return end
  if not self:may_send_password() then self:refuse_password() end
  self:send((self.given.password or "") .. "\0")
end

local OK, MORE, SWITCH = 0, 1, 0xFE

function Session:authenticate()
  self:log_in()
  while true do
    local body = self:read()
    local kind = body:byte(1)
    if kind == OK then return end
    if kind == SWITCH then self:switch(body) elseif kind == MORE then self:continue(body) else fail_of_answer "no step" end
  end
end

-- ---- the query ---------------------------------------------------------------------------------

local QUIT, QUERY = "\1", "\3"

---The query where the input has none: it proves that the server takes queries.
local PROOF = "SELECT 1"

---@return bide.mysql.Result
function Session:ask()
  local result = { answer = "ready", version = self.version }
  self.number = 0
  self:send(QUERY .. (self.given.query or PROOF))
  local found = rows.read(self:read(), function() return self:read(LONGEST_ROW) end, fail_of_answer)
  if not found then fail("InvalidInput", "expected a query that gives rows, found a statement without columns") end
  if self.given.query then
    result.rows, result.columns, result.row = found.count, found.columns, found.row
  elseif found.count ~= 1 then
    fail_of_answer(("%d rows of %s"):format(found.count, PROOF))
  end
  self.number = 0
  self:send(QUIT)
  return result
end

---@return bide.mysql.Result
function Session:run()
  local offered = self:greet()
  if self.given.tls then self:encrypt(offered) end
  if self.given.password or self.given.query then
    self:authenticate()
    return self:ask()
  end
  local ok, failure = pcall(self.authenticate, self)
  if ok then return self:ask() end
  if type(failure) ~= "table" or failure.type ~= DENIED and failure.type ~= "UnknownAuthentication" then error(failure, 0) end
  return { answer = "passwordWanted", version = self.version }
end

---@param given bide.mysql.Options
---@return bide.mysql.Result
local function talk(dialogue, given)
  return setmetatable({ dialogue = dialogue, number = 0, given = given }, Session):run()
end

return protocol {
  name = "bide.mysql",
  port = 3306,
  options = { user = name, database = name, password = kinds.text, query = kinds.text, insecure = kinds.flag },
  starts_tls = true,
  is_absent = function(answer) return type(answer) == "table" and answer.rows == 0 end,
  talk = talk,
}
