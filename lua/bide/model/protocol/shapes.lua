---Walks over values by their shapes, for codecs whose values are tables before they become bytes. A walk goes from the
---data to the wire or back; its codec says which names members have there, and what becomes of scalars. A value of another
---type than its shape says is refused on the way to the wire, and stays as it came on the way back.

local yield = require "bide.task.yield"
local core = require "bide.core"
local scalar = require "bide.model.protocol.scalar"
local tables = require "bide.text.tables"
local traits = require "bide.model.protocol.traits"

local json = core.json

local M = {}

---The deepest that values may be nested, and how many are walked over between two steps of the loop.
local DEEPEST, VALUES_OF_A_STEP = 512, 1024

---@alias bide.protocol.Conversion fun(value: any, member: bide.ModelMember, target: bide.ModelShape): any

---@class bide.protocol.Walk
---@field model bide.Model
---@field name_of fun(member: bide.ModelMember): string the name of a member on the wire
---@field scalars table<string, bide.protocol.Conversion> by type; it returns nil for a value of another type
---@field is_reading boolean whether it goes from the wire to the data
---@field as_data? fun(value: any): any makes data of a value of another type
---@field path (string|integer)[] where the walk is
---@field is_key boolean[] whether a step of it is a key of a map
---@field depth integer
---@field count integer of values
---@field own integer the members that the whole has itself, and that are what their shapes say
local Walk = {}
Walk.__index = Walk

-- ---- where ----------------------------------------------------------------------------------

---Returns the place of the walk, such as `Reservations[0].State`.
function Walk:place()
  local place = ""
  for level = 1, self.depth do
    local step = self.path[level]
    place = place .. (type(step) == "string" and "." .. step or ("[%d]"):format(step - 1))
  end
  return (place:gsub("^%.", ""))
end

