---Calls protocols that are spoken in clear, by TLS after a request for it (STARTTLS), or by TLS from the first byte.

local option = require "bide.text.option"
local tcp = require "bide.tcp"
local tls = require "bide.tls"

local M = {}

---The kind of the option `security`.
M.kind = option.one_of { "none", "starttls", "tls" }

---A protocol with these three ways.
---@class bide.tls.Protocol
---@field name string "bide.smtp", for messages
---@field kind_of table<string, bide.OptionKind> its options
---@field port integer
---@field tls_port integer for TLS from the first byte
---@field talk fun(dialogue: bide.peer.Dialogue, security: "none"|"starttls"|"tls", given: table): any starts TLS itself if
---the security is "starttls"

---Connects and talks. The security is by default "starttls" if there are options of TLS, else "none". To be called by a
---tail call, so that a mistake of the options is raised at the script's line.
---@param protocol bide.tls.Protocol
---@param given table options: host, port, security, tls, timeout and the protocol's own
---@return any result of `talk`
function M.call(protocol, given)
  local mistake = option.check(given, protocol.kind_of, { "host" }) or given.tls and tls.mistake(given.tls)
  if mistake then error(("%s: %s"):format(protocol.name, mistake), 2) end
  local security = given.security or given.tls and "starttls" or "none"
  local port = given.port or security == "tls" and protocol.tls_port or protocol.port
  return tcp({ host = given.host, port = port, timeout = given.timeout, talk = function(dialogue)
    if security == "tls" then tls.start(dialogue, given.tls) end
    return protocol.talk(dialogue, security, given)
  end }).answer
end

return M
