---Connects to a NATS server, by its own protocol.
---
---    local nats = require "bide.nats"
---    nats { host = "bus" }                                          --> { answer = "ready", version = "2.9.10", … }
---    nats { host = "bus", user = "app", password = password }
---    nats { host = "bus", token = token, tls = { ca = "ca.pem" } }
---
---A server that requires TLS gets it, whether or not `tls` is given. Without credentials, a server that requires them is
---ready: the answer is "credentialsWanted". Closes the connection when the call ends.
---
---If the server refuses, raises an operation error: `AuthorizationViolation` for wrong credentials, `ServerError` for
---anything else. Raises the operation errors of bide.tcp and bide.tls, and this one:
---
---    InvalidAnswer    the server does not speak the protocol

local core = require "bide.core"
local fail = require "bide.fail"
local kinds = require("bide.option").kinds
local option = require "bide.option"
local peer_options = require "bide.peer.options"
local tcp = require "bide.tcp"
local tls = require "bide.tls"

---Its function in `bide`.
---@class bide
---@field nats fun(options: bide.nats.Options): bide.nats.Result

local PORT = 4222

---The options. An unknown one, or one of the wrong type, raises an error.
---@class bide.nats.Options
---@field host string a name or an address
---@field port? integer|string 4222 by default
---@field user? string
---@field password? string
---@field token? string in place of both
---@field tls? bide.tls.Options speaks TLS; `{}` for its defaults
---@field timeout? number seconds for all of it, 10 by default, and at most the time left to a wait

---@class bide.nats.Result
---@field answer "ready"|"credentialsWanted"
---@field version? string
---@field name? string of the server
---@field jetstream boolean whether it keeps streams

local kind_of = { host = kinds.text, port = peer_options.port, user = kinds.text, password = kinds.text,
  token = kinds.text, tls = kinds.table, timeout = kinds.seconds }

---Raises the error of a line `-ERR 'Words'`.
local function refuse(line)
  local words = line:match "^%-ERR%s+'?(.-)'?$" or line
  fail(words:lower():find("authorization", 1, true) and "AuthorizationViolation" or "ServerError", words)
end

---@return table info the greeting of the server
local function greet(dialogue)
  local line = dialogue:read_line()
  if line:find "^%-ERR" then refuse(line) end
  local info = core.json.decode(line:match "^INFO%s+(.*)$" or "")
  if type(info) ~= "table" then fail("InvalidAnswer", "this is not the protocol of NATS: " .. option.describe(line)) end
  return info
end

local function connect(dialogue, given)
  dialogue:send(("CONNECT %s\r\nPING\r\n"):format(core.json.encode {
    verbose = false, pedantic = false, lang = "c", version = require "bide.version", name = "bide", protocol = 1,
    tls_required = given.tls ~= nil, user = given.user, pass = given.password, auth_token = given.token,
  }))
  for _ = 1, 8 do -- a cluster may send its news before the answer
    local line = dialogue:read_line()
    if line == "PONG" then return end
    if line:find "^%-ERR" then refuse(line) end
    if not line:find "^INFO" and line ~= "PING" then fail("InvalidAnswer", "expected PONG, found " .. option.describe(line)) end
  end
  fail("InvalidAnswer", "expected PONG, found other lines")
end

local function text(value)
  return type(value) == "string" and value or nil
end

---@return bide.nats.Result
local function talk(dialogue, given)
  local info = greet(dialogue)
  if given.tls or info.tls_required == true then tls.start(dialogue, given.tls or {}) end
  local result = { answer = "ready", version = text(info.version), name = text(info.server_name),
    jetstream = info.jetstream == true }
  if info.auth_required == true and not (given.user or given.token) then
    result.answer = "credentialsWanted"
  else
    connect(dialogue, given)
  end
  return result
end

---@param given bide.nats.Options
---@return bide.nats.Result
return function(given)
  local mistake = option.check(given, kind_of, { "host" }) or given.tls and tls.mistake(given.tls)
  if mistake then error("bide.nats: " .. mistake, 2) end
  return tcp({ host = given.host, port = given.port or PORT, timeout = given.timeout, talk = function(dialogue)
    return talk(dialogue, given)
  end }).answer
end
