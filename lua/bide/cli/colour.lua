---Colours on a terminal, and nowhere else.

local M = {}

local RESET = "\27[0m"
local colours = { name = "\27[34;1m", string = "\27[32m", number = "\27[36m", word = "\27[35m" }

---Whether standard output is a terminal whose user has not set NO_COLOR (no-color.org).
---@return boolean
function M.wanted()
  local refused = os.getenv("NO_COLOR")
  if refused and refused ~= "" then return false end
  return os.getenv("TERM") ~= "dumb" and require("luv").guess_handle(1) == "tty"
end

---The end of the string that begins at `from`.
local function string_end(text, from)
  local at = from + 1
  while true do
    local byte = text:sub(at, at)
    if byte == '"' then return at end
    at = at + (byte == "\\" and 2 or 1)
  end
end

---@param text string JSON
---@return string
function M.json(text)
  local parts, at = {}, 1
  while at <= #text do
    local stop, kind
    if text:find('^"', at) then
      stop = string_end(text, at)
      kind = text:find("^:", stop + 1) and "name" or "string"
    elseif text:find("^[%d-]", at) then
      stop, kind = select(2, text:find("^[%d%.eE+-]+", at)), "number"
    elseif text:find("^%a", at) then
      stop, kind = select(2, text:find("^%a+", at)), "word"
    else
      stop = select(2, text:find('^[^"%w-]+', at))
    end
    local part = text:sub(at, stop)
    parts[#parts + 1] = kind and colours[kind] .. part .. RESET or part
    at = stop + 1
  end
  return table.concat(parts)
end

return M
