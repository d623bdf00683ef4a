---`--env NAME=EXPRESSION`: hands what a wait found to COMMAND, as an environment variable.

local answer_functions = require "bide.recipe.expression.answer_functions"
local core = require "bide.core"
local parser = require "bide.cli.words.parser"
local secret = require "bide.text.secret"
local shown = require "bide.text.shown"
local tables = require "bide.text.tables"
local uv = require "luv"
local vocabulary = require "bide.recipe.expression.vocabulary"
local waiter_module = require "bide.wait.waiter"

local M = {}

---@class bide.cli.Handed
---@field name string of the variable
---@field path string
---@field expression userdata

---@param command table
function M.add_option(command)
  command:begin_section "Running a command"
  command:option("--env", "Give COMMAND the value of EXPRESSION, a JMESPath over the output, as the environment variable "
    .. "NAME. Without a value COMMAND does not run. May be repeated."):argname("NAME=EXPRESSION"):count("*")
end

---@return bide.cli.Handed?
---@return string? mistake
local function read(text)
  local name, path = text:match "^([%a_][%w_]*)=(.*%S.*)$"
  if not name then
    return nil, ("--env: expected NAME=EXPRESSION, found %s; a NAME has letters, digits and _, and begins with no digit"):format(
      shown.quote(text))
  end
  local expression, mistake = core.jmespath.compile(path)
  if not expression then return nil, ("--env: %s: %s"):format(name, tostring(mistake)) end
  return { name = name, path = path, expression = expression }
end

---Reads what a wait hands to COMMAND; ends the process if there is a mistake in it.
---@param options table of the command line
---@param waiter bide.Waiter
---@return bide.cli.Handed[]? list nil if nothing is handed
---@return bide.Waiter waiter another one if its waits have to keep the answer of their last output
function M.read(options, waiter)
  if not options.env or #options.env == 0 then return nil, waiter end
  local _entered <close> = vocabulary.enter(waiter.vocabulary)
  local list, asks_answer = {}, false
  for position, text in ipairs(options.env) do
    local one, mistake = read(text)
    if not one then parser.fail_in_lines(mistake) end
    list[position], asks_answer = one, asks_answer or answer_functions.may_call(one.path)
  end
  if asks_answer then
    waiter = waiter_module.with_acceptors(waiter, waiter.acceptors)
    waiter.keeps_answer = true
  end
  return list, waiter
end

---Ends the process if there is no COMMAND that could get what is handed, or if two values have one name.
---@param options table of the command line
---@param handed table<integer, bide.cli.Handed[]> by the position of the wait
function M.check(options, handed)
  local taken = {}
  for _, list in pairs(handed) do
    for _, one in ipairs(list) do
      if taken[one.name] then parser.fail(("--env: %s is given twice"):format(one.name)) end
      taken[one.name] = true
    end
  end
  if not next(taken) then return end
  if not options.command then parser.fail "--env is for COMMAND, and there is none: add -- COMMAND" end
  if options.sandbox then
    parser.fail "--env and --sandbox exclude each other: COMMAND runs outside of the sandbox, and gets nothing from within"
  end
end

---The nodes of expressions that select parts of a value, and compute nothing of them.
local selecting = tables.set {
  "field", "chain", "index", "list-projection", "values-projection", "flatten", "multi-select-list", "multi-select-hash",
  "current", "literal",
}

---Reports whether an expression only selects parts of a value.
---@param node table of its tree
local function is_selection(node)
  if node.type and not selecting[node.type] then return false end
  for name, part in pairs(node) do
    if type(part) == "table" and not (node.type == "literal" and name == "value") and not is_selection(part) then return false end
  end
  return true
end

---Returns why the value cannot be known from a recorded outcome: computed of a text that was left out, it would be wrong.
---@param output userdata a document
---@param one bide.cli.Handed
---@return string? mistake
local function mistake_of_recorded(output, one)
  if one.expression:asks_answer() then
    return one.path .. " asks for the headers, the status or the text of an answer, which the journal does not keep"
  end
  if not secret.is_masked(output:json()) or is_selection(one.expression:tree():value()) then return nil end
  return one.path .. " is computed of an output with secrets, which the journal does not keep"
end

---@param output userdata a document
---@param one bide.cli.Handed
---@param is_recorded boolean whether a journal has the output, without its secrets
---@return string?
---@return string? mistake
local function value_of(output, one, is_recorded)
  local gap = is_recorded and mistake_of_recorded(output, one)
  if gap then return nil, gap end
  local found, failure = one.expression:query(output)
  if not found then return nil, ("%s cannot be evaluated: %s"):format(one.path, failure and failure.kind or "no value") end
  local value, text = found:value(), found:json()
  if value == nil or value == core.json.null then return nil, one.path .. " is null" end
  if secret.is_masked(text) then return nil, one.path .. " has a secret, which the journal does not keep" end
  if type(value) ~= "string" then return text end
  if value:find("\0", 1, true) then return nil, one.path .. " has a NUL byte" end
  return value
end

---Puts what successful waits found into the environment, and takes the variables of the others out of it, since no wait has
---found what was there before. Where a successful one has no value, it says so, and COMMAND must not run.
---@param waits bide.cli.Waits
---@param records table<integer, table> of the outcomes
---@return boolean
function M.hand(waits, records)
  for position, list in pairs(waits.handed) do
    local record, is_recorded = records[position], waits.prepared[position].record ~= nil
    for _, one in ipairs(list) do uv.os_unsetenv(one.name) end
    for _, one in ipairs(record and record.state == "success" and list or {}) do
      local value, mistake = value_of(record.output or core.json.document {}, one, is_recorded)
      if not value then
        shown.complain(("--env: %s: %s, so COMMAND does not run"):format(one.name, mistake))
        return false
      end
      uv.os_setenv(one.name, value)
    end
  end
  return true
end

return M
