---Takes the sources of a model into it: which shapes each defines, what defines one again, and the traits that are applied
---(Smithy 2.0, "Merging models").

local core = require "bide.core"
local option = require "bide.text.option"
local structure = require "bide.model.assembly.structure"
local tables = require "bide.text.tables"

local json = core.json

---@class bide.ModelSource
---@field file string
---@field text string
---@field document userdata the AST
---@field place fun(path: string): integer?, integer?, string? the line and the column of a part of the AST, and its file
---  if it is another one
---@field is_packed boolean? whether it is packed data
---@field foreign table<string, true> ids that its shapes refer to, of shapes that it does not have

---Traits that are given apart from the definition of a shape: by apply, or by a definition that comes again.
---@class bide.AppliedTraits
---@field traits table<string, any>
---@field source bide.ModelSource
---@field path string of what has the traits, within the AST

local M = {}

M.MIXIN, M.UNIT, M.WAITABLE = "smithy.api#mixin", "smithy.api#Unit", "smithy.waiters#waitable"

---Returns the place of a shape in a source.
---@param id string
---@return string
function M.path_of(id)
  return "\nshapes\n" .. id
end

---Returns a shape of a source as its AST says it, and the names of its members in their order.
---@param source bide.ModelSource
---@param id string
---@return table
---@return string[] names
function M.read_raw(source, id)
  return source.document:value("shapes", id), source.document:names("shapes", id, "members") or {}
end

local is_list, path_of, read_raw = json.is_array, M.path_of, M.read_raw

---@param path string of what has the traits
local function apply(model, source, target, traits, path)
  model.applied[target] = model.applied[target] or {}
  table.insert(model.applied[target], { traits = traits, source = source, path = path })
  if traits[M.WAITABLE] ~= nil then model.marked[target] = true end
end

local is_unordered = { mixins = true, operations = true, resources = true, collectionOperations = true }

---A list of references as two definitions of a shape are compared.
local function comparable_list(name, list)
  local ids = {}
  for position, reference in ipairs(list) do ids[position] = type(reference) == "table" and reference.target or reference end
  if is_unordered[name] then table.sort(ids) end
  return ids
end

---Returns a shape without its traits, as two definitions of it are compared.
---@param names string[] of the members in their order
local function comparable(raw, names)
  local copy = { ["order of members"] = table.concat(names, " ") }
  for name, value in pairs(raw) do
    local is_unit = (name == "input" or name == "output") and value.target == M.UNIT
    if type(value) ~= "table" then
      copy[name] = value
    elseif json.is_array(value) and #value > 0 then
      copy[name] = comparable_list(name, value)
    elseif value.target and not is_unit then
      copy[name] = value.target
    elseif name == "members" then
      copy.members = {}
      for member, reference in pairs(value) do copy.members[member] = reference.target end
    elseif name ~= "traits" and not is_unit and next(value) ~= nil then
      copy[name] = value
    end
  end
  return copy
end

