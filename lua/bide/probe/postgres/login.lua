---Logs a user in to PostgreSQL: the startup message, the proof of the password by SCRAM-SHA-256, and what the server says
---until it takes queries. A password is never sent.

local Scram = require "bide.probe.peer.scram"
local fail = require "bide.text.fail"
local messages = require "bide.probe.postgres.messages"
local new_token = require("bide.probe.asking.operation").new_token
local read_pieces = require "bide.probe.peer.pieces"
local require_auth = require "bide.probe.postgres.require_auth"
local retries = require "bide.task.retries"
local tables = require "bide.text.tables"

local M = {}

local LONGEST = 32 * 1024 -- bytes of a message

---The user that logs in, and what the server has to prove.
---@class bide.postgres.Login
---@field user string
---@field database string
---@field password? string
---@field application_name string
---@field parameters? string[] more of the startup message: names, each with its value after it
---@field is_enough bide.postgres.Requirement whether a proof is
---@field hint? string what to do about a server that asks for none, if none is not enough
---@field needs_binding? boolean whether the proof has to be bound to the TLS connection

---@param kind string a letter
---@param length integer with the length itself
function M.check(kind, length, letters)
  if not kind:find(letters) or length < 4 then fail("InvalidAnswer", "this is not the protocol of PostgreSQL") end
end

---Raises the error that a message contains.
---@param body string
function M.refuse(body)
  local fields = messages.fields(body)
  fail(messages.sqlstate(fields) or "InvalidAnswer", fields.M or "an error without a message")
end

---The letters of messages that may come before a query.
local BEFORE = "[RSKNEZv]"

---@param dialogue bide.peer.Dialogue
---@param first? string its first byte, if it has been read
---@return string kind a letter
---@return string body
function M.read_message(dialogue, first)
  local kind, length = string.unpack(">c1I4", (first or "") .. dialogue:read(first and 4 or 5))
  M.check(kind, length, BEFORE)
  if length > LONGEST then fail("InvalidAnswer", "this is not the protocol of PostgreSQL") end
  return kind, read_pieces(dialogue, length - 4)
end

local DONE, SASL, SASL_CONTINUE, SASL_FINAL = 0, 10, 11, 12
local MECHANISM = "SCRAM-SHA-256"

---Begins SCRAM, bound to the connection if both sides can.
---@param mechanisms string that the server offers, each with a NUL after it
local function begin_scram(session, mechanisms)
  local binding = session.dialogue:channel_binding()
  local is_bound = binding and mechanisms:find(MECHANISM .. "-PLUS\0", 1, true) ~= nil
  if session.given.needs_binding and not is_bound then
    fail("UnknownAuthentication", "channel_binding=require, but the server offers none")
  end
  session.scram = Scram.new(session.given.password, new_token(), { binding = binding, is_bound = is_bound })
  local name_of_mechanism = is_bound and MECHANISM .. "-PLUS" or MECHANISM
  session.dialogue:send(messages.write("p", string.pack(">zs4", name_of_mechanism, session.scram:first())))
end

---Checks what follows from a server that asks for no password: any server can do that.
local function check_unasked(session)
  if not session.given.is_enough(require_auth.NONE) then
    local words = "require_auth: the server asked for no proof of the password"
    fail("UnknownAuthentication", session.given.hint and ("%s; %s"):format(words, session.given.hint) or words)
  end
  if session.given.needs_binding then
    fail("UnknownAuthentication", "channel_binding=require, but the server asked for no proof of the password")
  end
  if session.given.password then
    retries.note "the server asked for no password, so nothing shows that it is the one that was meant"
  end
end

---The steps of authentication, by the server's numbers. Once SCRAM has begun, the server is trusted only after it has
---proved that it knows the password too.
local steps = {
  [DONE] = function(session)
    if session.scram and not session.proven then fail("InvalidAnswer", "the server does not know the password itself") end
    if not session.scram then check_unasked(session) end
    session.accepted = true
  end,
  [SASL] = function(session, mechanisms)
    if session.scram then fail("InvalidAnswer", "the server asks for a second proof") end
    if not session.given.is_enough(require_auth.SCRAM) then
      fail("UnknownAuthentication", "require_auth: the server asked for " .. MECHANISM)
    end
    if not mechanisms:find(MECHANISM .. "\0", 1, true) then
      fail("UnknownAuthentication", "the server does not know " .. MECHANISM)
    end
    begin_scram(session, mechanisms)
  end,
  [SASL_CONTINUE] = function(session, answer)
    if not session.scram then fail("InvalidAnswer", "the server does not speak " .. MECHANISM) end
    local final, mistake = session.scram:final(answer)
    if not final then fail("InvalidAnswer", mistake) end
    session.dialogue:send(messages.write("p", final))
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

local ACCEPTED, SASL_LIST, CHALLENGE = "\0\0\0\0", "\0\0\0\10", "\0\0\0\11"

---The requests for a proof, by the number of the kind: Kerberos, a clear password, MD5 with its salt, GSSAPI, SSPI, and SASL
---with a list of mechanisms.
local forms_of_request = { "^%z%z%z[\2\3\7\9]$", "^%z%z%z\5....$", "^%z%z%z\10[^%z].*%z%z$" }

---Checks that the server asks for a proof. One that says anything else has not said that it takes users.
---@return string body
local function check_request(body)
  for _, form in ipairs(forms_of_request) do
    if body:find(form) then return body end
  end
  return fail("InvalidAnswer", "this is not the protocol of PostgreSQL: a proof of an unknown kind")
end

---Lets a server that asks for SCRAM answer with its challenge: its request for a proof may have been written before the
---question, and a challenge with the nonce of this connection cannot. Nothing is proved by it, and no login fails.
---@param dialogue bide.peer.Dialogue
---@param request string for a proof
function M.await_challenge(dialogue, request)
  if request:sub(1, 4) ~= SASL_LIST or not request:find(MECHANISM .. "\0", 5, true) then return end
  local scram = Scram.new("", new_token())
  dialogue:ask(messages.write("p", string.pack(">zs4", MECHANISM, scram:first())))
  local kind, body = M.read_message(dialogue)
  if kind == "E" then M.refuse(body) end
  if kind ~= "R" or body:sub(1, 4) ~= CHALLENGE or not scram:challenge(body:sub(5)) then
    fail("InvalidAnswer", "the server does not speak " .. MECHANISM)
  end
end

---Reports whether a server refuses a client, which it may do unasked, as where it can start no process for it.
---@param received string
---@return boolean
function M.is_error(received) return received:sub(1, 1) == "E" end

---Logs in. Raises an operation error if the server refuses, or breaks the protocol.
---@param dialogue bide.peer.Dialogue
---@param given bide.postgres.Login
---@return { version: string? }? server nil if it asks for a password, and there is none
---@return string? request for a proof, if server is nil
function M.run(dialogue, given)
  local session, server = { dialogue = dialogue, given = given }, {}
  local parameters = { "user", given.user, "database", given.database, "application_name", given.application_name }
  tables.append(parameters, given.parameters)
  dialogue:ask(messages.startup(parameters), M.is_error)
  while true do
    local kind, body = M.read_message(dialogue)
    if kind == "E" then M.refuse(body) end
    if kind == "R" and not given.password and body ~= ACCEPTED then return nil, check_request(body) end
    if kind == "R" then authenticate(session, body) end
    if kind == "S" then server.version = body:match "^server_version\0([^\0]*)" or server.version end
    if kind == "Z" and not (session.accepted and body == "I") then
      fail("InvalidAnswer", "the server is ready, but accepted no user")
    end
    if kind == "Z" then return server end
  end
end

return M
