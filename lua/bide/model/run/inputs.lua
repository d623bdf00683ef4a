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
---@param target bide.ModelShape
---@return (string|integer)[]?
function M.values_of(target)
  local values = {}
  local function add(value)
    values[#values + 1] = (type(value) == "string" or math.type(value) == "integer") and value or nil
  end
  if target.type == "enum" or target.type == "intEnum" then
    for _, member in ipairs(target.members) do add(member.traits["smithy.api#enumValue"]) end
  end
  for _, entry in ipairs(type(target.traits["smithy.api#enum"]) == "table" and target.traits["smithy.api#enum"] or {}) do
    add(type(entry) == "table" and entry.value)
  end
  return #values > 0 and values or nil
end

---@param name "range"|"length"
---@return { min: number?, max: number? }?
local function bounds_of(member, target, name)
  local bounds = has(member, target, name)
  return type(bounds) == "table" and bounds or nil
end

---Returns the words of a documentation; nil if it has none.
local function words_of(text)
  local words = type(text) == "string" and require "bide.text.documentation"(text)
  return words and words ~= "" and words or nil
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
  declared.values = (declared.type == "string" or declared.type == "integer") and M.values_of(target) or nil
  local range = bounds_of(member, target, "range")
  if range and (declared.type == "integer" or declared.type == "number") then
    declared.minimum, declared.maximum = range.min, range.max
  end
  return declared
end

---@param bounds { min: number?, max: number? }?
---@return string? words that say the bounds, if the number is not within them
local function beyond(bounds, number)
  local least, most = bounds and tonumber(bounds.min), bounds and tonumber(bounds.max)
  if (not least or number >= least) and (not most or number <= most) then return nil end
  return least and most and ("%s to %s"):format(least, most) or least and "at least " .. least or "at most " .. most
end

---Returns what is wrong with a number by its range.
---@param member bide.ModelMember
---@param target bide.ModelShape
---@param value number
---@return string? words that say the range, if the number is not in it
function M.beyond_range(member, target, value)
  return beyond(bounds_of(member, target, "range"), value)
end

local function count_entries(map)
  local count = 0
  for _ in pairs(map) do count = count + 1 end
  return count
end

---Functions that count what the length of a value means, and the words for it, by the type of the shape.
local lengths = {
  string = { function(text) return utf8.len(text) or #text end, "characters" },
  blob = { function(text) return #text // 4 * 3 - #text:match "=*$" end, "bytes" },
  list = { function(list) return #list end, "elements" },
  map = { count_entries, "entries" },
}
lengths.set = lengths.list

---Returns what is wrong with a value by its length.
---@param member bide.ModelMember
---@param target bide.ModelShape
---@param value any of the type of the target
---@return string? expected words that say the length, if the value has another one
---@return integer? count
function M.beyond_length(member, target, value)
  local bounds, length = bounds_of(member, target, "length"), lengths[target.type]
  if not bounds or not length then return nil end
  local count, unit = length[1](value), length[2]
  local words = beyond(bounds, count)
  if words then return ("%s %s"):format(words, unit), count end
end

local types_of_defaults = { string = "string", boolean = "boolean", integer = "number", number = "number" }

---Returns the default of a member, if the member has one that its declaration takes.
---@param declared bide.InputMember
local function default_of(member, target, declared)
  local default = member.traits["smithy.api#default"]
  if type(default) ~= types_of_defaults[declared.type] then return nil end
  if type(default) == "number" and M.beyond_range(member, target, default) then return nil end
  if declared.type == "integer" and math.type(default) ~= "integer" then return nil end
  for _, value in ipairs(declared.values or { default }) do
    if value == default then return default end
  end
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
      one.default = default_of(member, target, one)
      one.required = one.default == nil and has(member, nil, "required") ~= nil or nil
      one.documentation = words_of(member.traits["smithy.api#documentation"])
      one.secret = has(member, target, "sensitive") ~= nil and one.type ~= "object" or nil
      if one.secret then secrets[#secrets + 1] = member.name end
      declared[member.name] = one
    end
  end
  return next(declared) and declared or nil, token, #secrets > 0 and secrets or nil
end

return M
