---Checks what operations rest on: that they and their services refer to shapes of the right kind, and that the traits by which
---inputs are declared, requests are written and answers are read have values of the right form. Smithy's ids are kept.

local core = require "bide.core"
local option = require "bide.text.option"
local tables = require "bide.text.tables"

local json, sorted = core.json, option.sorted_names
local is_list, is_object = json.is_array, tables.is_object

local M = {}

local API = "smithy.api#"

-- ---- values ---------------------------------------------------------------------------------

---A form of a value: returns the id of the event and what was expected, or nil.
---@alias bide.check.Form fun(value: any): string?, string?

local function is_text(value)
  return type(value) == "string"
end

---@param words string
---@return bide.check.Form
local function of(is_right, words)
  return function(value)
    if not is_right(value) then return "Model", words end
  end
end

---@param id string of the event
---@param choices string[]
---@return bide.check.Form
local function one_of(id, choices)
  return function(value)
    if not is_text(value) then return "Model", "a string" end
    if tables.has(choices, value) then return nil end
    return id, "one of " .. table.concat(choices, ", ")
  end
end

---@param members table<string, bide.check.Form>
---@param required string[]
---@return bide.check.Form
local function object_of(members, required)
  return function(value)
    if not is_object(value) then return "Model", "an object" end
    for _, name in ipairs(required) do
      if value[name] == nil then return "Model", "an object with the member " .. name end
    end
    for _, name in ipairs(sorted(members)) do
      if value[name] ~= nil then
        local id, words = members[name](value[name])
        if id then return id, ("%s as its member %s"):format(words, name) end
      end
    end
  end
end

---@param is_element fun(value: any): boolean
---@return bide.check.Form
local function list_of(is_element, words)
  return function(value)
    if not is_list(value) then return "Model", "a list of " .. words end
    for _, element in ipairs(value) do
      if not is_element(element) then return "Model", "a list of " .. words end
    end
  end
end

local text = of(is_text, "a string")
local annotation = of(is_object, "no value")
local integer = of(function(value) return math.type(value) == "integer" end, "a whole number")
local number = of(function(value) return type(value) == "number" end, "a number")

---@param id string
---@param bound bide.check.Form
---@return bide.check.Form
local function bounds(id, bound)
  local form = object_of({ min = bound, max = bound }, {})
  return function(value)
    local mistake, words = form(value)
    if mistake then return mistake, words end
    if value.min == nil and value.max == nil then return "Model", "a min or a max" end
    if value.min and value.max and value.min > value.max then return id, "a min that is not above the max" end
  end
end

---The path of an operation and the prefix of its host are looked at in bide.model.assembly.rules: they are mistakes of the model.
---@param form bide.check.Form
---@return bide.check.Form
local function where_object(form)
  return function(value)
    if is_object(value) then return form(value) end
  end
end

---@type table<string, bide.check.Form>
local forms = {
  auth = list_of(is_text, "ids of schemes"), suppress = list_of(is_text, "strings"), tags = list_of(is_text, "strings"),
  enum = list_of(function(entry) return is_object(entry) and is_text(entry.value) end, "objects with a value, a string"),
  error = one_of("Model", { "client", "server" }),
  http = where_object(object_of({ method = text, code = integer }, { "method" })),
  httpApiKeyAuth = object_of({ name = text, ["in"] = one_of("TraitValue", { "header", "query" }), scheme = text },
    { "name", "in" }),
  httpError = integer, length = bounds("LengthTrait", integer), range = bounds("RangeTrait", number),
  timestampFormat = one_of("TraitValue", { "date-time", "http-date", "epoch-seconds" }),
  xmlNamespace = object_of({ uri = text, prefix = text }, { "uri" }),
}
for name in ("clientOptional hostLabel httpBasicAuth httpBearerAuth httpDigestAuth httpLabel httpPayload httpQueryParams "
  .. "httpResponseCode idempotencyToken idempotent optionalAuth readonly required sensitive sparse streaming xmlAttribute "
  .. "xmlFlattened"):gmatch "%a+" do forms[name] = annotation end
for name in ("documentation httpHeader httpPrefixHeaders httpQuery jsonName mediaType xmlName"):gmatch "%a+" do
  forms[name] = text
end

-- ---- defaults -------------------------------------------------------------------------------

local type_of_default = { blob = "string", string = "string", enum = "string", boolean = "boolean", list = "list",
  map = "object" }
for name in ("byte short integer long float double bigInteger bigDecimal intEnum"):gmatch "%a+" do
  type_of_default[name] = "number"
end

local function mistake_of_default(kind, value)
  local wanted = type_of_default[kind]
  if value == json.null or not wanted then return nil end
  local found = is_list(value) and "list" or is_object(value) and "object" or type(value)
  return found ~= wanted and ("a %s, the default of a shape of the type %s"):format(wanted, kind) or nil
