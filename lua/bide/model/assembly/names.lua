---Gives the statements of an IDL file their absolute names, and writes them as a JSON AST (Smithy 2.0, JSON AST). From
---there on a file of the IDL is a model like any other; the places of what it says are kept beside it.

local core = require "bide.core"
local prelude = require "bide.model.assembly.prelude"
local tables = require "bide.text.tables"

local M = {}

local encode = core.json.encode

---@class bide.IdlNames
---@field file bide.IdlFile
---@field defined table<string, string> the types of what any file of the model defines, by id
---@field uses table<string, string> ids by the names that use statements give
---@field places table<string, integer> the offset of each part, by its path within the AST
---@field mistakes { at: integer, message: string }[]
---@field latest integer the offset of what is being written
---@field written table<string, true> ids of the shapes that are written
---@field inherited { target: string, at: integer, traits: bide.IdlTrait[] }[] what is said of members that mixins bring

-- ---- names ----------------------------------------------------------------------------------

---@param names bide.IdlNames
---@param id string as it was written
---@return string absolute
local function resolve(names, id)
  if id:find("#", 1, true) then return id end
  local name, member = id:match "^([^$]*)(.*)$"
  local own = (names.file.namespace or "") .. "#" .. name
  if names.uses[name] then return names.uses[name] .. member end
  if names.defined[own] or not prelude.has(name) then return own .. member end
  return "smithy.api#" .. name .. member
end

---@return string text JSON of a reference
local function target(names, id)
  return ('{"target":%s}'):format(encode(resolve(names, id)))
end

local function targets(names, ids)
  local list = {}
  for position, id in ipairs(ids) do list[position] = target(names, id) end
  return "[" .. table.concat(list, ",") .. "]"
end

---Takes note of where a part of the AST was written.
---@param path string the names on the way to it, each behind a line break
local function place(names, path, at)
  names.places[path] = at
end

-- ---- JSON -----------------------------------------------------------------------------------

