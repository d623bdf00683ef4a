---Asks a mail server whether it takes mail (SMTP, RFC 5321), perhaps over TLS. It sends none.
---
---    local smtp = require "bide.smtp"
---    smtp { host = "mail" }                                                   --> { greeting = "mail ESMTP", extensions = … }
---    smtp { host = "mail", port = 587, security = "starttls", tls = { ca = "ca.pem" } }
---    smtp { host = "mail", port = 465, security = "tls" }
---
---Closes the connection when the call ends. If the server refuses, raises an operation error whose type is its code: 421
---while it starts or has too much to do, 554 if it takes no mail of this client. Raises the operation errors of bide.tcp
---and bide.tls, and this one:
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
---@field smtp fun(options: bide.smtp.Options): bide.smtp.Result

local PORT, TLS_PORT = 25, 465

---The most lines of a reply.
local MOST_LINES = 128

---The options. An unknown one, or one of the wrong type, raises an error.
---@class bide.smtp.Options
---@field host string a name or an address
---@field port? integer|string 25 by default, or 465 with `security = "tls"`
---@field security? "none"|"starttls"|"tls" nothing, TLS after STARTTLS, or TLS from the first byte; by default "starttls" if
---there is `tls`, else "none"
---@field tls? bide.tls.Options
---@field name? string the name by which the client introduces itself, "localhost" by default
---@field timeout? number seconds for all of it, 10 by default, and at most the time left to a wait

---@class bide.smtp.Result
---@field greeting string the server's first words
---@field extensions string[] what it can do: "STARTTLS", "SIZE 33554432"
---@field peer? bide.tls.Peer over TLS

local name = { "a name without blanks", function(value)
  return type(value) == "string" and value:find "^[%w.:%[%]-]+$" ~= nil
end }

local kind_of = { host = kinds.text, port = peer_options.port, security = security_of.kind, tls = kinds.table,
  name = name, timeout = kinds.seconds }

---Reads a reply of one line or more.
---@return string code
---@return string[] lines their texts
local function read_reply(dialogue)
  local lines, wanted = {}, nil
  repeat
    local line = dialogue:read_line()
    local code, separator, text = line:match "^([2-5]%d%d)([ -]?)(.*)$"
    if not code or code ~= (wanted or code) or separator == "" and text ~= "" or #lines == MOST_LINES then
      fail("InvalidAnswer", "this is not the protocol of SMTP: " .. option.describe(line))
    end
    wanted, lines[#lines + 1] = code, text
  until separator ~= "-"
  return wanted --[[@as string]], lines
end

---Reads a reply, and raises it unless it has the expected code.
---@return string[] lines
local function expect(dialogue, wanted)
  local code, lines = read_reply(dialogue)
  if code ~= wanted then fail(code, table.concat(lines, " ")) end
  return lines
end

---Introduces the client, and returns what the server can do. Its first line is a greeting.
---@return string[] extensions
local function greet(dialogue, client)
  dialogue:send(("EHLO %s\r\n"):format(client))
  local lines = expect(dialogue, "250")
  table.remove(lines, 1)
  return lines
end

---Begins TLS, if the server offers it.
local function start_tls(dialogue, extensions, given)
  local offered = {}
  for _, extension in ipairs(extensions) do offered[extension:upper()] = true end
  if not offered.STARTTLS then fail("TlsFailure", "the server does not offer STARTTLS") end
  dialogue:send "STARTTLS\r\n"
  expect(dialogue, "220")
  tls.start(dialogue, given.tls)
end

---@param given bide.smtp.Options
---@return bide.smtp.Result
local function talk(dialogue, security, given)
  local client = given.name or "localhost"
  local greeting = table.concat(expect(dialogue, "220"), " ")
  local extensions = greet(dialogue, client)
  if security == "starttls" then
    start_tls(dialogue, extensions, given)
    extensions = greet(dialogue, client)
  end
  dialogue:send "QUIT\r\n"
  return { greeting = greeting, extensions = extensions, peer = dialogue:peer() }
end

local protocol = { name = "bide.smtp", kind_of = kind_of, port = PORT, tls_port = TLS_PORT, talk = talk }

---@param given bide.smtp.Options
---@return bide.smtp.Result
return function(given)
  return security_of.call(protocol, given)
end
