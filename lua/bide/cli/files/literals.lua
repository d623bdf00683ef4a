---Changes numbers in the text of a recipe: `minDelay = 2`, in JSON `"minDelay": 2`. Only a number that the file has exactly
---once is changed, and only if the recipe then says what was meant, and nothing else.

local bide = require "bide"
local duration = require "bide.text.duration"
local luv = require "luv"
local replace_file = require "bide.record.replace_file"

local M = {}

---A number to change.
---@class bide.LiteralChange
---@field name string of the member of the waiter
---@field member string of bide.Waiter
---@field from number? seconds, or the lateness; nil where the waiter has none
---@field to number? nil to take it out

local NUMBER <const> = "()(%d*%.?%d+[eE]?[+-]?%d*)()"

---Returns the places of the literals of a member.
---@return { [1]: integer, [2]: string, [3]: integer }[] places, each with the number and where it ends
---@return integer count how often the member is there, with a literal or without
local function places_of(text, name)
  local places, count = {}, 0
  for _, before in ipairs { "%f[%w_]" .. name .. "%s*=%f[^=]%s*", '"' .. name .. '"%]?%s*[:=]%s*' } do
    for start in text:gmatch("()" .. before) do
      count = count + 1
      local from, number, behind = text:match("^" .. before .. NUMBER, start)
      if from and text:find("^%s*[,;}\n]", behind) then places[#places + 1] = { from, number, behind } end
    end
  end
  return places, count
end

---Returns a number as a recipe has it.
---@param value number
---@return string
function M.number(value)
  return (("%.10g"):format(value))
end

---@param change bide.LiteralChange
---@return string
local function describe(change)
  if not change.to then return change.name .. ": take it out" end
  return ("%s = %s"):format(change.name, M.number(change.to))
end

---Returns the text with one number changed; nil if it is not there exactly once.
---@param change bide.LiteralChange
local function changed(text, change)
  local places, count = places_of(text, change.name)
  local place = places[1]
  if count ~= 1 or not place or not change.to or tonumber(place[2]) ~= change.from then return nil end
  return text:sub(1, place[1] - 1) .. M.number(change.to) .. text:sub(place[3])
end

---Returns the delays of the waiters of a recipe as one text.
local function delays_of(recipe)
  local lines = {}
  for position, name in ipairs(recipe.names) do
    local waiter = recipe.waiters[name]
    lines[position] = ("%s %s %s %s %s"):format(name, waiter.min_delay, waiter.max_delay, waiter.lateness, waiter.initial_delay)
  end
  return table.concat(lines, "\n")
end

---Reports whether a text, as a recipe in the place of the file, has the changed delays and otherwise those of before.
local function says_what_is_meant(file, text, recipe, waiter, changes)
  local folder, name = file:match "^(.*/)", file:match "[^/]*$"
  local beside = ("%s.%d-%s"):format(folder or "./", luv.os_getpid(), name)
  if not replace_file(beside, text, true) then return false end
  local ok, loaded = pcall(bide.load, beside)
  os.remove(beside)
  local now = ok and loaded and loaded.waiters[waiter.name]
  if not now then return false end
  for _, change in ipairs(changes) do
    local is_time = change.member ~= "lateness"
    local wanted = is_time and duration.of_seconds(change.to) or math.floor(change.to * 1e9 + 0.5)
    if now[change.member] ~= wanted then return false end
    now[change.member] = recipe.waiters[waiter.name][change.member]
  end
  return delays_of(loaded) == delays_of(recipe)
end

---Changes the numbers of a file, all of them or none.
---@param file string
---@param recipe bide.Recipe that the file has now
---@param waiter bide.Waiter
---@param changes bide.LiteralChange[]
---@return boolean? done
---@return string? mistake with the lines to change
function M.write(file, recipe, waiter, changes)
  local text, lines = require("bide.recipe.file.chunk").read(file), {}
  for position, change in ipairs(changes) do
    lines[position] = "  " .. describe(change)
    text = text and changed(text, change)
  end
  if text and says_what_is_meant(file, text, recipe, waiter, changes) then return replace_file(file, text, true, true) end
  return nil, ("--write: %s is as it was: each number must be in the file exactly once, as a number. Change in %s:\n%s")
    :format(file, waiter.name, table.concat(lines, "\n"))
end

return M
