---Distinguishes errors that a script raised on purpose from bugs in it.
---
---An operation error is a table with a `type`. Anything else that Lua code raises is a script error: it ends the wait,
---and no acceptor ever sees it. A raised value may be anything, so this module does not trust its metamethods.

local core = require "bide.core"

local M = {}

---@class bide.ScriptError
---@field message string with the file and line of the script
---@field traceback string
---@field raised any what the script raised

local ScriptError = {}
function ScriptError.__tostring(self) return self.message end

---The folder of bide's own modules, whose lines mean nothing to the reader of a message.
local own_folder = debug.getinfo(1, "S").source:match("^(@.*/)[^/]*/") or "@"
core.task.set_own_folder(own_folder)

---The text that Lua, and bide's own C code, raise when memory has run out.
local OUT_OF_MEMORY = "not enough memory"
local OUT_OF_MEMORY_IN_REQUIRE = "^error loading module .*\n\t" .. OUT_OF_MEMORY .. "$"

local function is_memory_text(value)
  return value == OUT_OF_MEMORY or type(value) == "string" and value:find(OUT_OF_MEMORY_IN_REQUIRE) ~= nil
end

---Reports whether a raised value says that memory ran out, which is neither a mistake of the user nor an answer.
---@param value any that was raised
---@return boolean
function M.is_out_of_memory(value)
  return is_memory_text(value) or M.is(value) and is_memory_text(rawget(value, "message"))
end

---Raises a value again if it says that memory ran out. Code that turns raised values into mistakes of the user, or into
---operation errors, calls this first.
---@param value any that was raised
function M.pass_out_of_memory(value)
  if M.is_out_of_memory(value) then error(value, 0) end
end

local function look_up(value, name)
  local ok, found = pcall(function() return value[name] end)
  return ok and found or nil
end

---Reports whether a value is an operation error. A type that is empty or blank makes none: acceptors could match no
---name, and one of `success = false` would match a mistake of the script.
---@param value any
---@return boolean
function M.is_operation_error(value)
  local found = type(value) == "table" and look_up(value, "type")
  return type(found) == "string" and found:find "%S" ~= nil
end

---The operation errors that are about bide itself, and say nothing of what a wait waits for.
local of_bide = setmetatable({}, { __mode = "k" })

---Marks an operation error as one about bide itself. Scripts may catch it; no acceptor sees it.
---@param failure table
---@return table failure
function M.about_bide(failure)
  of_bide[failure] = true
  return failure
end

---Returns the script error that an operation error becomes where acceptors would see it; nil if they may.
---@param failure table
---@return bide.ScriptError?
function M.hidden_from_acceptors(failure)
  return of_bide[failure] and M.of(("%s: %s"):format(failure.type, failure.message), nil, failure) or nil
end

---Reports whether a value is a script error. A script that caught one may have changed it; then it is not one any more.
---@param value any
---@return boolean
function M.is(value)
  return getmetatable(value) == ScriptError
    and type(rawget(value, "message")) == "string" and type(rawget(value, "traceback")) == "string"
end

---Returns an operation error as a plain table. Its type may come from its metatable, as when errors are instances of
---classes.
---@param failure table
---@return table
function M.plain_operation_error(failure)
  if getmetatable(failure) == nil then return failure end
  local plain = {}
  for name, value in next, failure do plain[name] = value end
  for _, name in ipairs { "type", "message", "status" } do plain[name] = look_up(failure, name) end
  return plain
end

---The beginning of the lines of a traceback that are bide's own.
local own_place = "\t" .. debug.getinfo(1, "S").short_src:match "^(.*/)[^/]*/"

