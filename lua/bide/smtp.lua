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
local mail = require "bide.probe.mail"
local option = require "bide.text.option"
local protocol = require "bide.probe.peer.protocol"

---Its function in `bide`.
---@class bide
---@field smtp fun(options: bide.smtp.Options): bide.smtp.Result

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

---A server that shuts down says so unasked.
local function says_goodbye(line) return line:find "^421[ -]" end

---Introduces the client, and returns what the server can do. Its first line is a greeting.
---@param given bide.smtp.Options
---@return string[] extensions
local function introduce(dialogue, given)
  dialogue:ask(("EHLO %s\r\n"):format(given.name or "localhost"), says_goodbye)
  local lines = expect(dialogue, "250")
  table.remove(lines, 1)
  return lines
end

---@type bide.probe.MailWords
local words = {
  greet = function(dialogue) return table.concat(expect(dialogue, "220"), " ") end,
  list = introduce,
  ask_for_tls = function(dialogue)
    dialogue:ask("STARTTLS\r\n", says_goodbye)
    expect(dialogue, "220")
  end,
  leave = "QUIT\r\n",
  offers = "extensions",
}

return protocol { name = "bide.smtp", port = 25, tls_port = 465, options = { name = name }, talk = mail(words) }
