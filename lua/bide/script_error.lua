---Tells what a script raised on purpose from a bug in it.
---
---An operation error is a table with a `type`. Anything else that comes out of
---Lua code is a script error: it ends the wait, and no acceptor ever sees it.
---What was raised may be anything, so nothing here trusts its metamethods.

local sealed = require("bide.objects").sealed

local M = {}

---@class bide.ScriptError
---@field message string with the file and line of the script
---@field traceback string

local ScriptError = {}
ScriptError.__index = sealed(ScriptError)
function ScriptError.__tostring(self) return self.message end

---The folder of bide's own modules, whose lines mean nothing to who reads a message.
local own_folder = debug.getinfo(1, "S").source:match("^(@.*/)") or "@"
M.own_folder = own_folder

---What Lua raises where memory has run out, and bide's own C with it.
local OUT_OF_MEMORY = "not enough memory"
local OUT_OF_MEMORY_IN_REQUIRE = "^error loading module .*\n\t" .. OUT_OF_MEMORY .. "$"

local function tells_of_memory(value)
  return value == OUT_OF_MEMORY or type(value) == "string" and value:find(OUT_OF_MEMORY_IN_REQUIRE) ~= nil
end

---Whether memory ran out, which is nobody's mistake and no answer.
---@param value any that was raised
---@return boolean
function M.is_out_of_memory(value)
  return tells_of_memory(value) or M.is(value) and tells_of_memory(rawget(value, "message"))
end

---Raises again what says that memory ran out: whoever makes a mistake of the user's, or an operation
---error, of what was raised lets this through first.
---@param value any that was raised
function M.pass_out_of_memory(value)
  if M.is_out_of_memory(value) then error(value, 0) end
end

local function look_up(value, name)
  local ok, found = pcall(function() return value[name] end)
  return ok and found or nil
end

---@param value any
---@return boolean
function M.is_operation_error(value)
  return type(value) == "table" and type(look_up(value, "type")) == "string"
end

---A script that caught one can have changed it: then it is one no more.
---@param value any
---@return boolean
function M.is(value)
  return getmetatable(value) == ScriptError
    and type(rawget(value, "message")) == "string" and type(rawget(value, "traceback")) == "string"
end

---An operation error as a plain table. Its type may come from its metatable, as
---where errors are instances of classes.
---@param failure table
---@return table
function M.plain_operation_error(failure)
  if getmetatable(failure) == nil then return failure end
  local plain = {}
  for name, value in next, failure do plain[name] = value end
  for _, name in ipairs { "type", "message", "status" } do plain[name] = look_up(failure, name) end
  return plain
end

---bide's own frames are no part of the script that a reader of the trace wrote.
local function own_frames(traceback)
  local kept = {}
  for line in traceback:gmatch("[^\n]+") do
    if line:find("'xpcall'", 1, true) then break end
    kept[#kept + 1] = line
  end
  return table.concat(kept, "\n")
end

local function has_text(value)
  local metatable = getmetatable(value)
  return type(value) ~= "table" or type(metatable) == "table" and rawget(metatable, "__tostring") ~= nil
end

---The text that a raised table gives itself; nil where it gives none, or fails to.
---@param value any
---@return string?
function M.text(value)
  if type(value) == "table" and not has_text(value) then return nil end
  local ok, text = pcall(tostring, value)
  return ok and text or nil
end

local function describe(value)
  if value == nil then return "nil was raised, which is not an operation error" end
  if not has_text(value) then return "a table without a type was raised, which is not an operation error" end
  return M.text(value) or "a table was raised that cannot be made a text: its __tostring fails"
end

---The first frame of the script, from `level` on; and whether `where` is one of bide's own before it.
local function find_script(level, where)
  local is_own = false
  while true do
    level = level + 1
    local frame = debug.getinfo(level, "Sl")
    if not frame then return nil, false end
    local own = frame.source:sub(1, #own_folder) == own_folder
    if not own and frame.what ~= "C" then return frame, is_own end
    is_own = is_own or own and frame.short_src == where
  end
end

---The message with the place in the script, where it has none or one within bide.
local function place(value, text)
  local where, rest = text:match("^([^:\n]+):%d+: (.*)$")
  local frame, is_own = find_script(3, where)
  if not frame or type(value) == "string" and not is_own then return text end
  return ("%s:%d: %s"):format(frame.short_src, frame.currentline, is_own and rest or text)
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
  if M.is_operation_error(value) or M.is(value) or tells_of_memory(value) then return value end
  local message = place(value, describe(value))
  return M.of(message, message .. "\n" .. own_frames(debug.traceback(nil, 2)))
end

return M