---@param parts { [1]: string, [2]: string }[] names, and values as JSON; nil values are left out
local function object(parts)
  local texts = {}
  for _, part in ipairs(parts) do
    if part[2] then texts[#texts + 1] = encode(part[1]) .. ":" .. part[2] end
  end
  return "{" .. table.concat(texts, ",") .. "}"
end

---@param node bide.IdlNode
---@param path string
local function write_node(names, node, path)
  place(names, path, node.at)
  if node.kind == "string" then return encode(node.text) end
  if node.kind == "number" or node.kind == "keyword" then return node.text end
  if node.kind == "reference" then return encode(resolve(names, node.text)) end
  local parts = {}
  for position, item in ipairs(node.items or {}) do
    parts[position] = write_node(names, item, ("%s\n%d"):format(path, position))
  end
  if node.items then return "[" .. table.concat(parts, ",") .. "]" end
  for position, pair in ipairs(node.pairs) do
    parts[position] = { pair.key, write_node(names, pair.value, path .. "\n" .. pair.key) }
    place(names, path .. "\n" .. pair.key, pair.at)
  end
  return object(parts)
end

---Adds a trait or metadata. One that is there already must have an equal value; lists are joined.
---@param parts { [1]: string, [2]: string }[]
---@param what string "trait" or "metadata"
local function add_merged(names, parts, what, name, text)
  for _, part in ipairs(parts) do
    if part[1] == name then
      local both = part[2]:find "^%[" and text:find "^%["
      if both then
        part[2] = (part[2]:sub(1, -2) .. (#part[2] > 2 and #text > 2 and "," or "") .. text:sub(2))
      elseif part[2] ~= text then
        names.mistakes[#names.mistakes + 1] = { at = names.latest, message = ("the %s %s is there already"):format(what, name) }
      end
      return
    end
  end
  parts[#parts + 1] = { name, text }
end

---The value of a trait that is written without one.
---@param id string
---@return string text JSON
local function annotation_of(names, id)
  local kind = names.defined[id] or prelude.type_of_trait(id)
  return (kind == "list" or kind == "set") and "[]" or "{}"
end

---@param traits bide.IdlTrait[]
---@param path string
---@param added? { [1]: string, [2]: string }[] traits that the statement itself makes
local function write_traits(names, traits, path, added)
  local parts = {}
  for _, trait in ipairs(traits) do
    local id = resolve(names, trait.name)
    local own = ("%s\ntraits\n%s"):format(path, id)
    names.latest = trait.at
    local text = trait.value and write_node(names, trait.value, own) or annotation_of(names, id)
    place(names, own, trait.at)
    add_merged(names, parts, "trait", id, text)
  end
  for _, part in ipairs(added or {}) do add_merged(names, parts, "trait", part[1], part[2]) end
  return #parts > 0 and object(parts) or nil
end

-- ---- shapes ---------------------------------------------------------------------------------

---The value of a member is a trait: a default, or that of an enumeration.
---@return string
local function trait_of_value(shape)
  return (shape.type == "enum" or shape.type == "intEnum") and "smithy.api#enumValue" or "smithy.api#default"
end

local function traits_of_value(names, shape, member, path)
  if not member.value then return {} end
  return { { trait_of_value(shape), write_node(names, member.value, path) } }
end

---A member that a mixin brings has its traits by an apply statement.
local function apply_to_inherited(names, id, shape, member)
  local traits = tables.joined(member.traits)
  if member.value then traits[#traits + 1] = { name = trait_of_value(shape), at = member.at, value = member.value } end
  if #traits > 0 then table.insert(names.inherited, { target = id .. "$" .. member.name, at = member.at, traits = traits }) end
end

---A member that takes its target from the resource or a mixin.
---@return string? target as JSON; nil where a mixin brings the member
local function target_of_member(names, shape, member, identifiers)
  if member.target then return target(names, member.target) end
  local found = identifiers and identifiers[member.name]
  if not found and #shape.mixins == 0 then
    names.mistakes[#names.mistakes + 1] = { at = member.at, message = ("the member %s has no target: %s"):format(member.name,
      shape.resource and "the resource has no identifier or property of that name" or "there is no resource and no mixin") }
    return nil
  end
  return found
end

---@param id string of the shape
---@return string? member as JSON; nil if a mixin brings it
local function write_member(names, id, shape, member, path, identifiers)
  local own = path .. (shape.type == "list" and "" or shape.type == "map" and "" or "\nmembers") .. "\n" .. member.name
  local text = target_of_member(names, shape, member, identifiers)
  place(names, own, member.at)
  if not text then
    apply_to_inherited(names, id, shape, member)
    return nil
  end
  local traits = write_traits(names, member.traits, own, traits_of_value(names, shape, member, own))
  place(names, own, member.at)
  return object { { "target", text:match '"target":(.*)}$' }, { "traits", traits } }
end

local function write_members(names, id, shape, path, identifiers)
  local parts = {}
  for _, member in ipairs(shape.members) do
    local text = write_member(names, id, shape, member, path, identifiers)
    if text then parts[#parts + 1] = { member.name, text } end
  end
  return parts
end

local lists_of_ids = { operations = true, resources = true, errors = true, collectionOperations = true }
local single_ids = { create = true, put = true, read = true, update = true, delete = true, list = true }
local maps_of_ids = { identifiers = true, properties = true }

---Writes a property of a service or a resource: ids become references.
local function write_property(names, key, node, path)
  if lists_of_ids[key] and node.kind == "list" then
    local ids = {}
    for position, item in ipairs(node.items) do ids[position] = item.text or "" end
    return targets(names, ids)
  end
  if single_ids[key] and node.text then return target(names, node.text) end
  if maps_of_ids[key] and node.kind == "object" then
    local parts = {}
    for position, pair in ipairs(node.pairs) do parts[position] = { pair.key, target(names, pair.value.text or "") } end
    return object(parts)
  end
  return write_node(names, node, path)
end

local function write_body(names, body, path)
  local parts = {}
  for position, pair in ipairs(body.pairs) do
    parts[position] = { pair.key, write_property(names, pair.key, pair.value, path .. "\n" .. pair.key) }
  end
  return parts
end

local function write_operation(names, shape)
  return {
    { "input", shape.input and target(names, shape.input) },
    { "output", shape.output and target(names, shape.output) },
    { "errors", shape.errors and #shape.errors > 0 and targets(names, shape.errors) },
  }
end

---Writes the rest of a shape besides its type, its mixins and its traits.
local function write_rest(names, id, shape, path, identifiers)
  if shape.body then return write_body(names, shape.body, path) end
  if shape.type == "operation" then return write_operation(names, shape) end
  if not shape.members then return {} end
  local members = write_members(names, id, shape, path, identifiers)
  if shape.type == "list" or shape.type == "set" or shape.type == "map" then return members end
  return { { "members", object(members) } }
end

---The targets that a structure for a resource takes: those of its identifiers and properties.
---@param resources table<string, table<string, string>>
local function identifiers_of(names, shape, resources)
  if not shape.resource then return nil end
  local found = resources[resolve(names, shape.resource)]
  if not found then
    names.mistakes[#names.mistakes + 1] = { at = shape.at,
      message = ("expected a resource after for, found %s"):format(shape.resource) }
  end
  return found
end

---Writes a shape. A text of JSON has a name once: a shape that is defined once more is among those that come again.
---@param shapes { [1]: string, [2]: string }[] gets the shape
---@param again { [1]: string, [2]: string }[] gets it if `shapes` has it
local function write_shape(names, shape, shapes, again, resources)
  local id = names.file.namespace .. "#" .. shape.name
  local path = "\nshapes\n" .. id
  if names.written[id] then path = ("\nagain\n%d\n%s"):format(#again + 1, id) end
  local rest = write_rest(names, id, shape, path, identifiers_of(names, shape, resources))
  table.insert(rest, 1, { "type", encode(shape.type) })
  if #shape.mixins > 0 then table.insert(rest, 2, { "mixins", targets(names, shape.mixins) }) end
  rest[#rest + 1] = { "traits", write_traits(names, shape.traits, path) }
  place(names, path, shape.at)
  if names.written[id] then
    again[#again + 1] = { tostring(#again + 1), object { { id, object(rest) } } }
  else
    shapes[#shapes + 1], names.written[id] = { id, object(rest) }, true
  end
end

-- ---- files ----------------------------------------------------------------------------------

---The targets of the identifiers and properties of a file's resources.
---@param names bide.IdlNames
---@return table<string, table<string, string>>
local function resources_of(names)
  local resources = {}
  for _, shape in ipairs(names.file.shapes) do
    if shape.type == "resource" and shape.body then
      local found = {}
      for _, pair in ipairs(shape.body.pairs) do
        for _, member in ipairs(maps_of_ids[pair.key] and pair.value.pairs or {}) do
          found[member.key] = target(names, member.value.text or "")
        end
      end
      resources[names.file.namespace .. "#" .. shape.name] = found
    end
  end
  return resources
end

---Reports uses that mean two things: a name that the file defines, or that another use statement gives.
local function read_uses(names)
  local own = {}
  for _, shape in ipairs(names.file.shapes) do own[shape.name] = true end
  for _, use in ipairs(names.file.uses) do
    local name = use.name:match "#(.*)$"
    if own[name] or names.uses[name] and names.uses[name] ~= use.name then
      local by = own[name] and "a shape of this file" or names.uses[name]
      local message = ("the name %s of %s is taken by %s"):format(name, use.name, by)
      names.mistakes[#names.mistakes + 1] = { at = use.at, message = message }
    end
    names.uses[name] = use.name
  end
end

---Writes apply statements. Each is an entry of its own, for a text of JSON may hold a name once only.
local function write_applied(names)
  local by_target, order = {}, {}
  for _, applied in ipairs(tables.joined(names.inherited, names.file.applied)) do
    local id = resolve(names, applied.target)
    if not by_target[id] then
      by_target[id], order[#order + 1] = {}, id
    end
    for _, trait in ipairs(applied.traits) do table.insert(by_target[id], trait) end
    place(names, "\napplied\n" .. id, applied.at)
  end
  local parts = {}
  for position, id in ipairs(order) do
    parts[position] = { id, write_traits(names, by_target[id], "\napplied\n" .. id) or "{}" }
  end
  return parts
end

---The ids that a file defines, with the types of the shapes.
---@param file bide.IdlFile
---@return fun(): string?, string?
function M.ids(file)
  local position = 0
  return function()
    position = position + 1
    local shape = file.shapes[position]
    if shape then return file.namespace .. "#" .. shape.name, shape.type end
  end
end

---@param file bide.IdlFile without mistakes
---@param defined table<string, string> the types of what all files of the model define, by id
---@return string ast JSON; its member `applied` has the traits of apply statements by their target, and `again` the shapes
---  that `shapes` has already, each by its position and within an object of its own
---@return table<string, integer> places
---@return { at: integer, message: string }[] mistakes
function M.write(file, defined)
  local names = { file = file, defined = defined, uses = {}, places = {}, mistakes = {}, latest = 1, written = {},
    inherited = {} }
  read_uses(names)
  local metadata, shapes, again, resources = {}, {}, {}, resources_of(names)
  for _, entry in ipairs(file.metadata) do
    names.latest = entry.at
    add_merged(names, metadata, "metadata", entry.key, write_node(names, entry.value, "\nmetadata\n" .. entry.key))
  end
  for _, shape in ipairs(file.shapes) do write_shape(names, shape, shapes, again, resources) end
  local text = object {
    { "smithy", encode(file.version) }, { "metadata", object(metadata) }, { "shapes", object(shapes) },
    { "applied", object(write_applied(names)) }, { "again", object(again) },
  }
  return text, names.places, names.mistakes
end

return M
