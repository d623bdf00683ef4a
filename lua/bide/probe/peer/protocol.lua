---Makes the function of a protocol over TCP or a unix socket: it checks the options, connects, starts TLS, and talks.
---
---    return protocol {
---      name = "bide.redis",
---      port = 6379,
---      options = { command = words },
---      required = { "command" },
---      talk = function(dialogue, given) … end,
---    }

local connect = require "bide.probe.peer.connect"
local option = require "bide.text.option"
local peer_options = require "bide.probe.peer.options"
local tls = require "bide.tls"

---@class bide.probe.Protocol
---@field name string "bide.redis", for messages
---@field port integer
---@field tls_port? integer for TLS from the first byte; with it, there is the option `security`
---@field options? table<string, bide.OptionKind> its own, beside host, unix, port, tls, timeout and every_address
---@field required? string[] beside host or unix
---@field starts_tls? boolean whether `talk` starts TLS, if there is the option `tls`
---@field is_absent? fun(answer: any, earlier: any): boolean as that of bide.peer.Checked: counts if each address says so
---@field talk fun(dialogue: bide.peer.Dialogue, given: table, security: bide.probe.Security): any starts TLS if that is
---"starttls"

---The way to a secret dialogue: none, TLS after a request for it, or TLS from the first byte.
---@alias bide.probe.Security "none"|"starttls"|"tls"

local kinds = option.kinds

---@param protocol bide.probe.Protocol
---@return table<string, bide.OptionKind>
local function kinds_of(protocol)
  local all = {
    host = kinds.text, unix = kinds.text, port = peer_options.port, tls = kinds.table, timeout = kinds.seconds,
    every_address = kinds.flag,
  }
  if protocol.tls_port then all.security = option.one_of { "none", "starttls", "tls" } end
  for name, kind in pairs(protocol.options or {}) do all[name] = kind end
  return all
end

---Returns the mistake in what a connection goes to.
local function mistake_of_address(given)
  if given.host and given.unix then return "host and unix exclude each other" end
  if given.unix and given.port then return "port: a unix socket has none" end
end

---@param protocol bide.probe.Protocol
---@return fun(given: table): any
return function(protocol)
  local kind_of, required = kinds_of(protocol), protocol.required or {}
  local of_tcp = { "host", table.unpack(required) }
  local usual = (protocol.tls_port or protocol.starts_tls) and "starttls" or "tls"
  return function(given)
    local mistake = option.check(given, kind_of, type(given) == "table" and given.unix and required or of_tcp)
      or mistake_of_address(given) or given.tls and tls.mistake(given.tls)
    if mistake then error(("%s: %s"):format(protocol.name, mistake), 2) end
    local security = given.security or given.tls and usual or "none"
    local port = given.port or security == "tls" and protocol.tls_port or protocol.port
    local function talk(dialogue)
      if security == "tls" then tls.start(dialogue, given.tls) end
      return protocol.talk(dialogue, given, security)
    end
    local timeout = peer_options.timeout(given.timeout)
    if given.unix then
      local result = connect.unix { path = given.unix, timeout = timeout, talk = talk }
      return given.every_address and { result } or result.answer
    end
    local result = connect.tcp { host = given.host, port = math.tointeger(tonumber(port)), timeout = timeout,
      every_address = given.every_address, is_absent = protocol.is_absent, talk = talk }
    return given.every_address and result or result.answer
  end
end
