---TLS over bide.tcp, for protocols and scripts. Certificates are verified as bide.http does.
---
---    local tls = require "bide.tls"
---    local connection <close> = tls.connect("db:6380", { ca = "ca.pem" })
---    connection:send "PING\r\n"
---    print(connection:read_line(), connection:peer().days_left)
---
---    bide.tcp { host = "mail", port = 25, talk = function(dialogue)     -- STARTTLS
---      ...
---      tls.start(dialogue, { ca = "ca.pem" })     -- all that follows is encrypted
---      dialogue:send "EHLO me\r\n"
---    end }
---
---Raises the operation errors of bide.tcp, and these:
---
---    TlsFailure          a certificate or a key is wrong, one side refuses the handshake, or the peer does not speak TLS
---    ConnectionReset     the peer ended within the handshake, or without saying that it ends
---
---An error for a wrong certificate says what was found and what was expected; its `problem` is a word for it: "expired",
---"notYetValid", "host", "authority", "purpose", or "invalid" for all others.

local Connection = require("bide.probe.peer.sockets").Connection
local Dialogue = require "bide.probe.peer.dialogue"
local Peer = require "bide.probe.peer"
local Secure = require "bide.probe.peer.secure"
local address = require "bide.address"
local dropped = require "bide.probe.peer.dropped"
local error_class = require "bide.error_class"
local files = require "bide.probe.peer.tls.files"
local new_holder = require "bide.probe.peer.holder"
local option = require "bide.text.option"
local options = require "bide.probe.peer.options"
local sessions = require "bide.probe.peer.tls.sessions"

local M = {}

local PORT = 443

---The options. An unknown one, or one of the wrong type, raises an error.
---@class bide.tls.Options
---@field host? string the name that the certificate is expected to have, and that is sent as SNI; by default the host of
---the connection
---@field verify? boolean|"authority" false trusts any certificate, "authority" one of a trusted authority for any host
---@field ca? string certificates of authorities to trust, a PEM file; by default those of the environment
---(CURL_CA_BUNDLE, SSL_CERT_FILE, SSL_CERT_DIR), or else the system's
---@field certificate? string the client's certificate, a PEM file
---@field key? string the key of it, a PEM file; by default in the same file
---@field key_password? string the password of the key
---@field alpn? string[] the protocols to offer, the preferred one first
---@field timeout? number of `connect`: seconds for all that the connection does, 10 by default

---A connection over TLS: a dialogue with `close`. The dialogue of a `talk` has the other methods too.
---@class bide.tls.Connection
---@field send fun(self, bytes: string)
---@field ask fun(self, bytes: string, may_come_unasked: nil|fun(received: string): any) sends a question; raises an error if
---something has come before it, unless the server may say that by itself
---@field read fun(self, count: integer): string the next `count` bytes, at most 64 KiB
---@field read_line fun(self): string the next line, without its end
---@field read_until fun(self, text: string): string everything until a text has come, and a bit beyond
---@field peer fun(self): bide.tls.Peer? the peer's certificate, and what was agreed on; nil without TLS
---@field channel_binding fun(self): string? what binds an authentication to the connection (tls-server-end-point)
---@field close fun(self) says that this side ends, and closes, as `<close>` does; a dropped connection is closed later

---Shakes hands over a connection that is open.
---@param peer bide.Peer
---@param raw bide.peer.Connection
---@param given bide.tls.Options checked
---@return bide.peer.Secure? connection
---@return string? lack of descriptors
local function secure(peer, raw, given)
  local host = sessions.host(given.host or peer.host)
  local session, failure = sessions.new(host, given)
  local lack = failure and files.lack_in(failure)
  if lack then return nil, lack end
  if not session then peer:fail("TlsFailure", failure) end
  local connection = Secure.new(peer, raw, session, host)
  local is_done
  is_done, lack = connection:shake_hands(peer.until_when, function() return sessions.lack(given) end)
  return is_done and connection, lack
end

-- ---- connect ----------------------------------------------------------------------------------

---@param peer bide.Peer
---@param target bide.Address
---@param holder bide.peer.Holder gets the connection
local function open(peer, target, holder)
  peer.tried = {}
  peer:try_each(peer:resolve(target.host, target.port), function(each, at)
    holder:release()
    holder.raw = Connection.new(false)
    local how = holder.raw:to_address(at, each.address, each.port)
    return how == "connected" or nil, how
  end)
end

