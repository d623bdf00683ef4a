---Connects to a NATS server, by its own protocol.
---
---    local nats = require "bide.nats"
---    nats { host = "bus" }                                          --> { answer = "ready", version = "2.9.10", … }
---    nats { host = "bus", user = "app", password = password }
---    nats { host = "bus", token = token, tls = { ca = "ca.pem" } }
---    nats { host = "bus", streams = true }                          --> { answer = "ready", account = { streams = 3, … }, … }
---
---A server that requires TLS gets it, whether or not `tls` is given. Without credentials, a server that requires them is
---ready: the answer is "credentialsWanted". Closes the connection when the call ends.
---
---With `streams`, asks JetStream for the user's account ($JS.API.INFO). The greeting only says that a server is configured
---to keep streams; without a quorum, or for an account that may not use it, JetStream answers with an error.
---
---If the server refuses, raises an operation error: `AuthorizationViolation` for wrong or missing credentials,
---`PermissionsViolation` for a user that may not ask JetStream, `JetStreamUnavailable` for streams that cannot be used now,
---`LameDuckMode` for a server that is shutting down, and `ServerError` for anything else. Raises the operation errors of
---bide.tcp and bide.tls, and this one:
---
---    InvalidAnswer    the server does not speak the protocol

local core = require "bide.core"
local fail = require "bide.text.fail"
local kinds = require("bide.text.option").kinds
local new_token = require("bide.probe.asking.operation").new_token
local option = require "bide.text.option"
local protocol = require "bide.probe.peer.protocol"
local tls = require "bide.tls"

---Its function in `bide`.
---@class bide
---@field nats fun(options: bide.nats.Options): bide.nats.Result

local LONGEST = 64 * 1024 -- bytes of an answer of JetStream
local SUBSCRIPTION = "1" -- the number of the one to it

---The options. An unknown one, or one of the wrong type, raises an error.
---@class bide.nats.Options
---@field host string a name or an address
---@field port? integer|string 4222 by default
---@field user? string
---@field password? string
---@field token? string in place of both
---@field streams? boolean whether JetStream is asked for the account
---@field domain? string of JetStream; that of the server by default
---@field tls? bide.tls.Options speaks TLS; `{}` for its defaults
---@field timeout? number seconds for all of it, 10 by default, and at most the time left to a wait

---@class bide.nats.Result
---@field answer "ready"|"credentialsWanted"
---@field version? string
---@field name? string of the server
---@field jetstream boolean whether it is configured to keep streams
---@field account? table what JetStream says about the account, with `streams`

local domain = { "a name without blanks, dots and wildcards", function(value)
  return type(value) == "string" and value:find "^[^%s.*>]+$" ~= nil
end }

---The types of errors, by words that they have.
local types = { { "authorization", "AuthorizationViolation" }, { "permissions violation", "PermissionsViolation" } }

local function is_error(line) return line:find "^%-ERR" end

---Raises the error of a line `-ERR 'Words'`.
local function refuse(line)
  local words = line:match "^%-ERR%s+'?(.-)'?$" or line
  for _, row in ipairs(types) do
    if words:lower():find(row[1], 1, true) then fail(row[2], words) end
  end
  fail("ServerError", words)
end

---@return table info the greeting of the server
local function greet(dialogue)
  local line = dialogue:read_line()
  if is_error(line) then refuse(line) end
  local info = core.json.decode(line:match "^INFO%s+(.*)$" or "")
  if type(info) ~= "table" then fail("InvalidAnswer", "this is not the protocol of NATS: " .. option.describe(line)) end
  if info.ldm == true then fail("LameDuckMode", "the server is shutting down") end
  return info
end

---A server refuses the client unasked, and asks one that is slow whether it is there.
local function may_come_unasked(received)
  return is_error(received) or received == "PING\r\n"
end

