---The columns that a text takes on a terminal. Where terminals differ, the larger number is taken: a line may end early,
---but never wraps.

local M = {}

---Ranges of characters that take no column, or two: the first, the last, the columns.
local ranges = {
  { 0x0300, 0x036F, 0 }, { 0x1100, 0x115F, 2 }, { 0x1AB0, 0x1AFF, 0 }, { 0x1DC0, 0x1DFF, 0 }, { 0x20D0, 0x20FF, 0 },
  { 0x231A, 0x231B, 2 }, { 0x23E9, 0x23FF, 2 }, { 0x25FD, 0x25FE, 2 }, { 0x2600, 0x27BF, 2 }, { 0x2B00, 0x2BFF, 2 },
  { 0x2E80, 0xA4CF, 2 }, { 0xA960, 0xA97F, 2 }, { 0xAC00, 0xD7A3, 2 }, { 0xF900, 0xFAFF, 2 }, { 0xFE00, 0xFE0F, 0 },
  { 0xFE10, 0xFE1F, 2 }, { 0xFE20, 0xFE2F, 0 }, { 0xFE30, 0xFE6F, 2 }, { 0xFF00, 0xFF60, 2 }, { 0xFFE0, 0xFFE6, 2 },
  { 0x16FE0, 0x1B2FF, 2 }, { 0x1F000, 0x1FAFF, 2 }, { 0x20000, 0x3FFFD, 2 }, { 0xE0100, 0xE01EF, 0 },
}

local function of_character(code)
  if code < 0x300 then return 1 end
  for _, range in ipairs(ranges) do
    if code < range[1] then return 1 end
    if code <= range[2] then return range[3] end
  end
  return 1
end

---@param text string UTF-8 without control characters
---@return integer columns
function M.of(text)
  if not text:find "[\128-\255]" then return #text end
  local columns = 0
  for _, code in utf8.codes(text) do columns = columns + of_character(code) end
  return columns
end

---Shortens a text to at most `most` columns; what is cut off is replaced by "…".
---@param text string
---@param most integer
---@return string
function M.cut(text, most)
  if M.of(text) <= most then return text end
  if most < 1 then return "" end
  if not text:find "[\128-\255]" then return text:sub(1, most - 1) .. "…" end
  local columns = 0
  for position, code in utf8.codes(text) do
    columns = columns + of_character(code)
    if columns > most - 1 then return text:sub(1, position - 1) .. "…" end
  end
  return text
end

return M
