---Says what is wrong with the structure of a shape in a JSON AST. Which shapes are broken is found in C, for all at once
---(src/model/ast.h); a spec holds the two together.

local core = require "bide.core"
local expected = require("bide.text.option").expected
local sorted = require("bide.text.option").sorted_names
local tables = require "bide.text.tables"

local json = core.json

local M = {}

---The types of shapes; `apply` is what an AST has among its shapes.
M.types = { "apply", "bigDecimal", "bigInteger", "blob", "boolean", "byte", "document", "double", "enum", "float", "intEnum",
  "integer", "list", "long", "map", "operation", "resource", "service", "set", "short", "string", "structure", "timestamp",
  "union" }

---The members of a list and a map that are beside the type.
M.elements = { list = { "member" }, set = { "member" }, map = { "key", "value" } }

local is_type = tables.set(M.types)

---The types of shapes of data.
M.is_data = tables.set(M.types)
for _, name in ipairs { "apply", "operation", "resource", "service" } do M.is_data[name] = nil end

---@param path string the names and positions that lead to a value, each after a line break
---@return string mistake
---@return string path
local function mistake_at(path, words, value)
  return ("%s: %s"):format(path:sub(2):gsub("\n", "."), expected(words, value)), path
end

local function check_object(path, value)
  if not tables.is_object(value) then return mistake_at(path, "an object", value) end
end

local function check_reference(path, value)
  if not tables.is_object(value) then return mistake_at(path, "an object with a target", value) end
  if type(value.target) ~= "string" then return mistake_at(path .. "\ntarget", "the id of a shape", value.target) end
  if value.traits ~= nil then return check_object(path .. "\ntraits", value.traits) end
end

local function check_list(path, value)
  if not json.is_array(value) then return mistake_at(path, "a list", value) end
  for position, one in ipairs(value) do
    local mistake, place = check_reference(path .. "\n" .. position, one)
    if mistake then return mistake, place end
  end
end

local function check_named(path, value)
  if not tables.is_object(value) then return check_object(path, value) end
  for _, name in ipairs(sorted(value)) do
    local mistake, place = check_reference(path .. "\n" .. name, value[name])
    if mistake then return mistake, place end
  end
end

local checks = { traits = check_object, type = function(path, value)
  if type(value) ~= "string" then return mistake_at(path, "a string", value) end
end }
for name in ("members identifiers properties"):gmatch "%a+" do checks[name] = check_named end
for name in ("mixins errors operations resources collectionOperations"):gmatch "%a+" do checks[name] = check_list end
for name in ("member key value input output create put read update delete list"):gmatch "%a+" do
  checks[name] = check_reference
end

local function check_member(path, name, value)
  if checks[name] then return checks[name](path, value) end
  if value == json.null then return mistake_at(path, "a value", value) end
end

local function is_id(text)
  local namespace, rest = text:match "^([%w_.]+)#[%a_][%w_]*(.*)$"
  if not namespace or rest ~= "" and not rest:find "^%$[%a_][%w_]*$" then return false end
  return not ("." .. namespace .. "#"):find "%.[^%a_]"
end

---Returns the mistake of a text that is not the type of a shape; nil if it is one.
---@param kind string
---@return string? mistake
function M.mistake_of_type(kind)
  if not is_type[kind] then return "type: " .. expected("the type of a shape", kind, M.types) end
end

---@param kind "list"|"set"|"map"
---@param name string of the member that is missing
---@return string mistake
function M.missing_element(kind, name)
  return ("the %s has no member %q"):format(kind, name)
end

---Says what is wrong with the root of an AST, beside its shapes.
---@param document bide.Document
---@return string? mistake nil if it is not broken
---@return string? path of the part with the mistake
function M.mistake_of_root(document)
  local version = document:value "smithy"
  if version ~= "1" and version ~= "1.0" and version ~= "2" and version ~= "2.0" then
    return "smithy: " .. expected('the version "1.0" or "2.0"', version), "\nsmithy"
  end
  local metadata = not document:names "metadata" and document:value "metadata"
  if metadata then return "metadata: " .. expected("an object", metadata), "\nmetadata" end
end

---@param id string
---@param raw any a shape as the AST says it
---@return string? mistake nil if it is not broken
---@return string? path of the part with the mistake, below the shape
function M.mistake(id, raw)
  if not is_id(id) then return expected("the id of a shape, such as example.things#Thing", id), "" end
  if not tables.is_object(raw) then return expected("a shape, an object", raw), "" end
  for _, name in ipairs(sorted(raw)) do
    local mistake, path = check_member("\n" .. name, name, raw[name])
    if mistake then return mistake, path end
  end
  for _, name in ipairs(raw.mixins == nil and M.elements[raw.type] or {}) do
    if raw[name] == nil then return M.missing_element(raw.type, name), "" end
  end
  local is_enumeration = raw.mixins == nil and (raw.type == "enum" or raw.type == "intEnum")
  if is_enumeration and next(raw.members or {}) == nil then return ("the %s has no members"):format(raw.type), "" end
  if raw.type == nil then return "the shape has no type", "" end
end

return M
