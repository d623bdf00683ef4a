---Compares what a test case expects with what came, and says where the two part.

local core = require "bide.core"
local option = require "bide.text.option"
local tables = require "bide.text.tables"

local M = {}

---@param value any
---@return string
function M.show(value)
  if value == nil then return "nothing" end
  local text = core.json.encode(value) or tostring(value)
  return #text > 200 and text:sub(1, 200) .. "…" or text
end

local function equals(a, b)
  if type(a) == "number" and type(b) == "number" then return math.abs(a - b) < 1e-9 end
  return a == b
end

---Returns where a value is not as expected: the first place in the order of names.
---@param expected any
---@param found any
---@param path string
---@param is_whole? boolean whether objects may have no further members
---@return string? difference nil if there is none
function M.of(expected, found, path, is_whole)
  if type(expected) ~= "table" or type(found) ~= "table" then
    if equals(expected, found) then return nil end
    return ("%s: expected %s, found %s"):format(path, M.show(expected), M.show(found))
  end
  if #expected ~= #found then -- also an empty list beside one with elements
    return ("%s: expected %d elements, found %d: %s"):format(path, #expected, #found, M.show(found))
  end
  for _, name in ipairs(option.sorted_keys(tables.merged(expected, is_whole and found or nil))) do
    local below = type(name) == "number" and ("%s[%d]"):format(path, name) or ("%s.%s"):format(path, name)
    local text = M.of(expected[name], found[name], below, is_whole)
    if text then return text end
  end
end

---Returns where two lists of delays part.
---@param expected number[]
---@param found number[]
---@return string?
function M.of_delays(expected, found)
  for position = 1, math.max(#expected, #found) do
    local wanted, came = expected[position], found[position]
    if not (wanted and came and equals(wanted, came)) then
      return ("delays: after attempt %d expected %s, found %s"):format(position, wanted and ("%g s"):format(wanted) or "the end",
        came and ("%g s"):format(came) or "the end")
    end
  end
end

return M
