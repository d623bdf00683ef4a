---Writes a shape of version 1.0 as what it means in version 2.0, as Smithy does when it reads one: a set is a list of unique
---elements, a simple shape that is not boxed has a default, and so have the members that refer to it.

local json = require("bide.core").json

local BOX, DEFAULT, STREAMING = "smithy.api#box", "smithy.api#default", "smithy.api#streaming"
local UNIQUE, REQUIRED = "smithy.api#uniqueItems", "smithy.api#required"

---The values that shapes of version 1.0 have unless they are boxed.
local zeros = { boolean = false, byte = 0, short = 0, integer = 0, long = 0, float = 0, double = 0 }

---@param shape bide.ModelShape
local function is_old(shape)
  local version = shape.source and shape.source.document:value "smithy"
  return version == "1" or version == "1.0"
end

---Reports whether the values of a shape may be absent. Those of version 2.0 may, unless their default is the zero.
---@param model bide.Model
---@param id string
---@param kind string the type of the shape
local function is_boxed(model, id, kind)
  local shape = model:shape(id)
  if id:find "^smithy%.api#" then return not id:find "#Primitive" end
  if shape and is_old(shape) then return shape.traits[BOX] ~= nil end
  return not shape or shape.traits[DEFAULT] ~= zeros[kind]
end

---@param model bide.Model
---@param member bide.ModelMember of a structure
---@return any default nil if the member has none
local function default_of(model, member)
  local kind = model:type_of(member.target)
  if member.traits[DEFAULT] ~= nil then return member.traits[DEFAULT] end
  if member.traits[BOX] then return json.null end
  if zeros[kind] ~= nil and not is_boxed(model, member.target, kind) then return zeros[kind] end
  local is_stream = kind == "blob" and model:shape(member.target).traits[STREAMING]
  return is_stream and not member.traits[REQUIRED] and "" or nil
end

local function without_box(traits)
  local copy = {}
  for id, value in pairs(traits) do copy[id] = id ~= BOX and value or nil end
  return copy
end

---@param model bide.Model
---@param shape bide.ModelShape
---@return bide.ModelShape of version 2.0; the shape itself if it is
return function(model, shape)
  local is_of_1_0 = is_old(shape)
  if not is_of_1_0 and shape.type ~= "set" then return shape end
  local upgraded = { id = shape.id, type = shape.type, said = shape.said, members = {}, traits = without_box(shape.traits) }
  if shape.type == "set" then
    upgraded.type, upgraded.traits[UNIQUE] = "list", json.decode "{}"
  end
  if is_of_1_0 and zeros[shape.type] ~= nil and not shape.traits[BOX] then
    upgraded.traits[DEFAULT] = zeros[shape.type]
  end
  for position, member in ipairs(shape.members) do
    local traits = without_box(member.traits)
    if is_of_1_0 and shape.type == "structure" then traits[DEFAULT] = default_of(model, member) end
    upgraded.members[position] = { name = member.name, target = member.target, traits = traits }
  end
  return upgraded
end
