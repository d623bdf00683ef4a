---The endpoint of a service, a URL whose path comes before the paths of its operations, and the URL of a request there.

local option = require "bide.text.option"
local origin = require "bide.probe.http.origin"
local web_address = require "bide.text.web_address"

local M = {}

local EXPECTED = "an endpoint such as https://api.example.com/v1"

---Reads an endpoint as a person writes it. Without a scheme it is https.
---@param text string
---@return string? url
---@return string? mistake
function M.read(text)
  local given = text:find "^%a[%w+.-]*://" and text or "https://" .. text
  local url, mistake = web_address.http(given)
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

---@param query string[][]
local function write_query(query)
  local parts = {}
  for position, pair in ipairs(query) do
    parts[position] = ("%s=%s"):format(web_address.escape(pair[1]), web_address.escape(pair[2]))
  end
  return #parts > 0 and "?" .. table.concat(parts, "&") or ""
end

---Reports whether a host takes no prefix, however it is written: "0x7f.1" is 127.0.0.1.
local function takes_no_prefix(base)
  local found = require("bide.probe.http.transfer").origin(base)
  return not found or origin.takes_no_prefix(found:match "^%a+://(.*):%d+$" or "[")
end

---Returns the URL of a request at an endpoint. It is at the origin of the endpoint, with the request's prefix before its
---host, or there is none.
---@param base string the endpoint's URL
---@param request bide.protocol.Request
---@param takes_parts? boolean whether the prefix may be a part of the host's first label
---@return string? url
---@return string? mistake
function M.url(base, request, takes_parts)
  local scheme, authority, path_before = base:match "^(%a+://)([^/?#]*)(.*)$"
  local prefix = request.host_prefix and not takes_no_prefix(base) and request.host_prefix or nil
  if prefix and not takes_parts and prefix:sub(-1) ~= "." then
    return nil, ("the host prefix %s makes another host of the endpoint's, which gets no credentials; "
      .. "expected one that ends with a dot"):format(option.describe(prefix))
  end
  local path = path_before:gsub("/$", "") .. request.path
  local url = scheme .. (prefix or "") .. authority .. (path == "" and "/" or path) .. write_query(request.query)
  local mistake = origin.stray_url(url, base, prefix)
  if mistake then return nil, mistake end
  return url
end

return M
