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
local mail = require "bide.probe.mail"
local new_token = require("bide.probe.asking.operation").new_token
local option = require "bide.text.option"
local protocol = require "bide.probe.peer.protocol"

---Its function in `bide`.
---@class bide
---@field imap fun(options: bide.imap.Options): bide.imap.Result

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

---Sends a command, and reads the answer up to the line with its tag, which no program can know that has not read the command.
---@param command string
---@param take? fun(line: string) gets the lines before it, without their "* "
local function ask(dialogue, command, take)
  local tag = new_token():sub(1, 13)
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
local function read_capabilities(dialogue)
  local capabilities = {}
  ask(dialogue, "CAPABILITY", function(line)
    for word in (line:match "^CAPABILITY (.*)$" or ""):gmatch "%S+" do capabilities[#capabilities + 1] = word end
  end)
  return capabilities
end

---@type bide.probe.MailWords
local words = {
  greet = read_greeting,
  list = read_capabilities,
  ask_for_tls = function(dialogue) ask(dialogue, "STARTTLS") end,
  leave = "a LOGOUT\r\n",
  offers = "capabilities",
}

return protocol { name = "bide.imap", port = 143, tls_port = 993, talk = mail(words) }