---Returns the members that lead to the place of the walk.
---@return string[]
function Walk:names()
  local names = {}
  for level = 1, self.depth do
    local step = self.path[level]
    if type(step) == "string" and not self.is_key[level] then names[#names + 1] = step end
  end
  return names
end

-- ---- aggregates -----------------------------------------------------------------------------

---Adds the value that an absent member has all the same. A member of an input that is null has none.
function Walk:add_default(member, wire, value, found)
  local default = member.traits[traits.default]
  if scalar.is_missing(default) or member.traits[traits.client_optional] ~= nil then return end
  if self.is_reading then
    local of_data = scalar.of_data[self.model:type_of(member.target)]
    found[member.name] = of_data and of_data(default) or default
  elseif value == nil then
    found[wire] = self:value(member, default, member.name)
  end
end

---@param members bide.ModelMember[]
---@param values table
---@param found table gets the members
---@param has_defaults boolean
---@return table found
function Walk:members(members, values, found, has_defaults)
  for _, member in ipairs(members) do
    local wire = self.name_of(member)
    local value = values[self.is_reading and wire or member.name]
    if not scalar.is_missing(value) then
      found[self.is_reading and member.name or wire] = self:value(member, value, member.name)
    elseif has_defaults then
      self:add_default(member, wire, value, found)
    end
  end
  return found
end

local function walk_structure(walk, target, value)
  return tables.as_object(walk:members(target.members, value, {}, target.type == "structure"))
end

---A union has one member. In JSON the type of a structure may be beside it, as `__type`.
local function walk_union(walk, target, value)
  local count = 0
  for name, one in pairs(value) do
    if name ~= "__type" and not scalar.is_missing(one) then count = count + 1 end
  end
  if count ~= 1 and walk.is_reading then scalar.note(walk:names(), walk:place(), "union of one member") end
  return walk_structure(walk, target, value)
end

local function walk_list(walk, target, value)
  local list, element, is_sparse = json.array {}, target.members[1], target.traits[traits.sparse] ~= nil
  for index, one in ipairs(value) do
    if not scalar.is_missing(one) then
      list[#list + 1] = walk:value(element, one, index)
    elseif is_sparse then
      list[#list + 1] = json.null
    end
  end
  return list
end

local function walk_map(walk, target, value)
  local object, element, is_sparse = {}, target.members[2], target.traits[traits.sparse] ~= nil
  for key, one in pairs(value) do
    if type(key) ~= "string" then scalar.fail(walk:place(), "map with texts as keys", key) end
    if not scalar.is_missing(one) then
      object[key] = walk:value(element, one, key, true)
    elseif is_sparse then
      object[key] = json.null
    end
  end
  return tables.as_object(object)
end

local aggregates = { structure = walk_structure, union = walk_union, list = walk_list, set = walk_list, map = walk_map }

-- ---- values ---------------------------------------------------------------------------------

---Returns what becomes of a value that has another type than its shape.
---@param kind string the type of the shape
function Walk:odd_value(kind, value)
  if self.depth == 1 then self.own = self.own - 1 end
  if not self.is_reading then scalar.fail(self:place(), kind, value) end
  scalar.note(self:names(), self:place(), kind)
  return self.as_data(value)
end

function Walk:convert(member, target, value)
  local aggregate = aggregates[target.type]
  if aggregate then
    if not scalar.has_parts(target.type, value) or self.is_reading and not scalar.is_marked_for(target.type, value) then
      return self:odd_value(target.type, value)
    end
    return aggregate(self, target, value)
  end
  local converted = self.scalars[target.type](value, member, target)
  if converted == nil then return self:odd_value(target.type, value) end
  return converted
end

---@param member bide.ModelMember
---@param value any not missing
---@param step string|integer the name of the member, the key or the index
---@param is_key boolean? whether it is the key
function Walk:value(member, value, step, is_key)
  self.count, self.depth = self.count + 1, self.depth + 1
  self.path[self.depth], self.is_key[self.depth] = step, is_key or false
  if self.count % VALUES_OF_A_STEP == 0 then yield() end
  if self.depth > DEEPEST then error({ ("%s: expected at most %d levels, found more"):format(step, DEEPEST) }, 0) end
  if self.depth == 1 then self.own = self.own + 1 end
  local converted = self:convert(member, self.model:shape(member.target), value)
  self.depth = self.depth - 1
  return converted
end

local function new_walk(model, is_reading, name_of, scalars, as_data)
  return setmetatable({ model = model, is_reading = is_reading, name_of = name_of, scalars = scalars, as_data = as_data,
    path = {}, is_key = {}, depth = 0, count = 0, own = 0 }, Walk)
end

---Returns a walk from the data to the wire.
---@param model bide.Model
---@param name_of fun(member: bide.ModelMember): string
---@param scalars table<string, bide.protocol.Conversion>
---@return bide.protocol.Walk
function M.writer(model, name_of, scalars)
  return new_walk(model, false, name_of, scalars)
end

---Returns a walk from the wire to the data.
---@param model bide.Model
---@param name_of fun(member: bide.ModelMember): string
---@param scalars table<string, bide.protocol.Conversion>
---@param as_data fun(value: any): any makes data of a value that is not what its shape says
---@return bide.protocol.Walk
function M.reader(model, name_of, scalars, as_data)
  return new_walk(model, true, name_of, scalars, as_data)
end

---@param walk bide.protocol.Walk
---@param members bide.ModelMember[] those of the body
---@param input table
---@return table with the names of the wire; the members of the input itself have no defaults
function M.write_members(walk, members, input)
  return tables.as_object(walk:members(members, input, {}, false))
end

---@param walk bide.protocol.Walk
---@param members bide.ModelMember[] those of the body
---@param values any what the body is
---@param output table gets the members
---@return boolean has_member whether one of them is in the body
function M.read_members(walk, members, values, output)
  if not scalar.has_parts("structure", values) or not scalar.is_marked_for("structure", values) then
    scalar.fail("the answer", "structure", values)
  end
  walk:members(members, values, output, true)
  return walk.own > 0
end

return M