---@param info table the greeting, which is else all that a server says before CONNECT
local function connect(dialogue, given, info)
  dialogue:ask(("CONNECT %s\r\nPING\r\n"):format(core.json.encode {
    verbose = false, pedantic = false, lang = "c", version = require "bide.version", name = "bide", protocol = 1,
    headers = info.headers == true, no_responders = info.headers == true,
    tls_required = given.tls ~= nil, user = given.user, pass = given.password, auth_token = given.token,
  }), may_come_unasked)
  for _ = 1, 8 do -- a cluster may send its news before the answer
    local line = dialogue:read_line()
    if line == "PONG" then return end
    if is_error(line) then refuse(line) end
    if not line:find "^INFO" and line ~= "PING" then fail("InvalidAnswer", "expected PONG, found " .. option.describe(line)) end
  end
  fail("InvalidAnswer", "expected PONG, found other lines")
end

local function refuse_message(line)
  fail("InvalidAnswer", "expected a message, found " .. option.describe(line))
end

---Reads the message that a line announces. The line has the subject, the subscription, perhaps the subject for the answer,
---the length of the headers (HMSG) and the length of the whole.
---@return string? body nil if the subject has no listener
local function read_announced(dialogue, line, inbox)
  local has_headers, subject, subscription, rest = line:match "^(H?)MSG (%S+) (%S+) (.+)$"
  local headers, length = tostring(rest):match(has_headers == "H" and "^%S- ?(%d+) (%d+)$" or "^%S- ?()(%d+)$")
  headers, length = has_headers == "H" and tonumber(headers) or 0, tonumber(length)
  if subject ~= inbox or subscription ~= SUBSCRIPTION or not length or headers > length or length > LONGEST then
    refuse_message(line)
  end
  local body = dialogue:read(length + 2)
  if body:sub(-2) ~= "\r\n" then refuse_message(line .. ", and a body of another length") end
  if has_headers == "H" and body:find "^NATS/1%.0 503" then return nil end
  return body:sub(headers + 1, length)
end

---Reads the message that answers a request.
---@param inbox string the subject to which the answer goes
---@return string? body nil if the subject has no listener
local function read_message(dialogue, inbox)
  for _ = 1, 8 do
    local line = dialogue:read_line()
    if is_error(line) then refuse(line) end
    if line:find "^H?MSG " then return read_announced(dialogue, line, inbox) end
    if line == "PING" then
      dialogue:send "PONG\r\n"
    elseif not line:find "^INFO " then
      refuse_message(line)
    end
  end
  fail("InvalidAnswer", "expected a message, found other lines")
end

local ACCOUNT = "io.nats.jetstream.api.v1.account_info_response"

---Asks JetStream for the account, which only its leader answers, and raises what it lacks.
---@return table account
local function ask_for_account(dialogue, given)
  local prefix, inbox = given.domain and ("$JS.%s.API"):format(given.domain) or "$JS.API", "_INBOX." .. new_token()
  dialogue:send(("SUB %s %s\r\nPUB %s.INFO %s 0\r\n\r\n"):format(inbox, SUBSCRIPTION, prefix, inbox))
  local body = read_message(dialogue, inbox)
  if not body then
    fail("JetStreamUnavailable", ("nobody answers %s.INFO: JetStream is off, or has no such domain"):format(prefix))
  end
  local account = core.json.decode(body)
  if type(account) ~= "table" or account.type ~= ACCOUNT then
    fail("InvalidAnswer", "this is not an answer of JetStream: " .. option.describe(body))
  end
  local problem = account.error
  if problem ~= nil and problem ~= core.json.null then
    local words = type(problem) == "table" and problem or {}
    fail("JetStreamUnavailable", type(words.description) == "string" and words.description
      or "JetStream answered with an error", math.tointeger(words.err_code))
  end
  if given.domain and type(account.domain) == "string" and account.domain ~= given.domain then
    fail("InvalidAnswer", ("JetStream of the domain %s answered for %s"):format(account.domain, given.domain))
  end
  if type(account.streams) ~= "number" then fail("InvalidAnswer", "JetStream did not say how many streams it keeps") end
  return account
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
    if given.streams then fail("AuthorizationViolation", "the server requires credentials, and there are none") end
    result.answer = "credentialsWanted"
    return result
  end
  connect(dialogue, given, info)
  if given.streams then result.account = ask_for_account(dialogue, given) end
  return result
end

return protocol {
  name = "bide.nats",
  port = 4222,
  options = { user = kinds.text, password = kinds.text, token = kinds.text, streams = kinds.flag, domain = domain },
  starts_tls = true,
  talk = talk,
}
