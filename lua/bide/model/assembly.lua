---A model of one or several sources, each a JSON AST: which shapes there are, and what each is once its mixins and the
---traits that are applied to it are taken in (Smithy 2.0, "Merging models", "Mixins"). A source stays a document; a
---shape becomes a table when somebody asks for it.

local core = require "bide.core"
local equals = require("bide.text.objects").equals
local operations = require "bide.model.operation"
local option = require "bide.text.option"
local prelude = require "bide.model.prelude"
local structure = require "bide.model.structure"

local json = core.json

---@class bide.ModelSource
---@field file string
---@field text string
---@field document userdata the AST
---@field place fun(path: string): integer?, integer?, string? the line and the column of a part of the AST, and its file
---  if it is another one
---@field is_packed boolean? whether it is packed data
---@field foreign table<string, true> ids that its shapes refer to, of shapes that it does not have

---@class bide.ModelMember
---@field name string
---@field target string the id of a shape
---@field traits table<string, any>

---@class bide.ModelShape
---@field id string
---@field type string
---@field traits table<string, any> by absolute id
---@field members bide.ModelMember[] of a structure, a union, an enumeration, a list (member) or a map (key, value)
---@field said table what else the AST says of it: version, input, operations …
---@field source bide.ModelSource

---@class bide.ModelProblem
---@field shape string?
---@field message string
---@field file string
---@field line integer?
---@field column integer?

---Traits that are given apart from the definition of a shape: by apply, or by a definition that comes again.
---@class bide.AppliedTraits
---@field traits table<string, any>
---@field source bide.ModelSource
---@field path string of what has the traits, within the AST

---@class bide.Model
---@field sources bide.ModelSource[]
---@field problems bide.ModelProblem[]
---@field origin table<string, bide.ModelSource> where each shape is defined
---@field ids string[] of all shapes, in the order of the sources
---@field types table<string, string> of all shapes, by id
---@field operation_ids string[]
---@field service_ids string[]
---@field checked string[] shapes that are read at once: what is wrong with them is a problem of the model
---@field broken table<string, true> ids of shapes that could not be taken, with a problem for each
---@field marked table<string, true> ids of what has waiters
---@field depth integer how many mixins within each other are being read
---@field is_botocore boolean? whether its waiters are botocore's
---@field is_untyped boolean? whether nothing is known of its shapes
---@field longest_waits table<string, integer>? how many seconds botocore waits at the most, by waiter
---@field applied table<string, bide.AppliedTraits[]> by target
---@field metadata table<string, any> of several sources
---@field mixins string[] ids of what has the trait @mixin
local Model = {}
Model.__index = Model

local M = {}

M.WAITABLE = "smithy.waiters#waitable"

local function is_list(value)
  return type(value) == "table" and json.is_array(value)
end

local function is_object(value)
  return type(value) == "table" and not json.is_array(value)
end

local function path_of(id)
  return "\nshapes\n" .. id
end

