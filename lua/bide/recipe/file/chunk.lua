---Loads Lua files: recipes, files for --with, scripts. They must be text, not bytecode, and can require modules from their
---own folder.

local core = require "bide.core"
local mounted = require "bide.recipe.file.mounted"
local own_files = require "bide.text.own_files"
local vocabulary = require "bide.recipe.expression.vocabulary"
local script_error = require "bide.text.script_error"
local script_limits = require "bide.task.script_limits"
local shown = require "bide.text.shown"
local whole_file = require "bide.text.whole_file"

local M = {}

---@param file string
---@return string? text
---@return string? mistake
function M.read(file)
  local known = mounted.read(file) or own_files.read(file)
  if known then return known end
  return whole_file.read(file, whole_file.DOCUMENT)
end

---Returns the message of load. If the stack overflowed, it lacks a place and has a traceback of bide, which is removed.
local function place_in(file, mistake)
  mistake = mistake:gsub("\nstack traceback:.*", "")
  return shown.line(mistake:find("^[^\n]-:%d+: ") and mistake or ("%s: %s"):format(file, mistake))
end

---Adds the folder of a file to the end of package.path, so that the file can require its own modules.
local function find_modules_beside(file)
  local folder = file:match("^(.*)/[^/]*$") or "."
  local patterns = (";%s/?.lua;%s/?/init.lua"):format(folder, folder)
  if not (package.path .. ";"):find(patterns .. ";", 1, true) then package.path = package.path .. patterns end
end

---The way to load files, which the sandbox replaces.
---@class bide.FileLoader
---@field globals fun(file: string): table the globals of the file
---@field vocabulary fun(parent?: bide.Vocabulary): bide.Vocabulary the names that a file registers
---@field run fun(chunk: function, explain: function): boolean, ... runs the file, with a message handler
---@field modules fun(): string[] the modules that its files have loaded and that are not in package.loaded

---@type bide.FileLoader
local loader = {
  globals = function(file)
    if mounted.read(file) then return mounted.globals(file) end
    find_modules_beside(file)
    return _G
  end,
  vocabulary = function() return vocabulary.common end,
  run = xpcall,
  modules = function() return {} end,
}

---Sets the way to load all files from now on.
---@param other bide.FileLoader
function M.load_with(other)
  loader = other
end

---@return string[] files of the modules that the loader has loaded itself
function M.modules()
  return loader.modules()
end

---Returns the names that a file, or several files that belong together, will register.
---@param parent? bide.Vocabulary whose names they see as well
---@return bide.Vocabulary
function M.vocabulary(parent)
  return loader.vocabulary(parent)
end

local has_code = false

---Reports whether a file has been compiled, so that objects of scripts may have finalizers.
---@return boolean
function M.has_code()
  return has_code
end

---@param file string
---@param text string
---@param globals? table<string, any> added to its globals
---@return function? chunk
---@return string? mistake
function M.compile(file, text, globals)
  has_code = true
  local source = text:gsub("^\xEF\xBB\xBF", ""):gsub("^#[^\n]*", "")
  local environment = loader.globals(file)
  for name, value in pairs(globals or {}) do environment[name] = value end
  local chunk, mistake = load(source, "@" .. file, "t", environment)
  script_error.pass_out_of_memory(mistake)
  if not chunk then return nil, place_in(file, tostring(mistake)) end -- a script error if the C stack overflowed
  return chunk
end

---Returns the mistake of a file whose code raised a value; raises a fault of bide, and lack of memory.
---@param file string
---@param value any of script_error.explain
---@return string
function M.mistake_of(file, value)
  script_error.pass_out_of_memory(value)
  if not script_error.is(value) then
    return ("%s: raised the operation error %s while it was loaded"):format(file, shown.line(value.type))
  end
  if script_error.is_fault(value.message) then error(value.traceback, 0) end
  return shown.traceback(value.message, value.traceback)
end

local function run(file, text, own)
  local _entered <close> = vocabulary.enter(own)
  local chunk, mistake = M.compile(file, text)
  if not chunk then return false, mistake end
  local ok, value = loader.run(chunk, script_error.explain)
  if ok then return true, value end
  script_error.locate(value, chunk)
  return false, M.mistake_of(file, value)
end

---The file that was watched last, and how it is shown.
local watched_file, watched_line

local end_of_load = setmetatable({}, { __close = core.watchdog.end_load })

---Begins work that code of a file may prolong: the watchdog ends the process if it takes longer than --load-timeout.
---@param file string
---@return table end_of_work to be closed
function M.watched(file)
  if file ~= watched_file then watched_file, watched_line = file, shown.line(file) end
  core.watchdog.begin_load(watched_line)
  return end_of_load
end

---Runs a file to its end. A mistake has its place.
---@param file string
---@param text string
---@param own bide.Vocabulary that it registers
---@return boolean ok
---@return any value its result, or the mistake
function M.run(file, text, own)
  local _end <close> = M.watched(file)
  local within, ok, value = script_limits.guard_waiting(run, file, text, own)
  if within then return ok, value end
  return false, ok
end

return M
