---Converts what a call of one's own returns for an operation of a model to the data that paths see: a timestamp becomes a
---number of seconds, bytes become Base64, and a large number in a text becomes a number. What has the right form stays,
---and so do values of other types. A value that cannot be converted stays, too, and the note of the attempt names it.

local core = require "bide.core"
local retries = require "bide.task.retries"
local scalar = require "bide.model.protocol.scalar"

local json = core.json

local M = {}

---The deepest level that is converted; no document is deeper.
local DEEPEST = 512

local function blob(value)
  return scalar.of_data.blob(value) or type(value) == "string" and require("bide.base64").encode(value) or nil
end

---Functions that return a value in the form that paths see; nil if it cannot have it.
local conversions = {
  blob = blob, timestamp = scalar.of_data.timestamp, bigInteger = scalar.read_number, bigDecimal = scalar.read_number,
}

---@class bide.model.Conversion
---@field model bide.Model
---@field targets table<string, fun(key: any): string?> the ids of the shapes of the parts, by the id of the whole
---@field path (string|integer)[] the names, keys and positions that lead to a value
---@field depth integer
local Conversion = {}
Conversion.__index = Conversion

---Returns a function that gives the id of the shape of a part.
---@param shape bide.ModelShape
---@return fun(key: any): string?
local function targets_of(shape)
  if shape.type == "structure" or shape.type == "union" then
    local targets = {}
    for _, member in ipairs(shape.members) do targets[member.name] = member.target end
    return function(key) return targets[key] end
  end
  local element = shape.members[#shape.members]
  return function() return element and element.target end
end

---@return table copy with the mark of an array
local function copy_of(value)
  local copy = json.is_array(value) and json.array {} or {}
  for key, part in next, value do copy[key] = part end
  return copy
end

---Converts the parts of a table. It may be the script's own, so it is copied before a part of it changes.
---@param target_of fun(key: any): string?
---@return table
function Conversion:parts(value, target_of)
  local copy
  self.depth = self.depth + 1
  for key, part in next, value do
    local target = target_of(key)
    self.path[self.depth] = (type(key) == "string" or math.type(key)) and key or "?"
    local converted = target and self:value(target, part) or part
    if not rawequal(converted, part) then
      copy = copy or copy_of(value)
      copy[key] = converted
    end
  end
  self.depth = self.depth - 1
  return copy or value
end

---Converts a value that has no parts. The note names its place only, since the value may be a secret.
function Conversion:scalar(kind, value)
  local converted = conversions[kind](value)
  if converted ~= nil then return converted end
  retries.note(("the output has no %s at %s"):format(kind, table.concat(self.path, ".", 1, self.depth)))
  return value
end

---@param id string of the shape
---@param value any
---@return any
function Conversion:value(id, value)
  local kind = self.model:type_of(id)
  if scalar.is_missing(value) then return value end
  if conversions[kind] then return self:scalar(kind, value) end
  if type(value) ~= "table" or self.depth == DEEPEST then return value end
  self.targets[id] = self.targets[id] or targets_of(self.model:shape(id))
  return self:parts(value, self.targets[id])
end

---Reports whether a shape, or one that it contains, is of a type with a form of its own.
local function has_forms(model, id)
  local pending, met = { id }, { [id] = true }
  while #pending > 0 do
    local next_one = table.remove(pending)
    if conversions[model:type_of(next_one)] then return true end
    local shape = model:shape(next_one)
    for _, member in ipairs(shape and shape.members or {}) do
      if not met[member.target] then pending[#pending + 1], met[member.target] = member.target, true end
    end
  end
  return false
end

---Returns a function that converts outputs of a shape. It looks at the shapes when it is first called.
---@param model bide.Model
---@param id string
---@return fun(output: any): any convert returns the output itself if nothing in it changes
function M.converter(model, id)
  local conversion, is_needed
  return function(output)
    if is_needed == nil then is_needed = has_forms(model, id) end
    if not is_needed then return output end
    conversion = conversion or setmetatable({ model = model, targets = {}, path = {} }, Conversion)
    conversion.depth = 0
    local value = getmetatable(output) == "bide.document" and output:value() or output
    local converted = conversion:value(id, value)
    return rawequal(converted, value) and output or converted
  end
end

return M
