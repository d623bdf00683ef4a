---Compares with what an input wants of an answer: a text if it comes from the command line, any value if from a script.

local json = require("bide.core").json

local M = {}

---Reports whether a value of JSON is the one that is wanted. A text equals that string, and the number or the boolean with
---that JSON text; no list, no object and no null.
---@param value any
---@param wanted any
---@return boolean
function M.is_same(value, wanted)
  if value == wanted then return true end
  local is_scalar = type(value) == "number" or type(value) == "boolean"
  return is_scalar and type(wanted) == "string" and json.encode(value) == wanted
end

---Reports whether a value of an answer is the one that is wanted: a whole number that Lua rounds by its digits.
---@param found bide.Document
---@param wanted any
---@return boolean
function M.is_found(found, wanted)
  local value = found:value()
  local digits = math.type(value) == "float" and found:json():match "^%-?%d+$"
  if not digits then return M.is_same(value, wanted) end
  return digits == wanted or math.type(wanted) == "float" and digits == ("%.0f"):format(wanted)
end

---@param wanted any
---@return string
function M.text_of(wanted)
  return type(wanted) == "string" and wanted or json.encode(wanted)
end

---Returns the texts of `failed`. The numbers in it are exit codes of a program.
---@param input table
---@return string[]
function M.failed_texts(input)
  local texts = {}
  for _, one in ipairs(input.failed or {}) do
    if type(one) == "string" then texts[#texts + 1] = one end
  end
  return texts
end

return M
