---Encodes and decodes Base64 (RFC 4648), in which some services wrap bytes.

local M = {}

local digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

local value_of = {}
for position = 1, #digits do value_of[digits:byte(position)] = position - 1 end

---@param bytes string
---@return string
function M.encode(bytes)
  local padding = -#bytes % 3
  local text = (bytes .. ("\0"):rep(padding)):gsub("...", function(three)
    local bits = string.unpack(">I3", three)
    return (("."):rep(4):gsub("()%.", function(position)
      local digit = (bits >> 24 - 6 * position & 63) + 1
      return digits:sub(digit, digit)
    end))
  end)
  return text:sub(1, #text - padding) .. ("="):rep(padding)
end

local function decode_four(four)
  local bits = 0
  for position = 1, 4 do bits = bits << 6 | (value_of[four:byte(position)] or 0) end
  return string.pack(">I3", bits)
end

---@param text string
---@return string? bytes nil if the text is not Base64
function M.decode(text)
  local body, padding = text:match("^([%w+/]*)(=?=?)$")
  if not body or #text % 4 ~= 0 then return nil end
  local bytes = text:gsub("....", decode_four)
  return bytes:sub(1, #bytes - #padding)
end

return M
