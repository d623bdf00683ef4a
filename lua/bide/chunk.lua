---Files of Lua: recipes, files for --with, scripts. They are text, never bytecode, and find
---their own modules beside themselves.

local beside = require "bide.beside"
local script_error = require "bide.script_error"

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
  return mistake:find("^[^\n]-:%d+: ") and mistake or ("%s: %s"):format(file, mistake)
end

---@param file string
---@param text string
---@return function? chunk
---@return string? mistake
function M.compile(file, text)
  local source = text:gsub("^\xEF\xBB\xBF", ""):gsub("^#[^\n]*", "")
  local chunk, mistake = load(source, "@" .. file, "t")
  if not chunk then return nil, place_in(file, mistake) end
  beside(file)
  return chunk
end

---Runs a file to its end; a mistake is told with its place.
---@param file string
---@param text string
---@return boolean ok
---@return any value what it returned, or the mistake
function M.run(file, text)
  local chunk, mistake = M.compile(file, text)
  if not chunk then return false, mistake end
  local ok, value = xpcall(chunk, script_error.explain)
  if ok then return true, value end
  if script_error.is(value) then return false, value.traceback end
  return false, ("%s: raised the operation error %s while it was loaded"):format(file, value.type)
end

return M
