---The mixins of a model's shapes (Smithy 2.0, "Mixins"): a shape takes their traits, their members, and what else the AST says of
---them.

local json = require("bide.core").json
local tables = require "bide.text.tables"
local taken = require "bide.model.assembly.sources"

local M = {}

local MIXIN, UNIT = taken.MIXIN, taken.UNIT
local path_of, read_raw = taken.path_of, taken.read_raw

---@param members bide.ModelMember[]
---@return bide.ModelMember?
local function find_member(members, name)
  for _, member in ipairs(members) do
    if member.name == name then return member end
  end
end

---The traits that a mixin keeps to itself.
local function local_traits(mixin)
  local names = type(mixin.traits[MIXIN]) == "table" and mixin.traits[MIXIN].localTraits
  return tables.set(tables.joined({ MIXIN }, type(names) == "table" and names or nil))
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
      members[#members + 1] = { name = inherited.name, target = inherited.target, traits = tables.merged(inherited.traits) }
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
    return json.array(tables.joined(inherited, own))
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

---Gives a shape what its mixins have.
---@param model bide.Model
---@param shape bide.ModelShape
function M.take(model, shape)
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

---An operation that is a mixin has errors and traits, and nothing that another operation could not take over.
---@param model bide.Model
---@param id string
function M.check_operation(model, id)
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

return M
