---TLS for PostgreSQL, as its clients know it: the modes of `sslmode`, and the parameters of a URL.

local login = require "bide.probe.postgres.login"
local messages = require "bide.probe.postgres.messages"
local option = require "bide.text.option"
local tls = require "bide.tls"

local M = {}

---The modes, from the weakest to the strongest, which libpq names so.
M.modes = { "disable", "prefer", "require", "verify-ca", "verify-full" }

local mode_kind = option.one_of(M.modes)

---The part of the certificate that has to be right in a mode; the other modes trust any.
local trust_of = { ["verify-ca"] = "authority", ["verify-full"] = true }

---The parameters of a URL, and the options that they are.
local names = { sslrootcert = "ca", sslcert = "certificate", sslkey = "key", sslpassword = "key_password" }

---The parameters that are read: those of TLS, and the proof that a server must ask for.
M.parameters = { "require_auth", "sslmode", table.unpack(option.sorted_names(names)) }

---@param given bide.postgres.Options
---@return string mode
local function mode_of(given)
  local parameters = given.parameters
  if given.sslmode then return given.sslmode end
  if parameters and parameters.sslmode then return parameters.sslmode end
  if given.tls or parameters and parameters.sslrootcert == "system" then return "verify-full" end
  return parameters and "prefer" or "disable"
end

---Returns the trust of a mode. As libpq, `require` with authorities trusts no others.
local function trust(mode, options)
  if options.verify == false then return false end
  return trust_of[mode] or mode == "require" and options.ca and "authority" or false
end

---@param given bide.postgres.Options
---@return string? mode
---@return bide.tls.Options|string options or the mistake
function M.read(given)
  local mode, options = mode_of(given), {}
  local mistake = option.mistake(mode, mode_kind)
  if mistake then return nil, "sslmode: " .. mistake end
  for parameter, name in pairs(names) do options[name] = given.parameters and given.parameters[parameter] end
  if options.ca == "system" then options.ca = nil end
  for name, value in pairs(given.tls or {}) do options[name] = value end
  mistake = tls.mistake(options)
  if mistake then return nil, mistake end
  options.verify = trust(mode, options)
  return mode, options
end

---Starts TLS, unless the mode is to speak in clear, or the server has none and the mode allows that.
---@param dialogue bide.peer.Dialogue
---@param mode string
---@param options bide.tls.Options
function M.start(dialogue, mode, options)
  if mode == "disable" then return end
  dialogue:ask(messages.TLS_REQUEST, login.is_error)
  local answer = dialogue:read(1)
  if answer == "S" then return tls.start(dialogue, options) end
  if answer ~= "N" then
    local _, body = login.read_message(dialogue, answer)
    login.refuse(body)
  end
  if mode ~= "prefer" then
    error({ type = "TlsFailure", message = ("sslmode=%s, but the server has no TLS"):format(mode) }, 0)
  end
end

return M
