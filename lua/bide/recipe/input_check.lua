---The `check` of an operation: a function of the recipe that looks at a complete input before anything is sent, for what
---a declaration cannot say. It returns nothing if the input is right, and else a text; an operation error that it raises
---counts as its message. It may not wait, and is held to the limits of a file that is loaded.

local chunk = require "bide.recipe.chunk"
local option = require "bide.text.option"
local script_error = require "bide.text.script_error"
local script_limits = require "bide.task.script_limits"

local call_back = require "bide.task.callback" "a check of the input"

---@return string? mistake
local function answer_of(check, input)
  local ok, answer = pcall(check, input)
  if ok then return answer end
  if not script_error.is_operation_error(answer) then error(answer, 0) end
  return script_error.plain_operation_error(answer).message or "the input is wrong"
end

---@param check fun(input: table): string?
---@param document bide.Document
---@param name string for messages: the file of the recipe, or the waiter
---@return string? mistake
return function(check, document, name)
  local _end <close> = chunk.watched(name)
  local within, ok, answer = script_limits.guard(pcall, call_back, answer_of, check, document:value())
  if not within then return ok end
  script_error.pass_out_of_memory(answer)
  if not ok then return script_error.is(answer) and answer.message or tostring(answer) end
  if answer == nil or type(answer) == "string" then return answer end
  return ("%s: the check of the input: %s"):format(name, option.expected("a text or nothing", answer))
end
