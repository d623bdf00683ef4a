---The endpoint of a service, a URL whose path comes before the paths of its operations, and the URL of a request there.

local address = require "bide.address"
local scalar = require "bide.protocol.scalar"

local M = {}

local EXPECTED = "an endpoint such as https://api.example.com/v1"

---Reads an endpoint as a person writes it. Without a scheme it is https.
---@param text string
---@return string? url
---@return string? mistake
function M.read(text)
  local given = text:find "^%a[%w+.-]*://" and text or "https://" .. text
  local url, mistake = address.http(given)
  if not url then return nil, (mistake:gsub("^expected .-, found", "expected " .. EXPECTED .. ", found")) end
  local authority, rest = url:match "^%a+://([^/?#]*)(.*)$"
  local surplus = authority:find("@", 1, true) and "a user" or rest:find("?", 1, true) and "a query"
    or rest:find("#", 1, true) and "a fragment"
  if surplus then return nil, ("expected %s, found one with %s"):format(EXPECTED, surplus) end
  return url
end

---Returns the host of a URL, without its port.
---@param url string
---@return string
function M.host(url)
  local authority = url:match "^%a+://([^/?#]*)" or ""
  return authority:match "^%[.*%]" or authority:match "^[^:]*"
end

---Reports whether nothing can come before a host: an IP address, or this machine.
local function takes_no_prefix(host)
  return host:find "^%[" ~= nil or host:find "^%d+%.%d+%.%d+%.%d+$" ~= nil or host == "localhost"
end

M.is_loopback = require("bide.http.origin").is_loopback

---@param query string[][]
local function write_query(query)
  local parts = {}
  for position, pair in ipairs(query) do
    parts[position] = ("%s=%s"):format(scalar.escape(pair[1]), scalar.escape(pair[2]))
  end
  return #parts > 0 and "?" .. table.concat(parts, "&") or ""
end

---Returns the URL of a request at an endpoint.
---@param base string the endpoint's URL
---@param request bide.protocol.Request
---@return string url
function M.url(base, request)
  local scheme, authority, prefix = base:match "^(%a+://)([^/?#]*)(.*)$"
  if request.host_prefix and not takes_no_prefix(M.host(base)) then authority = request.host_prefix .. authority end
  local path = prefix:gsub("/$", "") .. request.path
  return scheme .. authority .. (path == "" and "/" or path) .. write_query(request.query)
end

return M
