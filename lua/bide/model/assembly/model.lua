---A model of one or several sources, each a JSON AST: what each shape is once it has its mixins and the traits that are
---applied to it. A source stays a document; a shape becomes a table when it is asked for.

local core = require "bide.core"
local operations = require "bide.model.assembly.operation"
local option = require "bide.text.option"
local prelude = require "bide.model.assembly.prelude"
local tables = require "bide.text.tables"
local taken = require "bide.model.assembly.sources"
local structure = require "bide.model.assembly.structure"

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
local is_list, path_of, read_raw = json.is_array, taken.path_of, taken.read_raw

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
        traits[id] = json.array(tables.joined(present, value))
      elseif not tables.equals(present, value) then
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

---Reports the members that a list or a map must have, and that neither it nor its mixins have.
local function check_elements(model, shape)
  local elements, said = structure.elements[shape.type], {}
  if not elements then return end
  for _, member in ipairs(shape.members) do said[member.name] = true end
  for _, name in ipairs(elements) do
    if not said[name] then
      model:report(shape.source, path_of(shape.id), { shape = shape.id,
        message = structure.missing_element(shape.type, name) })
    end
  end
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
  if #shape.mixins > 0 then require("bide.model.assembly.mixins").take(self, shape) end
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
  local names = tables.joined(ids)
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

---Iterates over the operations with waiters: gives their ids and waiters.
---@return fun(): string?, table<string, table>?
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
  for _, id in ipairs(model.mixins) do require("bide.model.assembly.mixins").check_operation(model, id) end
  check_applied(model)
  for _, id in ipairs(model.checked) do model:shape(id) end
  return model
end

return M