---Returns the connection of a script. Its socket is closed once.
---@param dialogue bide.peer.Dialogue
---@param raw bide.peer.Connection
---@return bide.tls.Connection
local function show(dialogue, raw)
  local methods, is_closed, shown = dialogue:for_script(), false, {}
  for name, method in pairs(methods) do
    shown[name] = function(...)
      if is_closed then error("bide.tls: the connection is closed", 2) end
      return method(...)
    end
  end
  function shown.close()
    if is_closed then return end
    is_closed = true
    raw:__close()
  end
  local function collect()
    if not is_closed then dropped.note(raw) end
  end
  return setmetatable(shown, { __close = shown.close, __gc = collect, __metatable = "bide.tls.connection" })
end

---Connects, and shakes hands. The connection ends with the `timeout`, whatever it does then.
---@param where string|{ host: string, port: integer? } "db:6380"; port 443 by default
---@param given? bide.tls.Options
---@return bide.tls.Connection
function M.connect(where, given)
  given = given or {}
  local mistake = sessions.mistake(given)
  if mistake then error("bide.tls.connect: " .. mistake, 2) end
  local target = where
  if type(where) == "string" then target, mistake = address.read(where) end
  if mistake then error({ type = "InvalidAddress", message = mistake }, 0) end
  mistake = option.check(target, { host = option.kinds.text, port = options.port }, { "host" })
  if mistake then error("bide.tls.connect: " .. mistake, 2) end
  options.check_address(target.host)
  local port = math.tointeger(tonumber(target.port or PORT))
  local form = target.host:find(":", 1, true) and "[%s]:%d" or "%s:%d"
  local peer = Peer.new(form:format(target.host, port), options.timeout(given.timeout), target.host)
  local holder <close> = new_holder()
  dropped.close()
  local connection = peer:step(function()
    open(peer, { host = target.host, port = port }, holder)
    local secured, lack = secure(peer, holder.raw, given)
    if lack then holder:release() end
    return secured, lack
  end)
  local shown = show(Dialogue.new(peer, connection), holder.raw)
  holder.raw = nil
  return shown
end

-- ---- start ------------------------------------------------------------------------------------

---Hands the connection of a dialogue over to TLS: what is sent and read after that is encrypted. If the peer has sent
---more than the dialogue has read, somebody may have put it there, so that is an UnexpectedAnswer.
---@param dialogue bide.peer.Dialogue of a `talk`
---@param given? bide.tls.Options without `timeout`
---@return bide.peer.Dialogue dialogue the same one
function M.start(dialogue, given)
  given = given or {}
  local inner = Dialogue.behind(dialogue)
  if not inner then error("bide.tls.start: " .. option.expected("a dialogue of bide.tcp or bide.unix", dialogue), 2) end
  local mistake = sessions.mistake(given)
  if not mistake and not (given.host or inner:host()) then mistake = "host: " .. option.expected("a string", nil) end
  if mistake then error("bide.tls.start: " .. mistake, 2) end
  inner:hand_over(function(peer, raw)
    local connection, lack = secure(peer, raw, given)
    return connection or peer:fail_of_lack(lack)
  end)
  return dialogue
end

---Returns the mistake of options, for protocols that take them as their option `tls`.
---@param given bide.tls.Options
---@return string? mistake
function M.mistake(given)
  local mistake = sessions.mistake(given)
  return mistake and "tls." .. mistake
end

-- ---- acceptors --------------------------------------------------------------------------------

---Makes an acceptor that matches if a certificate was refused for one of some reasons.
---@param state "success"|"failure"|"retry"
---@param ... string problems; any by default
function M.acceptor(state, ...)
  return { state = state, matcher = { lua = error_class.certificate_matcher(...) } }
end

-- ---- inputs -----------------------------------------------------------------------------------

---The declared inputs of an operation that uses TLS, and its own, which go before.
---@param own? bide.Inputs
---@return bide.Inputs
function M.inputs(own)
  return sessions.inputs(own)
end

---Returns the options that such inputs describe; nil if none of them asks for TLS.
---@param input table
---@param is_asked? boolean whether something else asks for it, such as the scheme of a URL
---@return bide.tls.Options?
function M.options(input, is_asked)
  return sessions.options(input, is_asked)
end

---The check of an operation with such inputs, and with another check before it.
---@param first? fun(input: table): string?
---@return fun(input: table): string?
function M.check(first)
  return function(input) return first and first(input) or sessions.mistake_of_inputs(input) end
end

return M