---Returns what two definitions of a shape say differently.
---@return string[] names of what differs; none if they are one shape
local function differences(one, other)
  local names, seen = {}, {}
  for _, definition in ipairs { one, other } do
    for _, name in ipairs(option.sorted_names(definition)) do
      if not seen[name] and not tables.equals(one[name], other[name]) then names[#names + 1] = name end
      seen[name] = true
    end
  end
  return names
end

---Merges a definition of a shape that is there already: one that differs is a conflict, else the traits of both hold.
---@param path string of the definition that comes again
---@param raw table
---@param names string[] of its members
local function merge_definition(model, source, id, path, raw, names)
  local first = model.origin[id]
  local differing = differences(comparable(read_raw(first, id)), comparable(raw, names))
  if #differing > 0 then
    local line = first.place(path_of(id))
    local of_one_type = raw.type == model.types[id] and ": " .. table.concat(differing, ", ") or ""
    return model:report(source, path, { shape = id, message = ("the shape is defined differently in %s%s%s"):format(
      first.file, line and ":" .. line or "", of_one_type) })
  end
  if raw.traits then apply(model, source, id, raw.traits, path) end
  for _, name in ipairs(structure.elements[raw.type] or {}) do
    if raw[name] and raw[name].traits then apply(model, source, id .. "$" .. name, raw[name].traits, path .. "\n" .. name) end
  end
  for _, name in ipairs(names) do
    local traits = raw.members[name].traits
    if traits then apply(model, source, id .. "$" .. name, traits, path .. "\nmembers\n" .. name) end
  end
end

---Adds a shape of a source whose structure is right.
local function add_shape(model, source, id, kind)
  local path = path_of(id)
  if kind == "apply" then return apply(model, source, id, source.document:value("shapes", id, "traits") or {}, path) end
  if model.origin[id] then
    local raw, names = read_raw(source, id)
    return merge_definition(model, source, id, path, raw, names)
  end
  model.origin[id], model.ids[#model.ids + 1], model.types[id] = source, id, kind
  if kind == "operation" then table.insert(model.operation_ids, id) end
  if kind == "service" then table.insert(model.service_ids, id) end
  if kind == "resource" then table.insert(model.checked, id) end
end

local function report_broken(model, source, id, message, path)
  model.broken[id] = true
  model:report(source, path_of(id) .. path, { shape = id, message = message })
end

---Adds the shapes whose structure is right. Most of them are of data and new, which takes no call.
local function add_shapes(model, source, ids, types)
  local origin, all, type_of = model.origin, model.ids, model.types
  for position, id in ipairs(ids) do
    local kind = types[position]
    if structure.is_data[kind] and not origin[id] then
      origin[id], type_of[id], all[#all + 1] = source, kind, id
    else
      local mistake = structure.mistake_of_type(kind)
      if mistake then report_broken(model, source, id, mistake, "\ntype") else add_shape(model, source, id, kind) end
    end
  end
end

---Merges the definitions that come again within a file of the IDL.
local function add_again(model, source)
  local document = source.document
  for position = 1, #document:names "again" do
    local number = tostring(position)
    local id, raw = next(document:value("again", number))
    local path = ("\nagain\n%s\n%s"):format(number, id)
    local mistake = structure.mistake(id, raw)
    if mistake then
      report_broken(model, source, id, mistake, "")
    elseif model.origin[id] then
      merge_definition(model, source, id, path, raw, document:names("again", number, id, "members") or {})
    end
  end
end

---Takes note of what has the trait @mixin. Version 1.0 has no mixins.
---@param mixed string[] ids of what has mixins
local function add_mixins(model, source, mixed)
  if not source.is_idl and #mixed == 0 and not source.text:find(M.MIXIN, 1, true) then return end
  local marked = core.model.outline(source.document, M.MIXIN).marked
  for target, traits in pairs(source.is_idl and source.document:value "applied" or {}) do
    if traits[M.MIXIN] then marked[#marked + 1] = target end
  end
  tables.append(model.mixins, marked)
  local version = source.document:value "smithy"
  if version ~= "1" and version ~= "1.0" then return end
  local function report(id, path)
    model:report(source, path_of(id) .. path, { shape = id,
      message = ("mixins: expected version 2.0, found %s"):format(version) })
  end
  for _, id in ipairs(marked) do report(id, "\ntraits\n" .. M.MIXIN) end
  for _, id in ipairs(mixed) do report(id, "\nmixins") end
end

---Adds the metadata of a source. A key that two sources have holds equal values, or lists, which are joined.
local function add_metadata(model, source)
  local metadata = #model.sources > 1 and source.document:value "metadata"
  for _, key in ipairs(tables.is_object(metadata) and option.sorted_names(metadata) or {}) do
    local present, value = model.metadata[key], metadata[key]
    if present ~= nil and not (is_list(present) and is_list(value)) and not tables.equals(present, value) then
      model:report(source, "\nmetadata\n" .. key, {
        message = ("the metadata %s is there already, with another value"):format(key) })
    end
    model.metadata[key] = present == nil and value or present
  end
end

---Takes a source into a model.
---@param model bide.Model
---@param source bide.ModelSource
function M.add(model, source)
  local mistake, path = structure.mistake_of_root(source.document)
  if mistake then model:report(source, path, { message = mistake }) end
  add_metadata(model, source)
  local found = core.model.outline(source.document, M.WAITABLE)
  source.foreign = found and found.foreign or {}
  if not found then return model:report(source, "\nshapes", { message = "shapes: expected an object" }) end
  for _, id in ipairs(found.broken) do
    report_broken(model, source, id, structure.mistake(id, source.document:value("shapes", id)))
  end
  add_shapes(model, source, found.ids, found.types)
  for _, id in ipairs(found.mixed) do table.insert(model.checked, id) end
  for _, id in ipairs(found.marked) do model.marked[id] = true end
  add_mixins(model, source, found.mixed)
  if not source.is_idl then return end -- an AST has shapes of the type apply
  local applied = source.document:value "applied" or {}
  for _, target in ipairs(option.sorted_names(applied)) do
    apply(model, source, target, applied[target], "\napplied\n" .. target)
  end
  add_again(model, source)
end

return M
