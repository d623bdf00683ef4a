---Checks the waiters of a model: every event of Smithy's own validators by its id and severity, and bide's lints. Each wait
---asks for dangers, so that modules for all else are loaded when they are needed.

local assembly = require "bide.model.assembly.model"
local check_waiters = require "bide.model.check.waiters"
local static = require "bide.model.check.static"
local sorted = require("bide.text.option").sorted_names
local tables = require "bide.text.tables"

local M = {}

local WAITABLE = assembly.WAITABLE

---@class bide.check.Event
---@field id string
---@field severity "NOTE"|"WARNING"|"DANGER"|"ERROR"
---@field shape string?
---@field waiter string?
---@field acceptor integer? from 0
---@field message string
---@field file string
---@field line integer?
---@field column integer?

---Reports whether a structure has a member that is an event stream.
local function streams(model, id)
  local shape = model:shape(id)
  for _, member in ipairs(shape and shape.members or {}) do
    local is_union = model:type_of(member.target) == "union"
    if is_union and model:shape(member.target).traits["smithy.api#streaming"] then return true end
  end
  return false
end

local function check_target(model, shape, add)
  local problem
  if shape.type ~= "operation" then
    problem = ("only an operation may be waitable, and this is a %s"):format(shape.type)
  elseif streams(model, shape.said.input.target) or streams(model, shape.said.output.target) then
    problem = "an operation with an event stream cannot be waited for"
  end
  if problem then add { id = "TraitTarget", severity = "ERROR", path = "", message = problem } end
  return not problem
end

---Returns the place of a part of a shape's trait: in the source that applies it, if one does.
local function place_of(model, shape, path)
  local function within(holder) return ("%s\ntraits\n%s%s"):format(holder, WAITABLE, path) end
  for _, applied in ipairs(model.applied[shape.id] or {}) do
    if applied.traits[WAITABLE] ~= nil then return applied.source, within(applied.path) end
  end
  return shape.source, within("\nshapes\n" .. shape.id)
end

---@param events bide.check.Event[]
local function adder(model, events, shape)
  return function(event)
    if require("bide.model.check.suppressions").hold(model, shape, event) then return end
    local source, path = place_of(model, shape, event.path)
    event.shape, event.file = shape.id, source.file
    event.line, event.column = source.place(path)
    events[#events + 1] = event
  end
end

---The types of an operation; botocore's names of errors are codes, most of which no shape has.
---@return bide.check.Types
local function types_of(model, shape)
  if model.is_untyped then return { input = "any", output = "any" } end
  local errors = not model.is_botocore and {} or nil
  for position, reference in ipairs(errors and shape.said.errors or {}) do errors[position] = reference.target end
  return { input = static.of(model, shape.said.input.target), output = static.of(model, shape.said.output.target),
    errors = errors, model = not model.is_botocore and model or nil, output_id = shape.said.output.target }
end

---Returns the waiters of a shape; nil if its trait is not an object.
local function waiters_within(shape)
  local waiters = shape.traits[WAITABLE]
  return tables.is_object(waiters) and waiters or nil
end

---Returns the names of the operations of a model.
---@param model bide.Model
---@return string[]
local function operations_of(model)
  local names = {}
  for _, id in ipairs(model.ids) do
    if model:type_of(id) == "operation" then names[#names + 1] = id:match "#(.*)$" end
  end
  return names
end

local function check_lints(model, shape, waiters, names, add)
  local output = shape.said.output
  local operation = { name = shape.id:match "#(.*)$", names = names, is_botocore = model.is_botocore,
    has_no_output = not model.is_untyped and output.target == "smithy.api#Unit" }
  for _, name in ipairs(sorted(waiters)) do require("bide.model.check.lints").check(add, name, waiters[name], operation) end
end

---@return table<string, any>? waiters nil if the trait cannot be read, or is not an operation's
local function check_shape(model, shape, names, add)
  local waiters = waiters_within(shape)
  local is_readable = require("bide.model.check.trait").check(shape.traits[WAITABLE], add,
    model.is_botocore and { status = "status" } or nil)
  if is_readable and not check_target(model, shape, add) or not waiters then return nil end
  if is_readable then check_waiters.check(add, waiters, types_of(model, shape)) end
  if shape.type == "operation" then check_lints(model, shape, waiters, names, add) end
  return is_readable and waiters or nil
end

---Returns the events at DANGER of one waiter, which its expressions alone can have. Nothing else is looked at, since this is
---done before each wait. A missing member is reported once here.
---@param model bide.Model
---@param shape bide.ModelShape an operation
---@param name string
---@return bide.check.Event[]
function M.dangers(model, shape, name)
  local events, waiters = {}, waiters_within(shape)
  local add, reported = adder(model, events, shape), {}
  local function add_danger(event)
    if event.severity ~= "DANGER" or reported[event.path] and event.id:find(".ReturnTypeMismatch.", 1, true) then return end
    reported[event.path] = true
    add(event)
  end
  local types = types_of(model, shape)
  types.model = nil -- no danger comes from what Smithy makes of messages
  if waiters then check_waiters.check(add_danger, { [name] = waiters[name] }, types) end
  return events
end

---@param model bide.Model
---@return bide.check.Event[] events suppressed ones left out
function M.check(model)
  local events, waiters_of = {}, {}
  for _, problem in ipairs(model.problems) do
    events[#events + 1] = { id = "Model", severity = "ERROR", shape = problem.shape, message = problem.message,
      file = problem.file, line = problem.line, column = problem.column }
  end
  local names = operations_of(model)
  for _, id in ipairs(model:waitable_ids()) do
    local shape = model:shape(id)
    waiters_of[id] = check_shape(model, shape, names, adder(model, events, shape))
  end
  require "bide.model.check.namesakes"(model, waiters_of, function(id, event) adder(model, events, model:shape(id))(event) end)
  if not model.is_botocore then
    require("bide.model.check.operations").check(model, function(shape, event)
      event.shape, event.file = shape.id, shape.source.file
      event.line, event.column = shape.source.place(("\nshapes\n%s%s"):format(shape.id, event.path))
      events[#events + 1] = event
    end)
  end
  return events
end

return M
