---The functions of an operation that run before anything is sent: `check` looks at a complete input, for what a declaration
---cannot say; `prepare` reads it once, and returns the function that each attempt calls. They may not wait, and are held to
---the limits of a file that is loaded, and to the watchdog's time for it.

local chunk = require "bide.recipe.file.chunk"
local option = require "bide.text.option"
local script_error = require "bide.text.script_error"
local script_limits = require "bide.task.script_limits"

local call_back = require "bide.task.callback"

local PREPARE <const> = "prepare"
local call_check = call_back "a check of the input"
local _, explain, fault_of = call_back(PREPARE)
local guard, protect = script_limits.guard, require("bide.core").task.protect

local M = {}

---Returns what a check answers. An operation error that it raises counts as its message.
local function answer_of(check, input)
  local ok, answer = pcall(check, input)
  if ok then return answer end
  if not script_error.is_operation_error(answer) then error(answer, 0) end
  return script_error.plain_operation_error(answer).message or "the input is wrong"
end

---Checks an input.
---@param check fun(input: table): string? returns nothing if the input is right, and else a text
---@param document bide.Document
---@param name string for messages: the file of the recipe, or the waiter
---@return string? mistake
function M.check(check, document, name)
  local _end <close> = chunk.watched(name)
  local within, ok, answer = guard(pcall, call_check, answer_of, check, document:value())
  if not within then return ok end
  script_error.pass_out_of_memory(answer)
  if not ok then return script_error.is(answer) and answer.message or tostring(answer) end
  if answer == nil or type(answer) == "string" then return answer end
  return ("%s: the check of the input: %s"):format(name, option.expected("a text or nothing", answer))
end

---Prepares the attempts of a wait. Raises a script error for everything but a function, or nil and a mistake.
---@param prepare fun(input: table, wait: bide.OperationWait?): function?, string?
---@param input table which it may change
---@param wait bide.OperationWait?
---@param name string for messages: the file of the recipe, or the waiter
---@return (fun(): any)? call
---@return string? mistake in the input
function M.prepare(prepare, input, wait, name)
  local _end <close> = chunk.watched(name)
  local within, ok, call, mistake = guard(protect, PREPARE, explain, prepare, input, wait)
  if not within then error(script_error.of(("%s: prepare: %s"):format(name, ok)), 0) end
  if not ok then error(fault_of(prepare, call), 0) end
  if type(call) == "function" then return call end
  if call == nil and type(mistake) == "string" then return nil, mistake end
  error(script_error.of(("%s: prepare: %s"):format(name,
    option.expected("a function, or nil and the mistake in the input", call))), 0)
end

return M
