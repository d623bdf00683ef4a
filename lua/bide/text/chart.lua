---Drawings of numbers in text.

local M = {}

local EIGHTHS <const> = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" }

---Draws a bar, and after it what it could have been.
---@param part number
---@param whole number at least `part`
---@param longest number the number that has the whole width
---@param width integer columns
---@return string
function M.bar(part, whole, longest, width)
  local filled = math.max(math.floor(part / longest * width + 0.5), part > 0 and 1 or 0)
  local ends = math.max(math.floor(whole / longest * width + 0.5), filled)
  return ("█"):rep(filled) .. ("░"):rep(ends - filled)
end

---Draws numbers as columns. Whatever is above 0 is seen.
---@param numbers number[]
---@param height integer lines
---@return string[] lines from the top
function M.columns(numbers, height)
  local greatest, lines = math.max(0, table.unpack(numbers)), {}
  for line = 1, height do
    local parts, below = {}, (height - line) * #EIGHTHS
    for position, number in ipairs(numbers) do
      local eighths = number > 0 and math.max(math.floor(number / greatest * height * #EIGHTHS + 0.5), 1) or 0
      local here = math.min(eighths - below, #EIGHTHS)
      parts[position] = here > 0 and EIGHTHS[here] or " "
    end
    lines[line] = table.concat(parts)
  end
  return lines
end

return M
