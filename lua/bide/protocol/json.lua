---JSON as the AWS protocols write and read it: between the names of the wire and those of the members.

local core = require "bide.core"
local scalar = require "bide.protocol.scalar"
local time = require "bide.protocol.time"
local traits = require "bide.protocol.traits"

local json = core.json

---@class bide.protocol.Json
---@field model bide.Model
---@field sends_empty boolean whether a payload that is absent is an empty one
---@field uses_names boolean whether the trait jsonName counts
local Json = {}
Json.__index = Json

local M = {}

local function empty_object()
  return json.decode "{}"
end

local function non_empty(object)
  return next(object) ~= nil and object or empty_object()
end

function Json:name(member)
  return self.uses_names and member.traits[traits.json_name] or member.name
end

local function expect_table(value, member, target, is_list)
  if type(value) == "table" and (next(value) == nil or json.is_array(value) == is_list) then return end
  error({ ("%s: expected a %s, found %s"):format(member.name, target.type, json.encode(value)) }, 0)
end

-- ---- writing --------------------------------------------------------------------------------

local write

---Returns the value that an absent member has all the same; members of the input itself have none.
local function default_of(member)
  local value = member.traits[traits.default]
  if value ~= json.null and member.traits[traits.client_optional] == nil then return value end
end

---@param members bide.ModelMember[]
---@param input table
---@param is_top boolean?
function Json:write_members(members, input, is_top)
  local object = {}
  for _, member in ipairs(members) do
    local value = input[member.name]
    if value == nil and not is_top then value = default_of(member) end
    if not scalar.is_missing(value) then object[self:name(member)] = write(self, member, value) end
  end
  return non_empty(object)
end

local function write_structure(codec, member, target, value)
  expect_table(value, member, target, false)
  return codec:write_members(target.members, value, target.type == "union")
end

local function write_list(codec, member, target, value)
  expect_table(value, member, target, true)
  local list, element = json.array {}, target.members[1]
  for _, one in ipairs(value) do
    if not scalar.is_missing(one) then
      list[#list + 1] = write(codec, element, one)
    elseif target.traits[traits.sparse] then
      list[#list + 1] = json.null
    end
  end
  return list
end

local function write_map(codec, member, target, value)
  expect_table(value, member, target, false)
  local object, element = {}, target.members[2]
  for key, one in pairs(value) do
    if not scalar.is_missing(one) then
      object[key] = write(codec, element, one)
    elseif target.traits[traits.sparse] then
      object[key] = json.null
    end
  end
  return non_empty(object)
end

local function write_timestamp(_, member, target, value)
  local seconds = time.read(value)
  if not seconds then error({ ("%s: expected a timestamp, found %s"):format(member.name, json.encode(value)) }, 0) end
  local format = traits.of(member, target, traits.timestamp_format) or "epoch-seconds"
  return format == "epoch-seconds" and seconds or time.write(seconds, format)
end

local writers = { structure = write_structure, union = write_structure, list = write_list, set = write_list,
  map = write_map, timestamp = write_timestamp }

---@param codec bide.protocol.Json
---@param member bide.ModelMember
function write(codec, member, value)
  local target = codec.model:shape(member.target)
  local writer = writers[target.type]
  if writer then return writer(codec, member, target, value) end
  return value
end

---@param members bide.ModelMember[] those of the body
---@param input table
---@return string
function Json:encode(members, input)
  return json.encode(self:write_members(members, input, true))
end

---@param member bide.ModelMember
---@return string
function Json:encode_payload(member, value)
  return json.encode(write(self, member, value))
end

-- ---- reading --------------------------------------------------------------------------------

local read

---@param members bide.ModelMember[]
---@param object table
---@param output table gets the members
---@param has_defaults boolean
function Json:read_members(members, object, output, has_defaults)
  for _, member in ipairs(members) do
    local value = object[self:name(member)]
    if not scalar.is_missing(value) then
      output[member.name] = read(self, member, value)
    elseif has_defaults then
      output[member.name] = default_of(member)
    end
  end
  return output
end

local function read_structure(codec, member, target, value)
  expect_table(value, member, target, false)
  return non_empty(codec:read_members(target.members, value, {}, target.type == "structure"))
end

local function read_list(codec, member, target, value)
  expect_table(value, member, target, true)
  local list, element = json.array {}, target.members[1]
  for _, one in ipairs(value) do
    if one ~= json.null then
      list[#list + 1] = read(codec, element, one)
    elseif target.traits[traits.sparse] then
      list[#list + 1] = json.null
    end
  end
  return list
end

local function read_map(codec, member, target, value)
  expect_table(value, member, target, false)
  local object, element = {}, target.members[2]
  for key, one in pairs(value) do
    if one ~= json.null then
      object[key] = read(codec, element, one)
    elseif target.traits[traits.sparse] then
      object[key] = json.null
    end
  end
  return non_empty(object)
end

local function read_timestamp(_, member, _, value)
  return time.read(value) or error({ ("%s: expected a timestamp, found %s"):format(member.name, json.encode(value)) }, 0)
end

local readers = { structure = read_structure, union = read_structure, list = read_list, set = read_list, map = read_map,
  timestamp = read_timestamp }

---@param codec bide.protocol.Json
---@param member bide.ModelMember
function read(codec, member, value)
  local target = codec.model:shape(member.target)
  local reader = readers[target.type]
  if reader then return reader(codec, member, target, value) end
  return value
end

local function decode(text)
  local value, failure = json.decode(text, { lenient = true })
  if value == nil then error({ ("the answer is not JSON: %s"):format(tostring(failure)) }, 0) end
  return value
end

---@param text string the body
---@param members bide.ModelMember[] those of the body
---@param output table gets the members
function Json:decode(text, members, output)
  local object = text:find "%S" and decode(text) or empty_object()
  if type(object) ~= "table" or json.is_array(object) then
    error({ ("the answer is not an object: %s"):format(json.encode(object)) }, 0)
  end
  self:read_members(members, object, output, true)
end

---@param text string the body
---@param member bide.ModelMember
function Json:decode_payload(text, member)
  return read(self, member, decode(text))
end

---@param model bide.Model
---@param uses_names boolean
---@return bide.protocol.Json
function M.new(model, uses_names)
  return setmetatable({ model = model, uses_names = uses_names, media_type = "application/json", sends_empty = true }, Json)
end

return M
