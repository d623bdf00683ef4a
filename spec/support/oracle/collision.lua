---Pairs of names that have one hash in bide (bide_name_hash), so that only their bytes tell them apart. For a name of
---8 or 16 bytes the hash is the upper half of (state ~ tail) * FACTOR, where the tail is its last 8 bytes: another
---product with the same upper half leads back to another tail.

local M = {}

local FACTOR = 0x9E3779B97F4A7C15

---The inverse of the factor modulo 2^64, by Newton's method.
local INVERSE = FACTOR
for _ = 1, 6 do INVERSE = INVERSE * (2 - FACTOR * INVERSE) end

local function state_behind(prefix, length)
  local state = (length + 1) * FACTOR
  if prefix == "" then return state end
  state = (state ~ ("<i8"):unpack(prefix)) * FACTOR
  return state ~ state >> 32
end

---Another name of the same length, prefix and hash.
---@param prefix string of 8 bytes, or empty
---@param tail string of 8 bytes
---@return string
function M.partner(prefix, tail)
  local state = state_behind(prefix, #prefix + 8)
  local product = (state ~ ("<i8"):unpack(tail)) * FACTOR
  local low = product & 0xFFFFFFFF
  for step = 1, 1 << 20 do
    local other = product - low | (low + step * 0x9E3779B1) & 0xFFFFFFFF
    local found = ("<i8"):pack(other * INVERSE ~ state)
    if not found:find('[^\x20-\x7E]') and not found:find('["\\]') then return prefix .. found end
  end
  error "no other name has this hash"
end

---@return { [1]: string, [2]: string }[]
function M.pairs_of_names()
  local list = {}
  for position, prefix in ipairs { "", "", "resource", "resource", "aaaaaaaa" } do
    local tail = ("State_%02d"):format(position)
    list[position] = { prefix .. tail, M.partner(prefix, tail) }
  end
  return list
end

return M
