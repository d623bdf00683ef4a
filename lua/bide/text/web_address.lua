---The host and the port of an address, and the address of an HTTP service, which most waits have. bide.address has all others.

local core = require "bide.core"
local secret = require "bide.text.secret"
local shown = require "bide.text.shown"

local M = {}

---The longest address, in bytes.
M.LONGEST = 4096

---Returns a text without the part that may name a user, even if it is not a URL.
local function describe(text)
  local server = text:match "^.*@(.*)$"
  if server then text = (text:match "^%a[%w+.-]*://" or "") .. "[redacted]@" .. server end
  text = secret.before_cut(core.secret.mask():text(text))
  return shown.quote(#text > 80 and text:sub(1, 80) .. "…" or text)
end

---Returns the mistake of an address.
---@param expected string
---@param text string
---@return nil
---@return string mistake
function M.refuse(expected, text)
  local port = text:gsub("^%a[%w+.-]*://", ""):match "^[^/?#]*:(%d+)%f[/?#\0]"
  if port and not M.port_of(port) then expected = expected .. ", with a port of 1 to 65535" end
  return nil, ("expected %s, found %s"):format(expected, describe(text))
end

---The bytes that have been escaped, by themselves.
local escaped = setmetatable({}, { __index = function(known, byte)
  known[byte] = ("%%%02X"):format(byte:byte())
  return known[byte]
end })

---Percent-encodes all but the unreserved characters (RFC 3986, 2.3), with upper-case digits.
---@param text string
---@param kept? string further characters that stay, as in a class of a pattern
---@return string
function M.escape(text, kept)
  return (text:gsub("[^%w%-._~" .. (kept or "") .. "]", escaped))
end

---Returns a part of a URL with the bytes that its escapes mean.
---@param text string
---@return string
function M.unescape(text)
  return (text:gsub("%%(%x%x)", function(digits) return string.char(tonumber(digits, 16)) end))
end

---Returns a part of a URL with the bytes that its escapes mean.
---@param text string
---@return string? decoded nil if an escape is wrong, or means NUL
function M.decode(text)
  local is_wrong = text:gsub("%%%x%x", ""):find("%", 1, true) or text:find("%00", 1, true)
  return not is_wrong and M.unescape(text) or nil
end

---Reads the parameters of a URL, `a=1&b=2`; nil if an escape is wrong.
---@return table<string, string>?
function M.query(text)
  local parameters = {}
  for pair in text:gmatch "[^&]+" do
    local name, value = pair:match "^([^=]*)=?(.*)$"
    name, value = M.decode(name), M.decode(value)
    if not name or not value then return nil end
    parameters[name] = value
  end
  return parameters
end

---@param text string
---@return integer? port
function M.port_of(text)
  local port = text:find "^%d+$" and #text <= 5 and math.tointeger(tonumber(text))
  return port and port >= 1 and port <= 65535 and port or nil
end

---Returns the mistake of an authority that begins with its port: what should be before it is mostly a variable that is not
---set, and this machine is not what was meant.
---@param authority string `user:password@:5432`, `:8080`
---@return string? mistake
function M.missing_host(authority)
  local digits = authority:gsub("^.*@", ""):match "^:(%d+)$"
  local port = digits and M.port_of(digits)
  return port and ("no host before :%d; localhost:%d?"):format(port, port) or nil
end

---Reports whether it can be an IPv6 address, perhaps with its zone; the resolver decides whether it is one.
---@param host string
---@return boolean
function M.is_numeric(host)
  host = host:gsub("%%[%w_.-]+$", "")
  local _, colons = host:gsub(":", "")
  return host:find "^[%x:.]+$" ~= nil and colons <= 7 and (host:find("::", 1, true) ~= nil or colons >= 6)
end

---Reports whether a host is this machine, by its text alone.
---@param host string without brackets
---@return boolean
function M.is_loopback(host)
  return host == "localhost" or host == "::1" or host:find "^127%.%d+%.%d+%.%d+$" ~= nil
end

---Reports whether it can be a name or an IPv4 address.
local function is_host(host)
  return host:find "^[%w_\x80-\xFF][%w_.\x80-\xFF-]*$" ~= nil and not host:find "^%d+$"
end

---Cuts host and port.
---@return string? host nil if it can be none
---@return string? port text
local function cut(text)
  local host, port = text:match "^%[(.*)%]:(.*)$"
  host = host or text:match "^%[(.*)%]$"
  if host then return M.is_numeric(host) and host or nil, port end
  if M.is_numeric(text) then return text end
  host, port = text:match "^(.*):([^:]*)$"
  host = host or text
  return is_host(host) and host or nil, port
end

---Reads a host, perhaps with a port.
---@param text string
---@param address bide.Address gets host and port
---@return boolean fits
function M.read(text, address)
  local host, port = cut(text)
  address.host, address.port = host, port and M.port_of(port)
  return host ~= nil and (port == nil or address.port ~= nil)
end

---Completes the address of an HTTP service: `localhost:8080/health`, `8080`, `8080/health`, `https://db`.
---@param text string
---@return string? url
---@return string? mistake
function M.http(text)
  local wanted = "a URL such as http://localhost:8080/health"
  if #text > M.LONGEST or text:find "[%c%s]" then return M.refuse(wanted, text) end
  local scheme, rest = text:match "^(%a[%w+.-]*)://(.*)$"
  local authority, path = (rest or text):match "^([^/?#]*)(.*)$"
  local port = not scheme and authority:match "^(%d+)$"
  if port then authority = "localhost:" .. port end
  scheme = scheme and scheme:lower() or "http"
  local has_lost_colon = authority:find "^https?$" and path:find "^//" -- http//localhost
  local fits = (scheme == "http" or scheme == "https") and not has_lost_colon and M.read(authority:gsub("^.*@", ""), {})
  local mistake = not fits and (scheme == "http" or scheme == "https") and M.missing_host(authority)
  if mistake then return nil, mistake end
  if not fits then return M.refuse(wanted, text) end
  return ("%s://%s%s"):format(scheme, authority, path)
end

return M
