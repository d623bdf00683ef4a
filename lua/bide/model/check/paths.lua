---Checks the JMESPath expressions of a waiter, given the static types of input and output.

local comparators = require "bide.recipe.waiter.comparators"
local core = require "bide.core"

local M = {}

local function with_article(name)
  return (name:find "^[ao]" and "an " or "a ") .. name
end

local function name_of(static)
  if type(static) == "string" then return static end
  return static.array and "array" or "object"
end

---@param expression string
---@param at integer the column of the place
local function with_caret(message, expression, at)
  return ("%s\n  %s\n  %s^"):format(message, expression, (" "):rep(at - 1))
end

local kinds = {
  danger = { "WaitableTraitJmespathProblem.JmespathEventDanger.%s.%d", "DANGER" },
  warning = { "WaitableTraitJmespathProblem.JmespathEventWarning.%s.%d", "WARNING" },
  error = { "WaitableTrait", "ERROR" },
}

---@class bide.check.Place
---@field waiter string
---@field acceptor integer from 0
---@field path string

local function report_problem(add, place, text, problem)
  local kind = kinds[problem.severity]
  local id, severity = kind[1]:format(place.waiter, place.acceptor), kind[2]
  if problem.kind == "ended-projection" then id, severity = "bide.ProjectedMultiSelect", "NOTE" end
  add { id = id, severity = severity, waiter = place.waiter, acceptor = place.acceptor, path = place.path,
    message = with_caret(problem.message, text, problem.column) }
end

local function report_bare_word(add, place, text, word)
  add { id = "bide.BareWord", severity = "NOTE", waiter = place.waiter, acceptor = place.acceptor, path = place.path,
    message = with_caret(word.message, text, word.column) }
end

---The analyses of each shape's expressions: many acceptors of a waiter have the same path.
local analyses = setmetatable({}, { __mode = "k" })

---@param static bide.Shape
---@return { type: bide.Shape, problems: bide.Problem[], bare_word: bide.jmespath.Failure? }?
---@return bide.jmespath.Failure? failure if it does not compile
local function analysis_of(text, static)
  local known = type(static) == "table" and analyses[static] or {}
  if known[text] then return known[text] end
  local expression, failure = core.jmespath.compile(text)
  if not expression then return nil, failure end
  known[text] = expression:analyse(static)
  known[text].bare_word = expression:bare_word()
  if type(static) == "table" then analyses[static] = known end
  return known[text]
end

---Analyses an expression, and reports what is wrong with it.
---@param static bide.Shape
---@return bide.Shape? type nil where it does not compile
local function analyse(add, place, text, static)
  local analysis, failure = analysis_of(text, static)
  if not analysis then
    add { id = "WaitableTrait", severity = "ERROR", waiter = place.waiter, acceptor = place.acceptor, path = place.path,
      message = failure.pretty or tostring(failure) }
    return nil
  end
  for _, problem in ipairs(analysis.problems) do report_problem(add, place, text, problem) end
  if analysis.bare_word then report_bare_word(add, place, text, analysis.bare_word) end
  return analysis.type
end

---Checks an expression of which any result will do.
---@param text any
---@param static bide.Shape
function M.check_expression(add, place, text, static)
  if type(text) == "string" then analyse(add, place, text, static) end
end

local function visit_parts(static, visit)
  for _, part in pairs(static.object or { static.array, static.map }) do visit(part) end
end

---Remembers which static types contain themselves.
local recursive = setmetatable({}, { __mode = "k" })

---Reports whether a static type contains itself.
local function is_recursive(static)
  if type(static) ~= "table" then return false end
  if recursive[static] ~= nil then return recursive[static] end
  local seen, pending = {}, { static }
  recursive[static] = false
  local function visit(part)
    recursive[static] = recursive[static] or part == static
    if type(part) == "table" and not seen[part] then
      seen[part], pending[#pending + 1] = true, part
    end
  end
  while #pending > 0 do visit_parts(table.remove(pending), visit) end
  return recursive[static]
end

---Reports whether a path of members and positions passes a type that contains itself.
---@param steps table[] of the tree of the expression
---@param static bide.Shape
local function passes_recursion(steps, static)
  local passes = false
  for _, step in ipairs(steps) do
    if step.type ~= "field" and step.type ~= "index" or type(static) ~= "table" then return false end
    passes = passes or is_recursive(static)
    static = step.type == "index" and static.array or static.object and static.object[step.name] or static.map
  end
  return passes
end

---Reports whether an expression is null since it is a path to a member that no shape has, below a shape that contains
---itself: Smithy makes two events of it. Elsewhere one mistake is one event.
---@param static bide.Shape
local function is_missing_below_recursion(text, static)
  local analysis = analysis_of(text, static)
  local problems = analysis and analysis.problems or {}
  if #problems ~= 1 or problems[1].kind ~= "unknown-member" then return false end
  local tree = assert(core.jmespath.compile(text)):tree():value()
  local steps = tree.type == "chain" and tree.steps or { tree }
  return problems[1].offset == steps[#steps].at and passes_recursion(steps, static)
end

---@param member { path: string, comparator: string }
---@param static bide.Shape
function M.check_matcher(add, place, member, static)
  if type(member.path) ~= "string" then return end
  local found = analyse(add, place, member.path, static)
  local expected = comparators.rows[member.comparator].path
  if found == "any" and is_missing_below_recursion(member.path, static) then found = "null" end
  if not found or not expected or found == "any" then return end
  local id, severity, what = nil, nil, name_of(found)
  if what ~= expected then
    id, severity = ("WaitableTraitJmespathProblem.ReturnTypeMismatch.%s.%d"):format(place.waiter, place.acceptor), "DANGER"
  elseif expected == "array" and type(found) == "table" and found.array ~= "any" and found.array ~= "string" then
    id, severity, what = "bide.NeverMatches", "WARNING", "array of " .. name_of(found.array)
  end
  if id then
    add { id = id, severity = severity, waiter = place.waiter, acceptor = place.acceptor, path = place.path,
      message = ("%s compares a %s, and %s is %s: the acceptor never matches"):format(member.comparator,
        expected == "array" and "list of strings" or expected, member.path, with_article(what)) }
  end
end

local function is_message(static)
  if type(static) == "string" then return static == "any" or static == "string" or static == "array" end
  return static.array == "any" or static.array == "string"
end

---@param text string
---@param types bide.check.Types
function M.check_message(add, place, text, types)
  local found = analyse(add, place, text, types.output)
  if not found then return end
  local mistake = not is_message(found) and ("%s is %s"):format(text, with_article(name_of(found)))
  if not mistake and types.model then
    local taken = require("bide.model.check.smithy_types").mistake_of_message(text, types.model, types.output_id)
    mistake = taken and ("Smithy takes %s for %s: to_string() or join(', ', ...) makes a string of it"):format(text, taken)
  end
  if mistake then
    add { id = "WaitableTrait", severity = "ERROR", waiter = place.waiter, acceptor = place.acceptor, path = place.path,
      message = "the message must be a string or a list of strings, and " .. mistake }
  end
end

return M
