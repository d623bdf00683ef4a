---Checks what Smithy demands of shapes beyond their structure: the keys of a map are texts, and the members of an intEnum
---have values of their own.

local option = require "bide.option"

local M = {}

---@param model bide.Model
---@param shape bide.ModelShape
---@param path string below the shape
local function report(model, shape, path, message)
  model:report(shape.source, ("\nshapes\n%s\n%s"):format(shape.id, path), { shape = shape.id, message = message })
end

---A target that is missing is another problem.
local is_text = { string = true, enum = true }

local function check_map(model, shape)
  local target = shape.members[1] and shape.members[1].target
  local kind = target and model:type_of(target)
  if not kind or is_text[kind] then return end
  report(model, shape, "key", ("the key of a map: expected a string or an enum, found %s, of type %s"):format(target, kind))
end

local ENUM_VALUE, LEAST, MOST = "smithy.api#enumValue", -2 ^ 31, 2 ^ 31 - 1

---@param names table<any, string> of members, by their values
local function mistake_of_value(value, names)
  local is_number = math.type(value) == "integer" and value >= LEAST and value <= MOST
  if not is_number then return option.expected("a whole number of 32 bits as the value", value) end
  if names[value] then return ("the value %d is that of %s, too"):format(value, names[value]) end
end

local function check_int_enum(model, shape)
  local names = {}
  for _, member in ipairs(shape.members) do
    local value = member.traits[ENUM_VALUE]
    local mistake = mistake_of_value(value, names)
    -- The reader of the IDL has refused values of another type already.
    if mistake and (value == nil or names[value] or not shape.source.is_idl) then
      report(model, shape, "members\n" .. member.name, ("%s: %s"):format(member.name, mistake))
    end
    if value ~= nil then names[value] = names[value] or member.name end
  end
end

---The rules of a type.
local rules = { map = check_map, intEnum = check_int_enum }

---Reports the shapes that break a rule. Packed data are bide's own.
---@param model bide.Model
function M.check(model)
  local types, origin = model.types, model.origin
  for _, id in ipairs(model.ids) do
    local rule = rules[types[id]]
    if rule and not origin[id].is_packed then rule(model, model:shape(id)) end
  end
end

return M
