---Sizes of memory as people write them: `64M`, `1G`, `500K`, or a bare number of bytes.

local factor_of = { [""] = 1, K = 1 << 10, M = 1 << 20, G = 1 << 30 }

---No machine has more, and nothing overflows.
local LARGEST = 1 << 50

---@param text string
---@return integer? bytes
---@return string? mistake
return function(text)
  local digits, unit = text:match("^(%d+)([KMG]?)$")
  local bytes = digits and tonumber(digits) * factor_of[unit]
  if bytes and bytes >= 1 and bytes <= LARGEST then return math.tointeger(bytes) end
  return nil, ("found %q, wanted a size such as 64M, 1G, 500K or a number of bytes"):format(text)
end
