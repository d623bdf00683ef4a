---The functions of Smithy's endpoint rules. A function returns nil if its value is absent; a condition then does not hold.
---A text that is absent or is not a text has no part, no label, no partition.

local web_address = require "bide.text.web_address"

local M = {}

local function is_text(value) return type(value) == "string" end

local function member(value, name)
  if type(value) == "table" then return value[name] end
end

---Returns the value at a path: "name", "resourceId[1]" or "[0]". Positions count from 0.
---@param value any
---@param path string
---@return any
function M.attribute(value, path)
  for name, position in path:gmatch "([^.%[%]]*)%[?(%d*)%]?%.?" do
    if name ~= "" then value = member(value, name) end
    if position ~= "" then value = member(value, math.tointeger(position) + 1) end
  end
  return value
end

local function is_label(text)
  return #text <= 63 and text:find "^%w[%w-]*$" ~= nil and text:sub(-1) ~= "-"
end

local function is_host(text, with_subdomains)
  if not is_text(text) then return false end
  if not with_subdomains then return is_label(text) end
  for label in (text .. "."):gmatch "([^.]*)%." do
    if not is_label(label) then return false end
  end
  return true
end

local function is_ip(host)
  if host:find "^%[[%x:.]+%]$" then return true end
  local bytes = { host:match "^(%d+)%.(%d+)%.(%d+)%.(%d+)$" }
  for _, byte in ipairs(bytes) do
    if #byte > 3 or tonumber(byte) > 255 then return false end
  end
  return #bytes == 4
end

---Takes a URL apart. One with a query or a fragment cannot be an endpoint.
local function parse_url(url)
  if not is_text(url) then return nil end
  local scheme, authority, path = url:match "^(%a+)://([^/?#]+)([^?#]*)$"
  scheme = scheme and scheme:lower()
  if scheme ~= "http" and scheme ~= "https" then return nil end
  return {
    scheme = scheme, authority = authority, path = path,
    normalizedPath = path:sub(-1) == "/" and path or path .. "/",
    isIp = is_ip((authority:gsub("^.*@", ""):gsub(":%d*$", ""))),
  }
end

local function parse_arn(text)
  if not is_text(text) then return nil end
  local name, service, region, account, resource = text:match "^arn:([^:]+):([^:]+):([^:]*):([^:]*):(.+)$"
  if not name then return nil end
  local parts = {}
  for part in (resource .. ":"):gmatch "([^:/]*)[:/]" do parts[#parts + 1] = part end
  return { partition = name, service = service, region = region, accountId = account, resourceId = parts }
end

---Returns a part of an ASCII text. The positions count from 0, or from the end if `is_reverse`.
local function substring(text, first, last, is_reverse)
  if not is_text(text) or text:find "[\x80-\xFF]" or first >= last or #text < last then return nil end
  if is_reverse then return text:sub(#text - last + 1, #text - first) end
  return text:sub(first + 1, last)
end

local function is_bucket_host(text, with_subdomains)
  return is_text(text) and #text >= 3 and #text <= 63 and not text:find "%u" and not is_ip(text)
    and is_host(text, with_subdomains)
end

---By their names in rule sets. `partitions` is the document partitions.json.
---@type table<string, fun(partitions: table, ...: any): any>
M.by_name = {
  isSet = function(_, value) return value ~= nil end,
  ["not"] = function(_, value) return not value end,
  booleanEquals = function(_, a, b) return a == b end,
  stringEquals = function(_, a, b) return a == b end,
  getAttr = function(_, value, path) return M.attribute(value, path) end,
  substring = function(_, ...) return substring(...) end,
  uriEncode = function(_, text) return is_text(text) and web_address.escape(text) or nil end,
  parseURL = function(_, url) return parse_url(url) end,
  isValidHostLabel = function(_, ...) return is_host(...) end,
  ["aws.partition"] = function(...) return require("bide.model.aws.partition").find(...) end,
  ["aws.parseArn"] = function(_, text) return parse_arn(text) end,
  ["aws.isVirtualHostableS3Bucket"] = function(_, ...) return is_bucket_host(...) end,
}

return M
