---The declared inputs of an operation, made of its input shape: types, required members, enumerations, ranges, defaults.

local M = {}

local types = {
  string = "string", enum = "string", blob = "string", boolean = "boolean", byte = "integer", short = "integer",
  integer = "integer", long = "integer", bigInteger = "integer", intEnum = "integer", float = "number", double = "number",
  bigDecimal = "number", timestamp = "any", document = "any", structure = "object", union = "object", map = "object",
  list = "list", set = "list",
}

local trait = "smithy.api#%s"

local function has(member, target, name)
  local id = trait:format(name)
  if member.traits[id] ~= nil then return member.traits[id] end
  return target and target.traits[id]
end

---The values of an enumeration; of a string with the trait of version 1.0 as well.
local function values_of(target)
  local values = {}
  if target.type == "enum" or target.type == "intEnum" then
    for _, member in ipairs(target.members) do values[#values + 1] = member.traits["smithy.api#enumValue"] end
  end
  for _, entry in ipairs(type(target.traits["smithy.api#enum"]) == "table" and target.traits["smithy.api#enum"] or {}) do
    values[#values + 1] = entry.value
  end
  return #values > 0 and values or nil
end

---The first sentences of a documentation, without marks of HTML.
local function plain(text)
  if type(text) ~= "string" then return nil end
  text = text:gsub("<[^>]*>", " "):gsub("%s+", " "):gsub("^ ", ""):gsub(" $", "")
  return #text > 0 and text or nil
end

local declare

---@param depth integer of lists within lists, which a declaration bounds
local function element_of(model, target, depth)
  local member = target.members[1]
  local element = member and model:shape(member.target)
  return element and depth < 4 and declare(model, member, element, depth + 1) or nil
end

---@param member bide.ModelMember
---@param target bide.ModelShape
---@return bide.InputMember
function declare(model, member, target, depth)
  local declared = { type = types[target.type] or "any" }
  if declared.type == "list" then declared.of = element_of(model, target, depth) end
  declared.values = (declared.type == "string" or declared.type == "integer") and values_of(target) or nil
  local range = has(member, target, "range")
  if type(range) == "table" and (declared.type == "integer" or declared.type == "number") then
    declared.minimum, declared.maximum = range.min, range.max
  end
  return declared
end

---@param model bide.Model
---@param input bide.ModelShape
---@return bide.Inputs? declared nil for an input without members
---@return string? token the member of the idempotency token
---@return string[]? secrets the members that are sensitive
function M.of(model, input)
  local declared, token, secrets = {}, nil, {}
  for _, member in ipairs(input.members) do
    local target = model:shape(member.target)
    if has(member, nil, "idempotencyToken") then
      token = member.name
    elseif target then
      local one = declare(model, member, target, 0)
      one.required = has(member, nil, "required") ~= nil or nil
      one.documentation = plain(member.traits["smithy.api#documentation"])
      one.secret = has(member, target, "sensitive") ~= nil and one.type ~= "object" or nil
      if one.secret then secrets[#secrets + 1] = member.name end
      declared[member.name] = one
    end
  end
  return next(declared) and declared or nil, token, #secrets > 0 and secrets or nil
end

return M
