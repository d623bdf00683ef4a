---Checks the waiters of an operation by the types of what they look at: expressions, error types, messages.

local core = require "bide.core"
local paths = require "bide.model.check.paths"
local shown = require "bide.text.shown"
local sorted = require("bide.text.option").sorted_names

local M = {}

---@class bide.check.Types
---@field input bide.Shape
---@field output bide.Shape
---@field errors string[]? the ids of the errors of the operation; nil if any error may come
---@field model bide.Model? of which Smithy would build the waiter; nil for a recipe, a trait and botocore's waiters
---@field output_id string? of the shape of the output, beside `model`

---@param add bide.check.Report
---@param place bide.check.Place
---@param name string
---@param errors string[]
local function check_error_type(add, place, name, errors)
  local names = {}
  for position, id in ipairs(errors) do
    names[position] = id:match "#(.*)$"
    if name == id or name == names[position] then return end
  end
  local near = core.names.nearest(name, names)
  add { id = ("WaitableTraitInvalidErrorType.%s.%d"):format(place.waiter, place.acceptor), severity = "WARNING",
    waiter = place.waiter, acceptor = place.acceptor, path = place.path,
    message = ("the operation has no error %s%s"):format(shown.quote(name), near and (", did you mean %s?"):format(near)
      or #names > 0 and "; it has " .. table.concat(names, ", ") or "; it has none") }
end

local function at(place, path)
  return { waiter = place.waiter, acceptor = place.acceptor, path = place.path .. path }
end

---@param add bide.check.Report
---@param place bide.check.Place
---@param types bide.check.Types
local function check_acceptor(add, place, acceptor, types)
  local matcher = type(acceptor.matcher) == "table" and acceptor.matcher or {}
  if type(matcher.output) == "table" then
    paths.check_matcher(add, at(place, "\nmatcher\noutput\npath"), matcher.output, types.output)
  end
  if type(matcher.inputOutput) == "table" then
    paths.check_matcher(add, at(place, "\nmatcher\ninputOutput\npath"), matcher.inputOutput,
      { object = { input = types.input, output = types.output } })
  end
  if type(matcher.expect) == "table" then
    paths.check_expression(add, at(place, "\nmatcher\nexpect\npath"), matcher.expect.path, types.output)
  end
  if type(matcher.errorType) == "string" and types.errors then
    check_error_type(add, at(place, "\nmatcher\nerrorType"), matcher.errorType, types.errors)
  end
  if type(acceptor.message) == "string" and acceptor.state == "failure" then
    paths.check_message(add, at(place, "\nmessage"), acceptor.message, types)
  end
end

---@param add bide.check.Report
---@param waiters table<string, any> the structures of waiters, by name; what is not one is passed over
---@param types bide.check.Types
function M.check(add, waiters, types)
  for _, name in ipairs(sorted(waiters)) do
    local acceptors = type(waiters[name]) == "table" and waiters[name].acceptors
    for position, acceptor in ipairs(type(acceptors) == "table" and acceptors or {}) do
      local place = { waiter = name, acceptor = position - 1, path = ("\n%s\nacceptors\n%d"):format(name, position) }
      if type(acceptor) == "table" then check_acceptor(add, place, acceptor, types) end
    end
  end
end

return M
