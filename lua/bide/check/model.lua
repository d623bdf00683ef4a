---Checks the waiters of a model: every event of Smithy's own validators by its id and severity, and bide's lints.

local assembly = require "bide.model.assembly"
local check_closure = require "bide.check.closure"
local check_trait = require "bide.check.trait"
local core = require "bide.core"
local lints = require "bide.check.lints"
local paths = require "bide.check.paths"
local static = require "bide.model.static"
local suppressions = require "bide.check.suppressions"
local sorted = require("bide.option").sorted_names

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

-- ---- expressions and errors --------------------------------------------------------------------

local function check_error_type(operation, place, name, add)
  local names = {}
  for position, reference in ipairs(operation.said.errors or {}) do
    local short = reference.target:match "#(.*)$"
    if name == reference.target or name == short then return end
    names[position] = short
  end
  local near = core.names.nearest(name, names)
  add { id = ("WaitableTraitInvalidErrorType.%s.%d"):format(place.waiter, place.acceptor), severity = "WARNING",
    waiter = place.waiter, acceptor = place.acceptor, path = place.path .. "\nmatcher\nerrorType",
    message = ("the operation has no error %s%s"):format(name, near and (", did you mean %s?"):format(near)
      or #names > 0 and "; it has " .. table.concat(names, ", ") or "; it has none") }
end

local function at(place, path)
  return { waiter = place.waiter, acceptor = place.acceptor, path = place.path .. path }
end

---@param types { input: bide.Shape, output: bide.Shape, has_codes: boolean? }
local function check_acceptor(operation, types, place, acceptor, add)
  local matcher = type(acceptor.matcher) == "table" and acceptor.matcher or {}
  if type(matcher.output) == "table" then
    paths.check_matcher(add, at(place, "\nmatcher\noutput\npath"), matcher.output, types.output)
  end
  if type(matcher.inputOutput) == "table" then
    paths.check_matcher(add, at(place, "\nmatcher\ninputOutput\npath"), matcher.inputOutput,
      { object = { input = types.input, output = types.output } })
  end
  if type(matcher.errorType) == "string" and not types.has_codes then
    check_error_type(operation, place, matcher.errorType, add)
  end
  if type(acceptor.message) == "string" and acceptor.state == "failure" then
    paths.check_message(add, at(place, "\nmessage"), acceptor.message, types.output)
  end
end

---@param visit fun(place: bide.check.Place, acceptor: table)
local function each_acceptor(waiters, visit)
  for _, name in ipairs(sorted(waiters)) do
    local acceptors = type(waiters[name]) == "table" and waiters[name].acceptors
    for position, acceptor in ipairs(type(acceptors) == "table" and acceptors or {}) do
      local place = { waiter = name, acceptor = position - 1, path = ("\n%s\nacceptors\n%d"):format(name, position) }
      if type(acceptor) == "table" then visit(place, acceptor) end
    end
  end
end

-- ---- a model -----------------------------------------------------------------------------------

---Returns the place of a part of a shape's trait: in the source that applies it, if one does.
local function place_of(model, shape, path)
  local within = ("\nshapes\n%s\ntraits\n%s%s"):format(shape.id, WAITABLE, path)
  for _, applied in ipairs(model.applied[shape.id] or {}) do
    if applied.traits[WAITABLE] ~= nil then return applied.source, within end
  end
  return shape.source, within
end

---@param events bide.check.Event[]
local function adder(model, events, shape)
  return function(event)
    if suppressions.hold(model, shape, event) then return end
    local source, path = place_of(model, shape, event.path)
    event.shape, event.file = shape.id, source.file
    event.line, event.column = source.place(path)
    events[#events + 1] = event
  end
end

---The static types of input and output; botocore's names of errors are codes, most of which no shape has.
local function types_of(model, shape)
  if model.is_untyped then return { input = "any", output = "any", has_codes = true } end
  return { input = static.of(model, shape.said.input.target), output = static.of(model, shape.said.output.target),
    has_codes = model.is_botocore }
end

---Returns the waiters of a shape; nil if its trait is not an object.
local function waiters_within(shape)
  local waiters = shape.traits[WAITABLE]
  return type(waiters) == "table" and not core.json.is_array(waiters) and waiters or nil
end

local function check_shape(model, shape, add)
  local waiters = waiters_within(shape)
  check_trait.check(shape.traits[WAITABLE], add, model.is_botocore)
  if not check_target(model, shape, add) or not waiters then return end
  local types, name_of_operation = types_of(model, shape), shape.id:match "#(.*)$"
  each_acceptor(waiters, function(place, acceptor) check_acceptor(shape, types, place, acceptor, add) end)
  for _, name in ipairs(sorted(waiters)) do
    lints.check(add, name, waiters[name], { name = name_of_operation, is_botocore = model.is_botocore })
  end
end

---Returns the events of one shape's waiters.
---@param model bide.Model
---@param shape bide.ModelShape
---@return bide.check.Event[]
function M.events_of(model, shape)
  local events = {}
  check_shape(model, shape, adder(model, events, shape))
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
  for _, id in ipairs(model:waitable_ids()) do
    local shape = model:shape(id)
    check_shape(model, shape, adder(model, events, shape))
    waiters_of[id] = waiters_within(shape)
  end
  check_closure.check(model, waiters_of, function(id, event) adder(model, events, model:shape(id))(event) end)
  return events
end

return M
