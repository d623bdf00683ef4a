---Asks an IMAP server (RFC 3501, 9051) for its capabilities, perhaps over TLS. It does not log in.
---
---    local imap = require "bide.imap"
---    imap { host = "mail" }                                                   --> { greeting = "ready", capabilities = … }
---    imap { host = "mail", security = "starttls", tls = { ca = "ca.pem" } }
---    imap { host = "mail", port = 993, security = "tls" }
---
---Closes the connection when the call ends. If the server refuses, raises an operation error whose type is its word: BYE
---while it starts or stops, NO or BAD for a command. Raises the operation errors of bide.tcp and bide.tls, and this one:
---
---    InvalidAnswer       the server does not speak the protocol

local fail = require "bide.text.fail"
local kinds = require("bide.text.option").kinds
local option = require "bide.text.option"
local peer_options = require "bide.probe.peer.options"
local security_of = require "bide.probe.tls.security"
local tls = require "bide.tls"

---Its function in `bide`.
---@class bide
---@field imap fun(options: bide.imap.Options): bide.imap.Result

local PORT, TLS_PORT = 143, 993

---The most lines before the end of an answer.
local MOST_LINES = 128

---The options. An unknown one, or one of the wrong type, raises an error.
---@class bide.imap.Options
---@field host string a name or an address
---@field port? integer|string 143 by default, or 993 with `security = "tls"`
---@field security? "none"|"starttls"|"tls" nothing, TLS after STARTTLS, or TLS from the first byte; by default "starttls" if
---there is `tls`, else "none"
---@field tls? bide.tls.Options
---@field timeout? number seconds for all of it, 10 by default, and at most the time left to a wait

---@class bide.imap.Result
---@field greeting string the server's first words
---@field capabilities string[] "IMAP4rev1", "STARTTLS"
---@field peer? bide.tls.Peer over TLS

local kind_of = { host = kinds.text, port = peer_options.port, tls = kinds.table, timeout = kinds.seconds,
  security = security_of.kind }

local function refuse(line)
  fail("InvalidAnswer", "this is not the protocol of IMAP: " .. option.describe(line))
end

---@return string greeting
local function read_greeting(dialogue)
  local line = dialogue:read_line()
  local word, text = line:match "^%* (%u+) ?(.*)$"
  if word == "BYE" then fail(word, text) end
  if word ~= "OK" and word ~= "PREAUTH" then refuse(line) end
  return text
end

---Sends a command, and reads the answer up to the line with its tag.
---@param tag string
---@param command string
---@param take? fun(line: string) gets the lines before it, without their "* "
local function ask(dialogue, tag, command, take)
  dialogue:send(("%s %s\r\n"):format(tag, command))
  for _ = 1, MOST_LINES do
    local line = dialogue:read_line()
    local found, word, text = line:match "^(%S+) (%u+) ?(.*)$"
    if not found or found ~= tag and found ~= "*" then refuse(line) end
    if word == "BYE" then fail(word, text) end
    if found == tag then return word ~= "OK" and fail(word, text) end
    if take then take(line:sub(3)) end
  end
  fail("InvalidAnswer", "the answer is too long")
end

---@return string[] capabilities
local function read_capabilities(dialogue, tag)
  local capabilities = {}
  ask(dialogue, tag, "CAPABILITY", function(line)
    for word in (line:match "^CAPABILITY (.*)$" or ""):gmatch "%S+" do capabilities[#capabilities + 1] = word end
  end)
  return capabilities
end

---Begins TLS, if the server offers it.
local function start_tls(dialogue, capabilities, given)
  local offered = {}
  for _, capability in ipairs(capabilities) do offered[capability:upper()] = true end
  if not offered.STARTTLS then fail("TlsFailure", "the server does not offer STARTTLS") end
  ask(dialogue, "a2", "STARTTLS")
  tls.start(dialogue, given.tls)
end

---@return bide.imap.Result
local function talk(dialogue, security, given)
  local greeting = read_greeting(dialogue)
  local capabilities = read_capabilities(dialogue, "a1")
  if security == "starttls" then
    start_tls(dialogue, capabilities, given)
    capabilities = read_capabilities(dialogue, "a3")
  end
  dialogue:send "a4 LOGOUT\r\n"
  return { greeting = greeting, capabilities = capabilities, peer = dialogue:peer() }
end

local protocol = { name = "bide.imap", kind_of = kind_of, port = PORT, tls_port = TLS_PORT, talk = talk }

---@param given bide.imap.Options
---@return bide.imap.Result
return function(given)
  return security_of.call(protocol, given)
end
