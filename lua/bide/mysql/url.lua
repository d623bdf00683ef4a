---The URL of a MySQL server, with TLS by the parameters that its own clients know: ssl-mode, ssl-ca, ssl-cert and ssl-key;
---and the unix socket by `socket`.

local address = require "bide.address"
local option = require "bide.text.option"
local tls = require "bide.tls"

local M = { PORT = 3306 }

---Returns the forms of the URL, for address.of and bide.service. A sandboxed script has only the functions of a module.
---@return { schemes: string[], parameters: string[], harmless: string[] }
function M.forms()
  return {
    schemes = { "mysql", "mariadb" }, parameters = { "socket", "ssl-mode", "ssl-ca", "ssl-cert", "ssl-key" },
    harmless = { "charset", "collation", "encoding", "useUnicode", "characterEncoding", "connect_timeout", "connectTimeout",
      "reconnect", "parseTime", "serverVersion" },
  }
end

local modes = option.one_of { "DISABLED", "PREFERRED", "REQUIRED", "VERIFY_CA", "VERIFY_IDENTITY" }

---The part of the certificate that has to be right in a mode. The other modes use no TLS.
local trust_of = { REQUIRED = false, VERIFY_CA = "authority", VERIFY_IDENTITY = true }

---@param query table<string, string>
---@return string mode if there are authorities, at least VERIFY_CA
local function mode_of(query)
  local mode = (query["ssl-mode"] or (query["ssl-ca"] or query["ssl-cert"]) and "REQUIRED" or "DISABLED"):upper()
  return mode == "REQUIRED" and query["ssl-ca"] and "VERIFY_CA" or mode
end

---Returns the options of TLS: those of the inputs, with the files of the URL where they name none; or those of the URL.
---@param input table the inputs of bide.tls
---@param query table<string, string>
---@return bide.tls.Options? options nil to speak in clear
local function options_of(input, query)
  local given, trust = tls.options(input), trust_of[mode_of(query)]
  if not given and (input.tls == false or trust == nil) then return nil end
  given = given or { verify = trust }
  given.ca, given.certificate = given.ca or query["ssl-ca"], given.certificate or query["ssl-cert"]
  given.key = given.key or query["ssl-key"]
  return given
end

---Gives an address the unix socket that its URL names, as `mysql://app@localhost/shop?socket=/run/mysqld.sock`.
---@return string? mistake
local function complete_socket(found, path)
  if found.host ~= "localhost" then
    return ("url: socket: expected the host localhost, found %s"):format(found.host)
  end
  found.unix, found.host, found.port = path, nil, nil
end

---Gives an address the unix socket and the TLS that inputs and its URL ask for.
---@param found bide.Address|{ tls: bide.tls.Options? }
---@param input table
---@return string? mistake
function M.complete(found, input)
  local query = found.query or {}
  local mistake = query.socket and complete_socket(found, query.socket)
  if mistake then return mistake end
  mistake = option.mistake(mode_of(query), modes)
  if mistake then return "url: ssl-mode: " .. mistake end
  found.tls = options_of(input, query)
  mistake = found.tls and tls.mistake(found.tls)
  return mistake and "url: " .. mistake
end

---Reads the address that inputs give.
---@param input table
---@return bide.Address|{ tls: bide.tls.Options? }|nil address
---@return string? mistake
function M.read(input)
  local found, mistake = address.of(input, M.PORT, M.forms())
  mistake = found and M.complete(found, input) or mistake
  if mistake then return nil, mistake end
  return found
end

return M
