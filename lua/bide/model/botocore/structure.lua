---Checks the structure of a service-2.json, botocore's model of a service: what is taken from it has the type that it must
---have. Members that bide does not know are of no concern.

local is_array = require("bide.core").json.is_array
local expected = require("bide.text.option").expected
local tables = require "bide.text.tables"

local M = {}

---A kind of value: a word of `words`, a list or a map of one kind, or an object with some members.
---@alias bide.botocore.Kind string|{ list: bide.botocore.Kind }|{ map: bide.botocore.Kind }|bide.botocore.Object

---@class bide.botocore.Object
---@field members table<string, bide.botocore.Kind>
---@field required string[]?

local reference = { required = { "shape" }, members = { shape = "text", location = "text", locationName = "text",
  queryName = "text", timestampFormat = "text" } }

local shape = { required = { "type" }, members = { type = "text", members = { map = reference }, required = { list = "text" },
  member = reference, key = reference, value = reference, enum = { list = "text" }, payload = "text", locationName = "text",
  timestampFormat = "text", error = { members = { code = "text", httpStatusCode = "whole" } } } }

---The members that shapes of a type must have.
local elements = { list = { "member" }, map = { "key", "value" } }

local operation = { members = { input = reference, output = reference, errors = { list = reference },
  http = { required = { "method", "requestUri" }, members = { method = "text", requestUri = "text", responseCode = "whole" } },
  endpoint = { members = { hostPrefix = "text" } } } }

local service = { required = { "metadata", "operations", "shapes" }, members = {
  metadata = { members = { serviceId = "text", apiVersion = "text", protocol = "text", protocols = { list = "text" },
    jsonVersion = "text", endpointPrefix = "text", targetPrefix = "text", xmlNamespace = "text" } },
  operations = { map = operation }, shapes = { map = shape },
} }

local words = {
  text = { "a string", function(value) return type(value) == "string" end },
  whole = { "a whole number", function(value) return math.type(value) == "integer" end },
}

---@class bide.botocore.Mistake
---@field path string the names and positions that lead to a part, each after a line break
---@field message string

---@param mistakes bide.botocore.Mistake[]
local function report(mistakes, path, wanted, value)
  table.insert(mistakes, { path = path, message = ("%s: %s"):format(path:sub(2):gsub("\n", "."), expected(wanted, value)) })
end

local check

local function check_required(value, names, path, mistakes)
  for _, name in ipairs(names or {}) do
    if value[name] == nil then report(mistakes, path, ("a member %q"):format(name), nil) end
  end
end

---@param kind bide.botocore.Object
local function check_object(value, kind, path, mistakes)
  for name, of_member in pairs(kind.members) do
    if value[name] ~= nil then check(value[name], of_member, path .. "\n" .. name, mistakes) end
  end
  check_required(value, kind.required, path, mistakes)
  if kind == shape then check_required(value, elements[value.type], path, mistakes) end
end

---@param kind bide.botocore.Kind
---@param mistakes bide.botocore.Mistake[]
function check(value, kind, path, mistakes)
  local word = words[kind]
  if word then
    if not word[2](value) then report(mistakes, path, word[1], value) end
  elseif kind.list then
    if not is_array(value) then return report(mistakes, path, "a list", value) end
    for position, one in ipairs(value) do check(one, kind.list, path .. "\n" .. position, mistakes) end
  elseif not tables.is_object(value) then
    report(mistakes, path, "an object", value)
  elseif kind.map then
    for name, one in pairs(value) do check(one, kind.map, path .. "\n" .. name, mistakes) end
  else
    check_object(value, kind, path, mistakes)
  end
end

---@param value any a service-2.json
---@return bide.botocore.Mistake[] mistakes sorted by their places
function M.mistakes(value)
  local mistakes = {}
  check(value, service, "", mistakes)
  table.sort(mistakes, function(a, b) return a.path .. a.message < b.path .. b.message end)
  return mistakes
end

return M
