---The origin of a request: its scheme, host and port, or its Unix socket.

local web_address = require "bide.text.web_address"

local M = {}

---The ports of URLs without one, by their schemes.
M.default_port = { http = "80", https = "443" }

local default_port = M.default_port
local sub <const> = string.sub -- which is charged to no script, as methods of texts are

---Returns the host and the port of an authority, without a user; the port is empty if there is none.
local function parts_of(authority)
  authority = authority:gsub("^.*@", ""):lower()
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

-- ---- where credentials may go -----------------------------------------------------------------

---Stands for any labels before a host.
M.LABELS = {}

---Reports whether nothing can come before a host, as libcurl writes it: an IP address, or this machine.
---@param host string
---@return boolean
function M.takes_no_prefix(host)
  return host:find "^%[" ~= nil or host:find "^%d+%.%d+%.%d+%.%d+$" ~= nil or host == "localhost"
end

---Reports whether a text is labels of a host's name, with dots between them.
local function are_labels(text)
  for label in (text .. "."):gmatch "([^.]*)%." do
    if not label:find "^[%w_-]+$" then return false end
  end
  return true
end

---Reports whether a host begins only with what is allowed.
---@param host string of what is about to be sent
---@param meant string
---@param before? string|table
local function is_below(host, meant, before)
  if not before or M.takes_no_prefix(meant) or #host <= #meant or host:sub(-#meant) ~= meant then return false end
  local found = host:sub(1, #host - #meant)
  if before ~= M.LABELS then return found == before:lower() end
  return found:sub(-1) == "." and are_labels(found:sub(1, -2))
end

---Returns why an origin is not the one that was meant; nil if it is. Every place that adds credentials to a request asks
---this: what was meant for one scheme, host and port is sent to no other.
---@param origin string of what is about to be sent, as libcurl's parser has it
---@param meant string
---@param before? string|table what the host may begin with, before the one that was meant: this text, or any labels (M.LABELS)
---@return string? mistake
function M.stray(origin, meant, before)
  if origin == meant then return nil end
  local scheme, host, port = origin:match "^(%a+)://(.*):(%d+)$"
  local meant_scheme, meant_host, meant_port = meant:match "^(%a+)://(.*):(%d+)$"
  local is_right = host and meant_host and scheme == meant_scheme and port == meant_port
    and is_below(host, meant_host, before)
  return not is_right and ("the request would go to %s, and %s was meant"):format(origin, meant) or nil
end

---Returns why the URL of a request is not at the origin of another URL; nil if it is. Both are read by libcurl's parser,
---which decides where a request goes.
---@param url string of what is about to be sent
---@param meant string a URL of the origin that was meant
---@param before? string|table what the host may begin with, before the one that was meant: this text, or any labels (M.LABELS)
---@return string? mistake
function M.stray_url(url, meant, before)
  local transfer = require "bide.probe.http.transfer"
  local found, right = transfer.origin(url), transfer.origin(meant)
  if not found or not right then return ("%s is no URL"):format(M.shown_url(found and meant or url)) end
  return M.stray(found, right, before)
end

---Returns a URL for a message, without a user and a query.
---@param url string
---@return string
function M.shown_url(url)
  return (url:gsub("[?#].*$", ""):gsub("^(%a+://)[^/]*@", "%1"))
end

-- ---- this machine -----------------------------------------------------------------------------

---The answers whether authorities are of this machine, by their texts. Most requests of a process go to few of them.
local known, known_count = {}, 0
local MOST_KNOWN = 1000

---The beginning of the URL that was asked about last, up to the character behind its authority, and the answer. That of the next
---one mostly has the same, which a pattern would find out anew.
local latest, is_latest_loopback

---@return boolean
local function find_out(authority)
  local host = parts_of(authority)
  local is_loopback = host == "[::1]" or host:find "%.localhost$" ~= nil or web_address.is_loopback(host)
  if known_count == MOST_KNOWN then known, known_count = {}, 0 end
  known[authority], known_count = is_loopback, known_count + 1
  return is_loopback
end

---Reports whether requests to a URL stay on this machine, by the name of its host alone.
---@param url string
---@return boolean
function M.is_loopback(url)
  if latest and sub(url, 1, #latest) == latest then return is_latest_loopback end
  local authority = url:match "^%a+://([^/?#]*)" or ""
  local is_loopback = known[authority]
  if is_loopback == nil then is_loopback = find_out(authority) end
  latest, is_latest_loopback = url:match "^%a+://[^/?#]*[/?#]", is_loopback
  return is_loopback
end

return M
