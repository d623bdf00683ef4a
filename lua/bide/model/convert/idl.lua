---Writes shapes as a file of the Smithy IDL, 2.0.

local core = require "bide.core"
local prelude = require "bide.model.assembly.prelude"
local sorted = require("bide.text.option").sorted_names

local json = core.json

---@class bide.IdlWriter
---@field namespace string
---@field defined table<string, true> names of its shapes
---@field lines string[]

---The shortest name that means a shape.
local function name_of(writer, id)
  local namespace, name = id:match "^(.-)#(.*)$"
  if namespace == writer.namespace then return name end
  if namespace == "smithy.api" and prelude.has(name) and not writer.defined[name] then return name end
  return id
end

-- ---- values -----------------------------------------------------------------------------------

local write_node

local function write_key(name)
  return name:find "^%a[%w_]*$" and name or json.encode(name)
end

local function write_pairs(value, indent)
  local lines = {}
  for _, name in ipairs(sorted(value)) do
    lines[#lines + 1] = ("%s%s: %s\n"):format(indent, write_key(name), write_node(value[name], indent))
  end
  return table.concat(lines)
end

function write_node(value, indent)
  if type(value) ~= "table" then return assert(json.encode(value)) end
  local inner = indent .. "    "
  if next(value) == nil then return json.is_array(value) and "[]" or "{}" end
  if not json.is_array(value) and #value == 0 then return "{\n" .. write_pairs(value, inner) .. indent .. "}" end
  local lines = {}
  for position, element in ipairs(value) do lines[position] = inner .. write_node(element, inner) .. "\n" end
  return "[\n" .. table.concat(lines) .. indent .. "]"
end

local DOCUMENTATION = "smithy.api#documentation"

---A documentation is a comment, unless its text would change by that.
local function write_documentation(text, indent)
  if type(text) ~= "string" or text:find "[%c]" and text:gsub("\n", ""):find "%c" then return nil end
  return indent .. "/// " .. text:gsub("\n", "\n" .. indent .. "/// ") .. "\n"
end

local function write_trait(writer, id, value, indent)
  local name = "@" .. name_of(writer, id)
  local is_plain = type(value) == "table" and next(value) == nil and not json.is_array(value)
  if is_plain then return ("%s%s\n"):format(indent, name) end
  return ("%s%s(%s)\n"):format(indent, name, write_node(value, indent))
end

local function write_traits(writer, traits, indent)
  local lines = {}
  local documented = traits[DOCUMENTATION] and write_documentation(traits[DOCUMENTATION], indent)
  lines[1] = documented
  for _, id in ipairs(sorted(traits)) do
    if not (documented and id == DOCUMENTATION) then lines[#lines + 1] = write_trait(writer, id, traits[id], indent) end
  end
  return table.concat(lines)
end

-- ---- shapes -----------------------------------------------------------------------------------

local function write_members(writer, shape)
  local lines = {}
  for position, member in ipairs(shape.members) do
    lines[position] = ("%s    %s: %s\n"):format(write_traits(writer, member.traits, "    "), member.name,
      name_of(writer, member.target))
  end
  return "{\n" .. table.concat(lines) .. "}"
end

local function write_enumeration(writer, shape)
  local lines = {}
  for position, member in ipairs(shape.members) do
    lines[position] = ("%s    %s\n"):format(write_traits(writer, member.traits, "    "), member.name)
  end
  return "{\n" .. table.concat(lines) .. "}"
end

local function is_reference(value)
  return type(value) == "table" and type(value.target) == "string"
end

---References become names, wherever they are in the body of a service, a resource or an operation.
local function write_body_value(writer, value, indent)
  if is_reference(value) then return name_of(writer, value.target) end
  if type(value) ~= "table" or next(value) == nil then return write_node(value, indent) end
  local inner, lines = indent .. "    ", {}
  if #value > 0 then
    for position, element in ipairs(value) do lines[position] = inner .. write_body_value(writer, element, inner) .. "\n" end
    return "[\n" .. table.concat(lines) .. indent .. "]"
  end
  for _, name in ipairs(sorted(value)) do
    lines[#lines + 1] = ("%s%s: %s\n"):format(inner, write_key(name), write_body_value(writer, value[name], inner))
  end
  return "{\n" .. table.concat(lines) .. indent .. "}"
end

local function write_body(writer, shape)
  local said = {}
  for name, value in pairs(shape.said) do
    local is_unit = is_reference(value) and value.target == "smithy.api#Unit"
    if not is_unit then said[name] = value end
  end
  if next(said) == nil then return "{}" end
  return write_body_value(writer, said, "")
end

local bodies = {
  structure = write_members, union = write_members, list = write_members, map = write_members,
  enum = write_enumeration, intEnum = write_enumeration, service = write_body, resource = write_body, operation = write_body,
}

local function write_shape(writer, shape)
  local body = bodies[shape.type] and " " .. bodies[shape.type](writer, shape) or ""
  return ("%s%s %s%s\n"):format(write_traits(writer, shape.traits, ""), shape.type, shape.id:match "#(.*)$", body)
end

---@param shapes bide.ModelShape[]
---@param metadata table<string, any>
---@return string? text
---@return string? mistake
return function(shapes, metadata)
  if #shapes == 0 then return nil, "there is no shape to write" end
  local writer = { namespace = shapes[1].id:match "^(.*)#", defined = {} }
  local lines = { '$version: "2.0"\n\n' }
  for _, name in ipairs(sorted(metadata)) do
    lines[#lines + 1] = ("metadata %s = %s\n\n"):format(write_key(name), write_node(metadata[name], ""))
  end
  for _, shape in ipairs(shapes) do
    local namespace, name = shape.id:match "^(.*)#(.*)$"
    if namespace ~= writer.namespace then
      return nil, ("%s: a file of the IDL has one namespace, and this is not in %s"):format(shape.id, writer.namespace)
    end
    writer.defined[name] = true
  end
  lines[#lines + 1] = ("namespace %s\n"):format(writer.namespace)
  for _, shape in ipairs(shapes) do lines[#lines + 1] = "\n" .. write_shape(writer, shape) end
  return table.concat(lines)
end