local function is_own_frame(line)
  return line:sub(1, #own_place) == own_place or line:find "^\t%[C%]" or line:find "^\t%(%.%.%.tail calls"
end

---Removes the frames below the script's own from a traceback, since its reader did not write them.
local function own_frames(traceback)
  local kept = {}
  for line in traceback:gmatch("[^\n]+") do
    if line:find "xpcall'" then break end -- bide's own, by either of its names
    kept[#kept + 1] = line
  end
  local last = #kept
  while last > 1 and is_own_frame(kept[last]) do last = last - 1 end
  return table.concat(kept, "\n", 1, last > 1 and last or #kept)
end

local function has_text(value)
  local metatable = getmetatable(value)
  return type(value) ~= "table" or type(metatable) == "table" and rawget(metatable, "__tostring") ~= nil
end

---Returns the text of a raised value; nil for a table without __tostring, or one whose __tostring fails.
---@param value any
---@return string?
function M.text(value)
  if type(value) == "table" and not has_text(value) then return nil end
  local ok, text = pcall(tostring, value)
  return ok and text or nil
end

---Matches the message of Lua for a module that it does not find, which has a line for each path that it tried.
local NOT_FOUND = "^(.-)module '([^'\n]*)' not found:\n.*$"

---Replaces the paths that were tried for a module by a hint.
local function shorten(text)
  local where, name = text:match(NOT_FOUND)
  if not name then return text end
  local near = core.names.nearest(name, require("bide.text.registry").names())
  return ("%smodule '%s' not found%s"):format(where, name, near and (", did you mean %q?"):format(near)
    or " beside the recipe, in LUA_PATH or in LUA_CPATH")
end

local function describe(value)
  if type(value) == "string" then return shorten(value) end
  if value == nil then return "nil was raised, which is not an operation error" end
  if not has_text(value) then
    return ("a table with%s type was raised, which is not an operation error"):format(
      type(look_up(value, "type")) == "string" and " an empty" or "out a")
  end
  return M.text(value) or "a table was raised that cannot be made a text: its __tostring fails"
end

---Reports whether calling a value calls a function: that function, or a module with it as its __call.
local function calls(value, f)
  local metatable = type(value) == "table" and debug.getmetatable(value)
  return value == f or metatable and rawget(metatable, "__call") == f
end

---Returns the name of a function that scripts find in bide; nil if it is a method, or internal.
---@return string?
local function public_name(f)
  for _, name in ipairs { "bide", table.unpack(require("bide.text.registry").names()) } do
    local module = package.loaded[name]
    if calls(module, f) then return name end
    for key, value in next, type(module) == "table" and module or {} do
      if calls(value, f) then return ("%s.%s"):format(name, key) end
    end
  end
end

---Describes the call of one of bide's functions: `bide.base64.encode(nil)`. The arguments are shown by their types alone,
---since they may be secrets.
---@param level integer of the function, for the caller
---@return string
local function describe_call(level)
  local called, types = debug.getinfo(level + 1, "fnu"), {}
  for position = 1, called.nparams do
    types[position] = type(select(2, debug.getlocal(level + 1, position)))
  end
  return ("%s(%s)"):format(public_name(called.func) or called.name or "a function of bide", table.concat(types, ", "))
end

---Returns the first frame of the script, from `level` on, and, if `where` is one of bide's own frames before it, the call of
---bide by the script.
---@param where string? "" for any of bide's own frames
local function find_script(level, where)
  local is_own, last_own = false, nil
  while true do
    level = level + 1
    local frame = debug.getinfo(level, "Sl")
    if not frame then return nil, nil end
    local own = frame.source:sub(1, #own_folder) == own_folder
    if not own and frame.what ~= "C" then return frame, is_own and describe_call(last_own) or nil end
    last_own = own and level or last_own
    is_own = is_own or own and (frame.short_src == where or where == "")
  end
end

---Puts the place in the script before a message that has no place, or in place of one within bide. A message of Lua's own,
---as "attempt to index a nil value", then says which function was called, and with what.
---@return string text
---@return boolean is_nowhere whether it still has none
local function place(value, text)
  local where, rest = text:match("^([^:\n]+):%d+: (.*)$")
  rest = rest or text
  local is_of_lua = rest:find "^attempt to " or rest:find "^bad argument #"
  local frame, call = find_script(3, where or is_of_lua and "")
  if not frame then return text, where == nil end
  if type(value) == "string" and not call then return text, false end
  if call and is_of_lua then rest = ("%s: wrong arguments (%s)"):format(call, rest) end
  return ("%s:%d: %s"):format(frame.short_src, frame.currentline, call and rest or text), false
end

---Gives a script error another message, with which its traceback begins as well.
---@param value bide.ScriptError
---@param message string
function M.reword(value, message)
  local is_first = value.traceback:sub(1, #value.message) == value.message
  value.traceback = is_first and message .. value.traceback:sub(#value.message + 1) or value.traceback
  value.message = message
end

---Puts the place of the function that was called before the message of a script error that has none: a function that
---ends in `return http.get(…)` has left the stack when http.get raises.
---@param value any that the call raised
---@param f function
---@return any value
function M.locate(value, f)
  if not M.is(value) or not value.is_nowhere or type(f) ~= "function" then return value end
  local called = debug.getinfo(f, "S")
  if called.source:sub(1, #own_folder) == own_folder or called.what == "C" then return value end
  local line = called.linedefined > 0 and (":%d"):format(called.linedefined) or ""
  M.reword(value, ("%s%s: %s"):format(called.short_src, line, value.message))
  value.is_nowhere = nil
  return value
end

---@param value any
---@param traceback? string
---@param raised? any what the script raised, if that is another value
---@return bide.ScriptError
function M.of(value, traceback, raised)
  if M.is(value) then return value end
  local message = describe(value)
  return setmetatable({ message = message, traceback = traceback or message, raised = raised }, ScriptError)
end

---Reports whether a function is one of bide's own modules.
---@param f function
---@return boolean
function M.is_own(f)
  return debug.getinfo(f, "S").source:sub(1, #own_folder) == own_folder
end

---Reports whether an error that no call into a script has raised is a fault of bide itself: its text has a place in one of
---bide's own modules.
---@param value any that was raised
---@return boolean
function M.is_fault(value)
  return type(value) == "string" and ("\t" .. value):sub(1, #own_place) == own_place and value:find "^[^:\n]+:%d+: " ~= nil
end

---Adds the line that a script lacks if it uses a module of bide that it has not required.
---@param message string
---@return string
local function with_module(message)
  local name = message:match "attempt to %l+ a nil value %(global '([%w_]+)'%)"
  local module = name == "bide" and name or name and require("bide.text.registry").modules[name] and "bide." .. name
  return module and ('%s; write: local %s = require "%s"'):format(message, name, module) or message
end

---Handles errors in calls into scripts, as the message handler of xpcall: keeps an operation error as it is, and turns
---everything else into a script error with its traceback. Keeps everything if the host stops the script: metamethods of
---the value would run without a hook that could end them.
function M.explain(value)
  if core.task.stopping() then return value end
  if M.is_operation_error(value) or M.is(value) or is_memory_text(value) then return value end
  local message, is_nowhere = place(value, describe(value))
  message = with_module(message)
  local explained = M.of(message, message .. "\n" .. own_frames(debug.traceback(nil, 2)), value)
  explained.is_nowhere = is_nowhere or nil
  return explained
end

return M
