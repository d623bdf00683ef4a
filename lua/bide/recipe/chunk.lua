---Files of Lua: recipes, files for --with, scripts. They are text, never bytecode, and find
---their own modules beside themselves.

local core = require "bide.core"
local script_error = require "bide.script_error"
local script_limits = require "bide.script_limits"
local shown = require "bide.shown"

local M = {}

---@param file string
---@return string? text
---@return string? mistake
function M.read(file)
  local handle, mistake = io.open(file, "rb")
  if not handle then return nil, mistake end
  local text
  text, mistake = handle:read("a")
  handle:close()
  return text, not text and ("%s: %s"):format(file, mistake) or nil
end

---What load says, which where it runs out of stack has no place, and a traceback of ours.
local function place_in(file, mistake)
  mistake = mistake:gsub("\nstack traceback:.*", "")
  return shown.line(mistake:find("^[^\n]-:%d+: ") and mistake or ("%s: %s"):format(file, mistake))
end

---Lets a file find its own modules: its folder comes behind everything else that require looks at.
local function find_modules_beside(file)
  local folder = file:match("^(.*)/[^/]*$") or "."
  local patterns = (";%s/?.lua;%s/?/init.lua"):format(folder, folder)
  if not (package.path .. ";"):find(patterns .. ";", 1, true) then package.path = package.path .. patterns end
end

---How files are loaded: the sandbox has a way of its own.
---@class bide.FileLoader
---@field globals fun(file: string): table what the file sees as its globals
---@field run fun(chunk: function, explain: function): boolean, ... runs it, with a message handler
---@field modules fun(): string[] files that its files have loaded, and that are not among Lua's modules

---@type bide.FileLoader
local loader = {
  globals = function(file)
    find_modules_beside(file)
    return _G
  end,
  run = xpcall,
  modules = function() return {} end,
}

---Sets how all files are loaded from here on.
---@param other bide.FileLoader
function M.load_with(other)
  loader = other
end

---@return string[] files of modules that were loaded in a way of the loader's own
function M.modules()
  return loader.modules()
end

---@param file string
---@param text string
---@param globals? table<string, any> added to those that it has
---@return function? chunk
---@return string? mistake
function M.compile(file, text, globals)
  local source = text:gsub("^\xEF\xBB\xBF", ""):gsub("^#[^\n]*", "")
  local environment = loader.globals(file)
  for name, value in pairs(globals or {}) do environment[name] = value end
  local chunk, mistake = load(source, "@" .. file, "t", environment)
  script_error.pass_out_of_memory(mistake)
  if not chunk then return nil, place_in(file, mistake) end
  return chunk
end

local function run(file, text)
  local chunk, mistake = M.compile(file, text)
  if not chunk then return false, mistake end
  local ok, value = loader.run(chunk, script_error.explain)
  if ok then return true, value end
  script_error.pass_out_of_memory(value)
  script_error.locate(value, chunk)
  if script_error.is(value) then return false, shown.traceback(value.message, value.traceback) end
  return false, ("%s: raised the operation error %s while it was loaded"):format(file, shown.line(value.type))
end

local end_of_load = setmetatable({}, { __close = core.watchdog.end_load })

---Runs a file to its end; a mistake is told with its place.
---@param file string
---@param text string
---@return boolean ok
---@return any value what it returned, or the mistake
function M.run(file, text)
  core.watchdog.begin_load(shown.line(file))
  local _end <close> = end_of_load
  local within, ok, value = script_limits.guard(run, file, text)
  if within then return ok, value end
  return false, ok
end

return M
