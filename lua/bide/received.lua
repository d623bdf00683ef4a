---JSON that a service or a program sent. It is read leniently, and the note of the attempt says what was read as
---something else. Options, inputs and recipes, which a person can put right, are read strictly.

local core = require "bide.core"
local retries = require "bide.tasks.retries"

local json = core.json

local M = {}

local lenient = { lenient = true }

---@param text string
---@return any value
---@return bide.Failure? failure where value is nil
function M.decode(text)
  local value, failure, note = json.decode(text, lenient)
  retries.note(note)
  return value, failure
end

---@param text string
---@return bide.Document? document
---@return bide.Failure? failure
function M.read(text)
  local document, failure, note = json.read(text, lenient)
  retries.note(note)
  return document, failure
end

return M
