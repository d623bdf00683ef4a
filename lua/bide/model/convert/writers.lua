---Writes waiters in each form. The same waiters always give the same text.

local core = require "bide.core"
local tables = require "bide.text.tables"
local upgrade = require "bide.model.convert.upgrade"
local write_idl = require "bide.model.convert.idl"
local sorted = require("bide.text.option").sorted_names

local json = core.json

local M = {}

local WAITABLE = require("bide.model.assembly.model").WAITABLE

-- ---- Lua --------------------------------------------------------------------------------------

---Returns the key of a table: a name as it is, unless Lua keeps the word for itself.
local function key_of(name)
  local is_name = name:find "^[%a_][%w_]*$" and load(("local %s"):format(name), "", "t")
  return is_name and name or ("[%s]"):format(json.encode(name))
end

local function quoted(text)
  return (("%q"):format(text):gsub("\\\n", "\\n"):gsub("\r", "\\r"):gsub("\0", "\\0"))
end

local write_value

---@param indent string
local function write_table(value, indent)
  local inner, lines = indent .. "  ", {}
  for _, element in ipairs(value) do lines[#lines + 1] = inner .. write_value(element, inner) .. ",\n" end
  for _, name in ipairs(#value == 0 and sorted(value) or {}) do
    lines[#lines + 1] = ("%s%s = %s,\n"):format(inner, key_of(name), write_value(value[name], inner))
  end
  if #lines == 0 then return "{}" end
  return "{\n" .. table.concat(lines) .. indent .. "}"
end

---Writes a short table on one line.
local function folded(text)
  local flat = text:gsub("\n%s*", " "):gsub(", }", " }")
  return #flat <= 100 and flat or text
end

function write_value(value, indent)
  if type(value) == "table" then return folded(write_table(value, indent)) end
  if type(value) == "string" then return quoted(value) end
  return tostring(value)
end

---@param conversion bide.Conversion
---@return string
function M.lua(conversion)
  local lines = { "-- The operations have no call: give them one here, or with --with FILE.\n", "return {\n" }
  for _, operation in ipairs(conversion.operations) do
    lines[#lines + 1] = ("  %s = {\n    waitable = %s,\n  },\n"):format(key_of(operation.name or "Operation"),
      write_value(operation.waiters, "    "))
  end
  return table.concat(lines) .. "}\n"
end

-- ---- JSON -------------------------------------------------------------------------------------

---@param conversion bide.Conversion of one operation
---@return string
function M.json(conversion)
  return json.encode(conversion.operations[1].waiters, { indent = true }) .. "\n"
end

---An empty object; an empty table would be a list.
local nothing = assert(json.read "{}")

---A shape as the AST has it, its members in their order.
---@param shape bide.ModelShape
local function write_shape(shape)
  local parts = { ('"type": %s'):format(json.encode(shape.type)) }
  local members, of_list = {}, shape.type == "list" or shape.type == "map"
  for _, member in ipairs(shape.members) do
    local traits = next(member.traits) and member.traits or nil
    local text = ("%s: %s"):format(json.encode(member.name), json.encode { target = member.target, traits = traits })
    table.insert(of_list and parts or members, text)
  end
  local has_members = shape.type == "structure" or shape.type == "union" or shape.type:find "[eE]num$"
  if has_members then parts[#parts + 1] = ('"members": {%s}'):format(table.concat(members, ", ")) end
  for _, name in ipairs(sorted(shape.said)) do
    parts[#parts + 1] = ("%s: %s"):format(json.encode(name), json.encode(shape.said[name]))
  end
  if next(shape.traits) then parts[#parts + 1] = ('"traits": %s'):format(json.encode(shape.traits)) end
  return "{" .. table.concat(parts, ", ") .. "}"
end

local metadata_of = assert(core.jmespath.compile "metadata || `{}`")

---@param model bide.Model
local function metadata(model)
  local all = {}
  for _, source in ipairs(model.sources) do
    for name, value in pairs(assert(metadata_of:query(source.document)):value()) do
      local is_list = all[name] ~= nil and json.is_array(value)
      all[name] = is_list and tables.append(all[name], value) or value
    end
  end
  return all
end

---Gives the operations of a recipe or a trait shapes: nothing is known of their inputs and outputs.
local function bare_shapes(conversion)
  local shapes = {}
  for _, operation in ipairs(conversion.operations) do
    shapes[#shapes + 1] = { id = "recipe#" .. (operation.name or "Operation"), type = "operation", members = {}, said = {},
      traits = { [WAITABLE] = operation.waiters } }
  end
  return shapes
end

---The shapes of a model with the waiters of a conversion, in version 2.0; mixins are taken in.
local function shapes_of(conversion)
  if not conversion.model then return bare_shapes(conversion) end
  local shapes, waiters_of = {}, {}
  for _, operation in ipairs(conversion.operations) do waiters_of[operation.id] = operation.waiters end
  for _, id in ipairs(conversion.model.ids) do
    local shape = upgrade(conversion.model, conversion.model:shape(id))
    local traits = tables.merged(shape.traits)
    traits[WAITABLE] = waiters_of[id]
    shapes[#shapes + 1] = { id = id, type = shape.type, members = shape.members, said = shape.said, traits = traits }
  end
  return shapes
end

---@param conversion bide.Conversion
---@return string
function M.ast(conversion)
  local shapes = {}
  for position, shape in ipairs(shapes_of(conversion)) do
    shapes[position] = ("%s: %s"):format(json.encode(shape.id), write_shape(shape))
  end
  local all = conversion.model and metadata(conversion.model) or {}
  local text = ('{"smithy": "2.0", "metadata": %s, "shapes": {%s}}'):format(json.encode(next(all) and all or nothing),
    table.concat(shapes, ", "))
  return assert(json.read(text)):json { indent = true } .. "\n"
end

---@param conversion bide.Conversion
---@return string? text
---@return string? mistake
function M.idl(conversion)
  return write_idl(shapes_of(conversion), conversion.model and metadata(conversion.model) or {})
end

return M
