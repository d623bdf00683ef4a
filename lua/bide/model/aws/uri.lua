---Percent-encodes texts as AWS does: all bytes but the unreserved ones of RFC 3986, with upper-case digits.

local web_address = require "bide.text.web_address"

local M = {}

---The bytes that have been encoded, by themselves.
local encoded = setmetatable({}, { __index = function(known, byte)
  known[byte] = ("%%%02X"):format(byte:byte())
  return known[byte]
end })

---@param text string
---@return string
function M.encode(text)
  return (text:gsub("[^%w%-._~]", encoded))
end

---Encodes a path, but for its slashes. A percent sign is encoded as well: what was encoded before is encoded twice.
---@param path string
---@return string
function M.encode_path(path)
  return (path:gsub("[^%w%-._~/]", encoded))
end

---Encodes what is left to encode in a path: slashes and percent signs stay.
---@param path string
---@return string
function M.complete_path(path)
  return (path:gsub("[^%w%-._~/%%]", encoded))
end

---Returns a part of a query in its one form, whichever way it was encoded. A plus sign is a blank, as services read it.
---@param part string
---@return string
function M.canonical(part)
  if part:find "[^%w%-._~]" then
    return M.encode(web_address.unescape((part:gsub("+", " "))))
  end
  return part
end

return M
