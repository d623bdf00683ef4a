---Reads an input by its shape, at every depth: the declared inputs know the members at the top only. A timestamp becomes a
---number of seconds, as paths see it; all other values stay as they are, or are mistakes.

local core = require "bide.core"
local declared = require "bide.model.run.inputs"
local option = require "bide.text.option"
local scalar = require "bide.model.protocol.scalar"
local sorted = require("bide.text.option").sorted_names
local tables = require "bide.text.tables"

local json = core.json

local M = {}

---The deepest that values of an input may be nested.
local DEEPEST = 500

---@class bide.model.InputReading
---@field model bide.Model
---@field path string of the value that is being read: `tags[2].name`
---@field depth integer
---@field has_changed boolean
local Reading = {}
Reading.__index = Reading

---Raises a mistake in the value that is being read, or in a member of it.
---@param mistake string
---@param name? string
function Reading:fail(mistake, name)
  error({ ("%s%s: %s"):format(self.path, name and "." .. name or "", mistake) }, 0)
end

---@param member bide.ModelMember
---@param step string what leads to the value
function Reading:within(member, value, step)
  if scalar.is_missing(value) then return value end
  local path, depth = self.path, self.depth
  self.path, self.depth = path .. step, depth + 1
  if self.depth > DEEPEST then self:fail(("expected at most %d levels, found more"):format(DEEPEST)) end
  local read = self:value(member, self.model:shape(member.target), value)
  self.path, self.depth = path, depth
  return read
end

function Reading:expect_object(target, value)
  if not tables.is_object(value) then self:fail(option.expected("an object, the " .. target.id:match "[^#]*$", value)) end
end

local function members_by_name(target)
  local members, names = {}, {}
  for position, member in ipairs(target.members) do members[member.name], names[position] = member, member.name end
  return members, names
end

---Reads the members that are given.
---@return table
function Reading:given(target, value)
  local members, names = members_by_name(target)
  for _, name in ipairs(sorted(value)) do
    if not members[name] then self:fail(option.unknown("member", name, names), name) end
    value[name] = self:within(members[name], value[name], "." .. name)
  end
  return value
end

local function structure(reading, _, target, value)
  reading:expect_object(target, value)
  for _, member in ipairs(target.members) do
    if member.traits["smithy.api#required"] ~= nil and scalar.is_missing(value[member.name]) then
      reading:fail("expected a value, found nothing", member.name)
    end
  end
  return reading:given(target, value)
end

local function union(reading, _, target, value)
  reading:expect_object(target, value)
  local count = 0
  for _, part in pairs(value) do count = count + (scalar.is_missing(part) and 0 or 1) end
  if count ~= 1 then reading:fail(("expected one member of a union, found %d"):format(count)) end
  return reading:given(target, value)
end

local function list(reading, _, target, value)
  if not json.is_array(value) then reading:fail(option.expected("a list", value)) end
  for position, one in ipairs(value) do value[position] = reading:within(target.members[1], one, ("[%d]"):format(position)) end
  return value
end

local function map(reading, _, target, value)
  reading:expect_object(target, value)
  for _, key in ipairs(sorted(value)) do value[key] = reading:within(target.members[2], value[key], "." .. key) end
  return value
end

local aggregates = { structure = structure, union = union, list = list, set = list, map = map }

---Reads a value without parts.
---@param member bide.ModelMember
---@param target bide.ModelShape
function Reading:scalar(member, target, value)
  local read, values = scalar.of_data[target.type](value), declared.values_of(target)
  if read == nil then
    self:fail(option.expected((target.type:find "^[aeiou]" and "an " or "a ") .. target.type, value))
  end
  if values and not tables.has(values, read) then
    self:fail(option.expected("one of " .. table.concat(values, ", "), read))
  end
  local range = type(read) == "number" and target.type ~= "timestamp" and declared.beyond_range(member, target, read)
  if range then self:fail(option.expected(range, read)) end
  self.has_changed = self.has_changed or read ~= value
  return read
end

---@param member bide.ModelMember
---@param target bide.ModelShape?
function Reading:value(member, target, value)
  local read = target and (aggregates[target.type] or scalar.of_data[target.type] and self.scalar)
  if not read then return value end
  value = read(self, member, target, value)
  local expected, count = declared.beyond_length(member, target, value)
  if expected then self:fail(("expected %s, found %d"):format(expected, count)) end
  return value
end

---Returns a function that reads inputs. What members there are at the top, their declaration says.
---@param model bide.Model
---@param input bide.ModelShape
---@return fun(input: bide.Document): bide.Document?, string? read returns nil and the mistake if a value is wrong
function M.reader(model, input)
  local function read_members(reading, values)
    for _, member in ipairs(input.members) do
      values[member.name] = reading:within(member, values[member.name], member.name)
    end
  end
  return function(document)
    local values = document:value()
    local reading = setmetatable({ model = model, path = "", depth = 0, has_changed = false }, Reading)
    local ok, mistake = pcall(read_members, reading, values)
    if ok then return reading.has_changed and assert(json.document(values)) or document end
    if type(mistake) == "table" and mistake[1] then return nil, mistake[1] end
    error(mistake, 0)
  end
end

return M
