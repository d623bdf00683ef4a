---Tells what a script raised on purpose from a bug in it.
---
---An operation error is a table with a `type`. Anything else that comes out of
---Lua code is a script error: it ends the wait, and no acceptor ever sees it.

local M = {}

---@class bide.ScriptError
---@field message string with the file and line of the script
---@field traceback string

local ScriptError = {}
ScriptError.__index = ScriptError
function ScriptError.__tostring(self) return self.message end

---@param value any
---@return boolean
function M.is_operation_error(value)
  return type(value) == "table" and type(value.type) == "string"
end

---@param value any
---@return boolean
function M.is(value)
  return getmetatable(value) == ScriptError
end

---bide's own frames are no part of the script that a reader of the trace wrote.
local function own_frames(traceback)
  local kept = {}
  for line in traceback:gmatch("[^\n]+") do
    if line:find("in function 'xpcall'", 1, true) then break end
    kept[#kept + 1] = line
  end
  return table.concat(kept, "\n")
end

local function describe(value)
  if type(value) == "table" and getmetatable(value) == nil then
    return "a table without a type was raised, which is no operation error"
  end
  return tostring(value)
end

---@param value any
---@param traceback? string
---@return bide.ScriptError
function M.of(value, traceback)
  if M.is(value) then return value end
  local message = describe(value)
  return setmetatable({ message = message, traceback = traceback or message }, ScriptError)
end

---The message handler for calls into scripts: keeps an operation error as it is,
---makes a script error, with its traceback, of everything else.
function M.explain(value)
  if M.is_operation_error(value) or M.is(value) then return value end
  return M.of(value, own_frames(debug.traceback(describe(value), 2)))
end

return M
