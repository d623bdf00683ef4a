---The static type of a model's shape, for `expression:analyse`: what JMESPath sees of it. Members go by their names, a
---blob is a text, a timestamp a number, a document anything. A shape that holds itself makes a table that does.

local M = {}

local words = {
  blob = "string", string = "string", enum = "string", boolean = "boolean", document = "any",
  byte = "number", short = "number", integer = "number", long = "number", float = "number", double = "number",
  bigInteger = "number", bigDecimal = "number", intEnum = "number", timestamp = "number",
}

local fill

---@param made table<string, bide.Shape> those of the shapes met before
local function type_of(model, id, made)
  if made[id] then return made[id] end
  local kind = model:type_of(id)
  local word = not kind and "any" or words[kind]
  if word then return word end
  made[id] = {}
  return fill(model, model:shape(id), made)
end

---@return bide.Shape of the elements of a list or a map; a broken model may not say it
local function element_of(model, shape, name, made)
  for _, member in ipairs(shape.members) do
    if member.name == name then return type_of(model, member.target, made) end
  end
  return "any"
end

function fill(model, shape, made)
  local static = made[shape.id]
  if shape.type == "list" or shape.type == "set" then
    static.array = element_of(model, shape, "member", made)
  elseif shape.type == "map" then
    static.map = element_of(model, shape, "value", made)
  else
    static.object = {}
    for _, member in ipairs(shape.members) do static.object[member.name] = type_of(model, member.target, made) end
  end
  return static
end

---@param model bide.Model
---@param id string
---@return bide.Shape
function M.of(model, id)
  model.statics = model.statics or {}
  return type_of(model, id, model.statics)
end

return M
