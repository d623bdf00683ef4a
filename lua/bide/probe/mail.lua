---The dialogue that mail servers lead, by SMTP and IMAP: a greeting, a list of what the server can do, and, if that is asked
---for, TLS and the list again.

local fail = require "bide.text.fail"
local tls = require "bide.tls"

---The words of one of the two.
---@class bide.probe.MailWords
---@field greet fun(dialogue: bide.peer.Dialogue): string reads the greeting
---@field list fun(dialogue: bide.peer.Dialogue, given: table): string[] asks what the server can do
---@field ask_for_tls fun(dialogue: bide.peer.Dialogue)
---@field leave string the last command
---@field offers "extensions"|"capabilities" what the result calls what the server can do

---@param offers string[]
local function check_offer(offers)
  for _, offer in ipairs(offers) do
    if offer:upper() == "STARTTLS" then return end
  end
  fail("TlsFailure", "the server does not offer STARTTLS")
end

---Makes the dialogue, for bide.probe.peer.protocol.
---@param words bide.probe.MailWords
---@return fun(dialogue: bide.peer.Dialogue, given: table, security: bide.probe.Security): table result
return function(words)
  return function(dialogue, given, security)
    local greeting = words.greet(dialogue)
    local offers = words.list(dialogue, given)
    if security == "starttls" then
      check_offer(offers)
      words.ask_for_tls(dialogue)
      tls.start(dialogue, given.tls)
      offers = words.list(dialogue, given)
    end
    dialogue:send(words.leave)
    return { greeting = greeting, [words.offers] = offers, peer = dialogue:peer() }
  end
end
