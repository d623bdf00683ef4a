---A model of one or several sources, each a JSON AST: what each shape is once its mixins and the traits that are applied to
---it are taken in (Smithy 2.0, "Mixins"). A source stays a document; a shape becomes a table when somebody asks for it.

local core = require "bide.core"
local equals = require("bide.text.objects").equals
local operations = require "bide.model.operation"
local option = require "bide.text.option"
local prelude = require "bide.model.prelude"
local taken = require "bide.model.sources"
local structure = require "bide.model.structure"

local json = core.json

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

M.WAITABLE = taken.WAITABLE

local MIXIN, UNIT = taken.MIXIN, taken.UNIT
local is_list, path_of, read_raw = taken.is_list, taken.path_of, taken.read_raw

---@param problem bide.ModelProblem
function Model:report(source, path, problem)
  local line, column, file = source.place(path)
  problem.file, problem.line, problem.column = file or source.file, line, column
  self.problems[#self.problems + 1] = problem
end

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
  for _, source in ipairs(sources) do taken.add(model, source) end
  for _, id in ipairs(model.mixins) do check_operation(model, id) end
  check_applied(model)
  for _, id in ipairs(model.checked) do model:shape(id) end
  return model
end

return M
