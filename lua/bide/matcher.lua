---Custom matchers: `bide.matcher(name, f)` gives a function a name, so that a JSON
---model can say `"matcher": { "lua": "name" }`.

local callback = require "bide.tasks.callback"
local nearest = require("bide.core").names.nearest

local M = {}

local registered = {}

---While a recipe is loaded, the file that took each name: two of its files may not share one.
local taken

---@class bide.MatcherContext
---@field input any
---@field output any nil on an error
---@field error table? the operation error
---@field attempt integer
---@field elapsed number seconds since the wait began
---@field remaining number seconds until its deadline

---Registers a custom matcher under a name; a later one of that name takes its place.
---@param name string
---@param matches fun(context: bide.MatcherContext): boolean?
function M.register(name, matches)
  if type(name) ~= "string" or name == "" then error("the name of a matcher must be a string", 2) end
  if type(matches) ~= "function" then error(("the matcher %q must be a function"):format(name), 2) end
  local file = debug.getinfo(2, "S").short_src
  if taken and (taken[name] or file) ~= file then
    error(("the matcher %q is defined in %s already"):format(name, taken[name]), 2)
  end
  if taken then taken[name] = file end
  registered[name] = matches
end

---From here on no two files give one name, until what is returned is closed.
function M.keep_apart()
  local before = taken
  taken = {}
  return setmetatable({}, { __close = function() taken = before end })
end

---@param name string
---@return function? matches
---@return string? nearest the nearest registered name where there is none of this
function M.find(name)
  if registered[name] then return registered[name] end
  local names = {}
  for known in pairs(registered) do names[#names + 1] = known end
  table.sort(names)
  return nil, nearest(name, names)
end

local ask = callback "a matcher"

---Asks a matcher, which looks and does not fetch. It matches when it returns exactly true.
---@param lua function|string
---@param context bide.MatcherContext
---@return boolean
function M.ask(lua, context)
  local matches = type(lua) == "string" and registered[lua] or lua
  return ask(matches, context) == true
end

return M
