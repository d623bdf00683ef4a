---The origin of a request: its scheme, host and port, or its Unix socket.

local M = {}

local default_port = { http = "80", https = "443" }

---Returns the host and the port of an authority, without a user; the port is empty if there is none.
local function parts_of(authority)
  authority = authority:match("[^@]*$"):lower()
  local host, port = authority:match("^(.-):(%d*)$")
  if not host or host:find("^%[") and not host:find("%]$") then return authority, "" end
  return host, port
end

---Returns the scheme, host and port of a URL, however it is written, or the socket.
---@param url string
---@param unix_socket string?
---@return string
function M.of(url, unix_socket)
  if unix_socket then return "unix:" .. unix_socket end
  local scheme, authority = url:match("^(%a+)://([^/?#]*)")
  if not scheme then return url end
  local host, port = parts_of(authority)
  scheme = scheme:lower()
  return ("%s://%s:%s"):format(scheme, host, port ~= "" and port or default_port[scheme])
end

---Returns an origin for people, without its scheme and the port that it has anyway: `api.example`, `api.example:8080`.
---@param origin string
---@return string
function M.shown(origin)
  local scheme, host, port = origin:match "^(%a+)://(.*):(%d+)$"
  if not scheme then return origin end
  return port == default_port[scheme] and host or ("%s:%s"):format(host, port)
end

local function is_loopback_host(host)
  return host == "localhost" or host:find "%.localhost$" ~= nil or host == "[::1]" or host:find "^127%.%d+%.%d+%.%d+$" ~= nil
end

---The answers whether authorities are of this machine, by their texts. Most requests of a process go to few of them.
local known, known_count = {}, 0
local MOST_KNOWN = 1000

---Reports whether requests to a URL stay on this machine, by the name of its host alone.
---@param url string
---@return boolean
function M.is_loopback(url)
  local authority = url:match "^%a+://([^/?#]*)" or ""
  local is_loopback = known[authority]
  if is_loopback ~= nil then return is_loopback end
  is_loopback = is_loopback_host((parts_of(authority)))
  if known_count == MOST_KNOWN then known, known_count = {}, 0 end
  known[authority], known_count = is_loopback, known_count + 1
  return is_loopback
end

return M
