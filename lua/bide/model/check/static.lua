---The static type of a model's shape, for `expression:analyse`: what JMESPath sees of it. Members go by their names, a
---blob is a text, a timestamp a number, a document anything. A shape that holds itself makes a table that does.

local M = {}

local words = {
  blob = "string", string = "string", enum = "string", boolean = "boolean", document = "any",
  byte = "number", short = "number", integer = "number", long = "number", float = "number", double = "number",
  bigInteger = "number", bigDecimal = "number", intEnum = "number", timestamp = "number",
}

---The most tables of a static type. The analysis takes no longer chains of them; what is farther away may be anything.
local MOST = 900

---@param shape bide.ModelShape
---@return bide.Shape of the elements of a list or a map; a broken model may not say it
local function element_of(shape, name, type_of)
  for _, member in ipairs(shape.members) do
    if member.name == name then return type_of(member.target) end
  end
  return "any"
end

---@param static table
---@param type_of fun(id: string): bide.Shape
local function fill(static, shape, type_of)
  if shape.type == "list" or shape.type == "set" then
    static.array = element_of(shape, "member", type_of)
  elseif shape.type == "map" then
    static.map = element_of(shape, "value", type_of)
  else
    static.object = {}
    for _, member in ipairs(shape.members) do static.object[member.name] = type_of(member.target) end
  end
end

---Makes the static type of a shape, the nearest parts first.
---@return bide.Shape
local function make(model, id)
  local made, ids = {}, {}
  local function type_of(target)
    local kind = model:type_of(target)
    local word = made[target] or not kind and "any" or words[kind]
    if word then return word end
    if #ids == MOST then return "any" end
    made[target], ids[#ids + 1] = {}, target
    return made[target]
  end
  local static, filled = type_of(id), 0
  while filled < #ids do
    filled = filled + 1
    fill(made[ids[filled]], model:shape(ids[filled]), type_of)
  end
  return static
end

---@param model bide.Model
---@param id string
---@return bide.Shape
function M.of(model, id)
  model.statics = model.statics or {}
  model.statics[id] = model.statics[id] or make(model, id)
  return model.statics[id]
end

return M