end

-- ---- shapes ---------------------------------------------------------------------------------

---@class bide.check.Operations
---@field model bide.Model
---@field report fun(shape: bide.ModelShape, id: string, path: string, message: string)

---@param traits table<string, any>
---@param kind string? the type of what has a default
---@param path string of what has the traits, below the shape
local function check_traits(walk, shape, traits, kind, path)
  for _, id in ipairs(sorted(traits)) do
    local name = id:match "^smithy%.api#(%a+)$"
    local event, words
    if forms[name] then event, words = forms[name](traits[id]) end
    if name == "default" then
      words = mistake_of_default(kind, traits[id])
      event = words and "DefaultTrait"
    end
    if event then
      walk.report(shape, event, ("%s\ntraits\n%s"):format(path, id), ("@%s: %s"):format(name, option.expected(words, traits[id])))
    end
  end
end

---@param wanted string a type
local function check_target(walk, shape, target, wanted, path, words)
  local kind = walk.model:type_of(target)
  if kind and kind ~= wanted then
    walk.report(shape, "Target", path, ("%s: expected %s %s, found %s, of type %s"):format(words,
      wanted == "operation" and "an" or "a", wanted, target, kind))
    return false
  end
  return kind ~= nil
end

local function check_error(walk, shape, target, path)
  if not check_target(walk, shape, target, "structure", path, "an error") then return end
  if walk.model:shape(target).traits[API .. "error"] == nil then
    walk.report(shape, "Target", path, ("an error: expected a structure with the trait @error, found %s"):format(target))
  end
end

local function check_errors(walk, shape)
  for position, reference in ipairs(shape.said.errors or {}) do
    check_error(walk, shape, reference.target, "\nerrors\n" .. position)
  end
end

---@param pending string[] gets the ids of the shapes of data
local function check_operation(walk, shape, pending)
  check_traits(walk, shape, shape.traits, nil, "")
  for _, name in ipairs { "input", "output" } do
    local target = shape.said[name].target
    if check_target(walk, shape, target, "structure", "\n" .. name, "an " .. name) then pending[#pending + 1] = target end
  end
  check_errors(walk, shape)
  for _, reference in ipairs(shape.said.errors or {}) do pending[#pending + 1] = reference.target end
end

local no_data = { operation = true, resource = true, service = true }

---@param pending string[] gets the ids of the shapes that its members refer to
local function check_data(walk, shape, pending)
  local is_aggregate = shape.type == "structure" or shape.type == "union"
  check_traits(walk, shape, shape.traits, shape.type, "")
  if shape.type == "enum" or shape.type == "intEnum" then return end
  for _, member in ipairs(shape.members) do
    local path, kind = (is_aggregate and "\nmembers\n" or "\n") .. member.name, walk.model:type_of(member.target)
    check_traits(walk, shape, member.traits, kind, path)
    if no_data[kind] then
      walk.report(shape, "Target", path, ("the member %s: expected a shape of data, found %s, of type %s"):format(member.name,
        member.target, kind))
    else
      pending[#pending + 1] = member.target
    end
  end
end

local lists = { operations = "operation", collectionOperations = "operation", resources = "resource" }
local lifecycle = { "create", "put", "read", "update", "delete", "list" }

---Checks a service or a resource.
local function check_entity(walk, shape)
  check_traits(walk, shape, shape.traits, nil, "")
  for _, name in ipairs(sorted(lists)) do
    for position, reference in ipairs(shape.said[name] or {}) do
      check_target(walk, shape, reference.target, lists[name], ("\n%s\n%d"):format(name, position), "an element of " .. name)
    end
  end
  for _, name in ipairs(shape.type == "resource" and lifecycle or {}) do
    local reference = shape.said[name]
    if type(reference) == "table" and reference.target then
      check_target(walk, shape, reference.target, "operation", "\n" .. name, name)
    end
  end
  check_errors(walk, shape)
end

---@param model bide.Model
---@param add fun(shape: bide.ModelShape, event: { id: string, severity: string, path: string, message: string })
function M.check(model, add)
  local walk = { model = model, report = function(shape, id, path, message)
    add(shape, { id = id, severity = "ERROR", path = path, message = message })
  end }
  local pending, seen = {}, {}
  for _, id in ipairs(model.ids) do
    local kind = model.types[id]
    if kind == "operation" then check_operation(walk, model:shape(id), pending) end
    if kind == "service" or kind == "resource" then check_entity(walk, model:shape(id)) end
  end
  while #pending > 0 do
    local id = table.remove(pending)
    local shape = not seen[id] and model.origin[id] and model:shape(id)
    seen[id] = true
    if shape and not no_data[shape.type] then check_data(walk, shape, pending) end
  end
end

return M