---@param problem bide.ModelProblem
function Model:report(source, path, problem)
  local line, column, file = source.place(path)
  problem.file, problem.line, problem.column = file or source.file, line, column
  self.problems[#self.problems + 1] = problem
end

---Returns a shape of a source as its AST says it, and the names of its members in their order.
local function read_raw(source, id)
  return source.document:value("shapes", id), source.document:names("shapes", id, "members") or {}
end

-- ---- merging --------------------------------------------------------------------------------

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

local UNIT = "smithy.api#Unit"

---Returns a shape without its traits, as two definitions of it are compared.
---@param names string[] of the members in their order
local function comparable(raw, names)
  local copy = { ["order of members"] = table.concat(names, " ") }
  for name, value in pairs(raw) do
    local is_unit = (name == "input" or name == "output") and value.target == UNIT
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
      if not seen[name] and not equals(one[name], other[name]) then names[#names + 1] = name end
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

local MIXIN = "smithy.api#mixin"

---Takes note of what has the trait @mixin. Version 1.0 has no mixins.
---@param mixed string[] ids of what has mixins
local function add_mixins(model, source, mixed)
  if not source.is_idl and #mixed == 0 and not source.text:find(MIXIN, 1, true) then return end
  local marked = core.model.outline(source.document, MIXIN).marked
  for target, traits in pairs(source.is_idl and source.document:value "applied" or {}) do
    if traits[MIXIN] then marked[#marked + 1] = target end
  end
  table.move(marked, 1, #marked, #model.mixins + 1, model.mixins)
  local version = source.document:value "smithy"
  if version ~= "1" and version ~= "1.0" then return end
  local function report(id, path)
    model:report(source, path_of(id) .. path, { shape = id,
      message = ("mixins: expected version 2.0, found %s"):format(version) })
  end
  for _, id in ipairs(marked) do report(id, "\ntraits\n" .. MIXIN) end
  for _, id in ipairs(mixed) do report(id, "\nmixins") end
end

---Adds the metadata of a source. A key that two sources have holds equal values, or lists, which are joined.
local function add_metadata(model, source)
  local metadata = #model.sources > 1 and source.document:value "metadata"
  for _, key in ipairs(is_object(metadata) and option.sorted_names(metadata) or {}) do
    local present, value = model.metadata[key], metadata[key]
    if present ~= nil and not (is_list(present) and is_list(value)) and not equals(present, value) then
      model:report(source, "\nmetadata\n" .. key, {
        message = ("the metadata %s is there already, with another value"):format(key) })
    end
    model.metadata[key] = present == nil and value or present
  end
end

local function add_source(model, source)
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

-- ---- shapes ---------------------------------------------------------------------------------

local function member_of(name, raw)
  return { name = name, target = raw.target, traits = raw.traits or {} }
end

local function own_members(raw, names)
  local members = {}
  for _, name in ipairs(structure.elements[raw.type] or {}) do
    if raw[name] then members[#members + 1] = member_of(name, raw[name]) end
  end
  for _, name in ipairs(names) do members[#members + 1] = member_of(name, raw.members[name]) end
  return members
end

local not_said = { type = true, traits = true, members = true, member = true, key = true, value = true, mixins = true }

---Properties of a resource came with version 2.0; a resource that is a mixin has traits, and nothing else.
local function check_resource(model, source, id, raw)
  local version = raw.properties and source.document:value "smithy"
  local problem
  if type(version) == "string" and version:find "^1" then
    problem = ("properties of a resource: expected version 2.0, found %s"):format(version)
  end
  for name in pairs(raw.traits and raw.traits[MIXIN] and raw or {}) do
    if not not_said[name] then problem = ("expected a mixin of traits, as for every resource, found %s"):format(name) end
  end
  if problem then model:report(source, path_of(id), { shape = id, message = problem }) end
end

local function read_shape(model, source, id)
  local raw, names = read_raw(source, id)
  if raw.type == "resource" then check_resource(model, source, id, raw) end
  local shape = { id = id, type = raw.type, traits = raw.traits or {}, members = own_members(raw, names), said = {},
    source = source, mixins = raw.mixins or {} }
  for name, value in pairs(raw) do
    if not not_said[name] then shape.said[name] = value end
  end
  return shape
end

---@param members bide.ModelMember[]
---@return bide.ModelMember?
local function find_member(members, name)
  for _, member in ipairs(members) do
    if member.name == name then return member end
  end
end

---The traits that a mixin keeps to itself.
local function local_traits(mixin)
  local kept = { [MIXIN] = true }
  local names = type(mixin.traits[MIXIN]) == "table" and mixin.traits[MIXIN].localTraits
  for _, id in ipairs(type(names) == "table" and names or {}) do kept[id] = true end
  return kept
end

local function copy(values)
  local copied = {}
  for name, value in pairs(values) do copied[name] = value end
  return copied
end

local function report_conflict(model, shape, name, expected, found, mixin)
  model:report(shape.source, path_of(shape.id) .. "\nmembers\n" .. name, { shape = shape.id .. "$" .. name,
    message = ("expected %s, as in the mixin %s, found %s"):format(expected, mixin.id, found) })
end

---Takes a mixin's members. Of one that several mixins have, the last has the word, but for its target.
local function mix_members(model, shape, mixin, members)
  for _, inherited in ipairs(mixin.members) do
    local present = find_member(members, inherited.name)
    if not present then
      members[#members + 1] = { name = inherited.name, target = inherited.target, traits = copy(inherited.traits) }
    elseif present.target == inherited.target then
      for id, value in pairs(inherited.traits) do present.traits[id] = value end
    else
      report_conflict(model, shape, inherited.name, inherited.target, present.target, mixin)
    end
  end
end

---Joins two lists, or adds the members of one object to another.
local function join(own, inherited)
  if json.is_array(inherited) then
    return table.move(own, 1, #own, #inherited + 1, table.move(inherited, 1, #inherited, 1, json.array {}))
  end
  for key, one in pairs(inherited) do
    if own[key] == nil then own[key] = one end
  end
  return own
end

---Takes what a mixin says of a service, a resource or an operation: lists are joined, else the shape's own word holds.
local function mix_said(said, inherited)
  for name, value in pairs(inherited) do
    if said[name] == nil then
      said[name] = value
    elseif type(value) == "table" and type(said[name]) == "table" and name ~= "input" and name ~= "output" then
      said[name] = join(said[name], value)
    end
  end
end

local function check_mixin(model, shape, mixin, id)
  local problem
  if not mixin then
    problem = ("there is no mixin %s"):format(id)
  elseif mixin.type ~= shape.type then
    problem = ("a %s takes mixins of its own type, and %s is a %s"):format(shape.type, id, mixin.type)
  elseif not mixin.traits[MIXIN] then
    problem = ("expected a mixin, found %s, which has no trait @mixin"):format(id)
  end
  if problem then model:report(shape.source, path_of(shape.id), { shape = shape.id, message = problem }) end
  return not problem
end

local function mix(model, shape, mixin, members, traits)
  local kept = local_traits(mixin)
  for id, value in pairs(mixin.traits) do
    if not kept[id] then traits[id] = value end
  end
  mix_members(model, shape, mixin, members)
  mix_said(shape.said, mixin.said)
end

---Joins what a shape says of an inherited member with what it inherits.
local function refine(members, own)
  for _, member in ipairs(own) do
    local inherited = find_member(members, member.name)
    if inherited then
      for id, value in pairs(member.traits) do inherited.traits[id] = value end
    else
      members[#members + 1] = member
    end
  end
  return members
end

---A member of a mixin may be said again, not as something else.
local function check_members(model, shape, mixin)
  for _, inherited in ipairs(mixin.members) do
    local own = find_member(shape.members, inherited.name)
    if own and own.target ~= inherited.target then
      report_conflict(model, shape, own.name, inherited.target, own.target, mixin)
    end
  end
end

---The deepest that mixins may have mixins.
local DEEPEST = 500

local function take_mixins(model, shape)
  if #shape.mixins == 0 then return end
  if model.depth == DEEPEST then
    return model:report(shape.source, path_of(shape.id) .. "\nmixins", { shape = shape.id,
      message = ("expected mixins within at most %d others, found more"):format(DEEPEST) })
  end
  local members, traits = {}, {}
  model.depth = model.depth + 1
  for _, reference in ipairs(shape.mixins) do
    local mixin = model:shape(reference.target)
    if check_mixin(model, shape, mixin, reference.target) then
      check_members(model, shape, mixin)
      mix(model, shape, mixin, members, traits)
    end
  end
  model.depth = model.depth - 1
  for id, value in pairs(shape.traits) do traits[id] = value end
  shape.members, shape.traits = refine(members, shape.members), traits
end

---Reports what neither a list nor a map nor their mixins say.
local function check_elements(model, shape)
  for _, name in ipairs(structure.elements[shape.type] or {}) do
    if not find_member(shape.members, name) then
      model:report(shape.source, path_of(shape.id), { shape = shape.id,
        message = structure.missing_element(shape.type, name) })
    end
  end
end

---Joins two lists of which a trait is made.
local function joined(one, other)
  return table.move(other, 1, #other, #one + 1, table.move(one, 1, #one, 1, json.array {}))
end

---Adds the traits that are given apart from a shape or a member: lists are joined, and what differs is a conflict.
---@param target string
---@param traits table<string, any> gets them
local function merge_applied(model, target, traits)
  for _, applied in ipairs(model.applied[target] or {}) do
    for _, id in ipairs(option.sorted_names(applied.traits)) do
      local present, value = traits[id], applied.traits[id]
      if present == nil then
        traits[id] = value
      elseif is_list(present) and is_list(value) then
        traits[id] = joined(present, value)
      elseif not equals(present, value) then
        model:report(applied.source, ("%s\ntraits\n%s"):format(applied.path, id), { shape = target,
          message = ("the trait %s is there already, with another value"):format(id) })
      end
    end
  end
end

---Adds the traits that are applied to a member which a mixin brings. They come before those of the mixin.
local function replace_applied(model, target, traits)
  local own = {}
  merge_applied(model, target, own)
  for id, value in pairs(own) do traits[id] = value end
end

local ENUM_VALUE = "smithy.api#enumValue"

---Fills in what an AST may leave out.
local function complete(shape)
  if shape.type == "operation" then
    shape.said.input = shape.said.input or { target = UNIT }
    shape.said.output = shape.said.output or { target = UNIT }
  end
  for _, member in ipairs(shape.type == "enum" and shape.members or {}) do
    member.traits[ENUM_VALUE] = member.traits[ENUM_VALUE] or member.name
  end
end

---Returns a shape; nil if the model has none of that id. Shapes of the prelude have their type, and nothing else.
---@param id string
---@return bide.ModelShape?
function Model:shape(id)
  if self.made[id] then return self.made[id] end
  local source, kind = self.origin[id], prelude.type_of(id)
  if not source then return kind and { id = id, type = kind, traits = {}, members = {}, said = {} } or nil end
  local shape = read_shape(self, source, id)
  local own = {}
  self.made[id] = shape -- a mixin that takes itself finds this one
  if next(self.applied) then
    merge_applied(self, id, shape.traits)
    for _, member in ipairs(shape.members) do
      own[member.name] = true
      merge_applied(self, id .. "$" .. member.name, member.traits)
    end
  end
  take_mixins(self, shape)
  check_elements(self, shape)
  for _, member in ipairs(next(self.applied) and shape.members or {}) do
    if not own[member.name] then replace_applied(self, id .. "$" .. member.name, member.traits) end
  end
  complete(shape)
  return shape
end

---Returns the type of a shape without reading the shape; nil if there is none.
---@param id string
---@return string?
function Model:type_of(id)
  return self.types[id] or prelude.type_of(id)
end

---The ids, and their names without the namespace.
local function names_of(ids)
  local names = table.move(ids, 1, #ids, 1, {})
  for _, id in ipairs(ids) do names[#names + 1] = id:match "#(.*)$" end
  return names
end

---Finds an operation by its id, or by its name where that is the only one.
---@return bide.ModelShape?
---@return string? mistake
local function find_operation(model, name)
  local shape = model.origin[name] and model:shape(name)
  if shape and shape.type == "operation" then return shape end
  local found = {}
  for _, id in ipairs(model.operation_ids) do
    if id:match "#(.*)$" == name then found[#found + 1] = id end
  end
  if #found == 1 then return model:shape(found[1]) end
  if #found > 1 then return nil, ("several operations have the name %s: %s"):format(name, table.concat(found, ", ")) end
  local near = core.names.nearest(name, names_of(model.operation_ids))
  return nil, ("there is no operation %s%s"):format(name, near and (", did you mean %s?"):format(near) or "")
end

---@class bide.ModelOperationOptions
---@field protocol? string the id of a protocol; else the first of the service's that bide speaks

---Finds an operation by its id, or by its name where that is the only one.
---@param name string
---@param options? bide.ModelOperationOptions
---@return bide.ModelOperation?
---@return string? mistake
function Model:operation(name, options)
  local shape, mistake = find_operation(self, name)
  if not shape then return nil, mistake end
  return operations.of(self, shape, options and options.protocol)
end

---Returns the ids of the shapes with waiters, in their order. Only those shapes need to be read.
---@return string[]
function Model:waitable_ids()
  local ids = {}
  for _, id in ipairs(next(self.marked) and self.ids or {}) do
    if self.marked[id] then ids[#ids + 1] = id end
  end
  return ids
end

---Iterates over the operations with waiters.
---@return fun(): string?, table<string, table>? id and waiters
function Model:waited_operations()
  local ids, position = self:waitable_ids(), 0
  return function()
    while ids[position + 1] do
      position = position + 1
      local waiters = self:type_of(ids[position]) == "operation" and self:shape(ids[position]).traits[M.WAITABLE]
      if type(waiters) == "table" then return ids[position], waiters end
    end
  end
end

---An operation that is a mixin has errors and traits, and nothing that another operation could not take over.
local function check_operation(model, id)
  if model.types[id] ~= "operation" then return end
  local source = model.origin[id]
  local raw = read_raw(source, id)
  for _, name in ipairs { "input", "output" } do
    if raw[name] and raw[name].target ~= UNIT then
      model:report(source, ("%s\n%s"):format(path_of(id), name), { shape = id,
        message = ("an operation that is a mixin has no %s, found %s"):format(name, raw[name].target) })
    end
  end
end

---Makes the shapes to which traits are applied, so that what conflicts is a problem of the model at once.
local function check_applied(model)
  for _, target in ipairs(option.sorted_names(model.applied)) do
    local id = target:match "^[^$]*"
    if model.origin[id] then
      table.insert(model.checked, id)
    elseif not model.broken[id] then
      local applied = model.applied[target][1]
      model:report(applied.source, applied.path, { shape = target, message = "there is no such shape to apply traits to" })
    end
  end
end

---@param sources bide.ModelSource[]
---@return bide.Model
function M.new(sources)
  local model = setmetatable({ sources = sources, problems = {}, origin = {}, ids = {}, applied = {}, made = {}, metadata = {},
    mixins = {}, broken = {}, marked = {}, depth = 0, types = {}, operation_ids = {}, service_ids = {}, checked = {} }, Model)
  for _, source in ipairs(sources) do add_source(model, source) end
  for _, id in ipairs(model.mixins) do check_operation(model, id) end
  check_applied(model)
  for _, id in ipairs(model.checked) do model:shape(id) end
  return model
end

return M
