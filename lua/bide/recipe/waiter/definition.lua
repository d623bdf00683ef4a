---Checks the definition of a waiter, and compiles it for the core: the Waiter structure of the Smithy trait, and the
---members that bide adds to it.

local core = require "bide.core"
local duration = require "bide.text.duration"
local limits = require "bide.recipe.waiter.limits"
local matchers = require "bide.recipe.waiter.matchers"
local option = require "bide.text.option"
local schema = require "bide.recipe.waiter.schema"
local streak = require "bide.recipe.waiter.streak"
local tables = require "bide.text.tables"

---The Waiter structure of the trait; lateness and the members from initialDelay on are bide's own.
---@class bide.WaiterStructure
---@field documentation? string
---@field acceptors bide.AcceptorStructure[]
---@field minDelay? number seconds; 2 by default
---@field maxDelay? number seconds; 120 by default
---@field lateness? number above 0, at most 1: the part of the time waited by which a success is found late at most
---@field deprecated? boolean
---@field tags? string[]
---@field initialDelay? number|string seconds before the first attempt
---@field hold? { attempts: integer }|{ seconds: number } the required length of a success
---@field resetOnChange? string a JMESPath: the backoff restarts when its value changes
---@field retryAfter? false|{ cap: number|string } whether, and up to which delay, Retry-After is honoured
---@field watchDelay? number|string seconds between two polls while the operation's watch is alive; 120 by default
---@field opposite? string the waiter of the recipe that waits for the opposite, and names this one
---@field countsAsReady? string by what the waiter knows that what it waits for is there
---@field countsAsGone? string the same of a waiter that waits until something is gone, down, closed or empty

---@class bide.AcceptorStructure
---@field state "success"|"failure"|"retry"
---@field matcher bide.MatcherStructure
---@field message? string a JMESPath whose result is the message of a failure
---@field option? string the option of the command line that gave it; no recipe has it
---@field parts? bide.AcceptorStructure[] conditions of the command line that have to hold together, each alone
---@field until? boolean whether it is tried last, as --until is
---@field name? string bide's own: the name of the outcome

local M = {}

M.DEFAULT_MIN_DELAY = 2
M.DEFAULT_MAX_DELAY = 120

---The words for a valid name of a waiter.
M.NAME = "a name in UpperCamelCase, of letters and digits"

---Reports whether a waiter may have a name, by the specification.
---@param name any
---@return boolean
function M.is_name(name)
  return type(name) == "string" and name:find("^[A-Z][A-Za-z0-9]*$") ~= nil
end

local function check_delay(whole)
  return function(report, path, value)
    if type(value) ~= "number" or (whole and math.type(value) ~= "integer") then
      return schema.expected(report, path, whole and "a whole number of seconds" or "a number of seconds", value)
    end
    if math.type(value) ~= "integer" then schema.not_portable(report, path) end
    local _, mistake = duration.read(value)
    if not mistake and whole and value < 1 then mistake = option.expected("at least 1", value) end
    if mistake then schema.add(report, path, mistake) end
  end
end

---Returns the check of a member that only a Lua recipe may have. `read` returns nil and the mistake if it is wrong.
local function beyond(read)
  return { check = function(report, path, value)
    schema.not_portable(report, path)
    local _, mistake = read(value)
    if mistake then schema.add(report, path, mistake) end
  end }
end

---Reads the name of an acceptor. Several acceptors may have the same name, which is that of the outcome.
local function read_name(value)
  if type(value) == "string" and value:find("^%a[%w_-]*$") then return value end
  return nil, option.expected("a name of letters, digits, - and _", value)
end

local function read_hold(value)
  if type(value) ~= "table" then return nil, option.expected("a table", value) end
  local attempts, _, mistake = streak.of_table(value)
  return attempts, mistake
end

local function read_path(value)
  if type(value) ~= "string" then return nil, option.expected("a string", value) end
  local _, mistake = core.jmespath.compile(value)
  return value, mistake and tostring(mistake)
end

local function read_opposite(value)
  if M.is_name(value) then return value end
  return nil, option.expected("a waiter of this recipe", value)
end

local function read_witness(value)
  if type(value) == "string" and value:find "%S" and not value:find "%c" then return value end
  return nil, option.expected("a text of one line: the answer by which the waiter knows it", value)
end

---The members that bide adds to the structures of the trait.
local beyond_acceptor = { name = beyond(read_name) }
local beyond_waiter = {
  initialDelay = beyond(limits.read_initial_delay), hold = beyond(read_hold), resetOnChange = beyond(read_path),
  retryAfter = beyond(limits.read_retry_after), opposite = beyond(read_opposite), lateness = beyond(limits.read_lateness),
  countsAsReady = beyond(read_witness), countsAsGone = beyond(read_witness), watchDelay = beyond(limits.read_delay),
}

---Returns the warnings for members that are unknown in a portable model, and have no effect there.
local function reasons_of(members)
  local reasons = {}
  for name in pairs(members) do
    reasons[name] = "which is not part of the Smithy trait: only a Lua recipe may have it, and it has no effect here"
  end
  return reasons
end

local acceptor_reasons, waiter_reasons = reasons_of(beyond_acceptor), reasons_of(beyond_waiter)

local function add_beyond(members, added, of_lua)
  for name, member in pairs(of_lua and added or {}) do members[name] = member end
  return members
end

local function check_acceptor(of_lua, unknown)
  local check = schema.structure(add_beyond({
    state = { check = schema.one_of { "success", "failure", "retry" }, required = "a state" },
    matcher = { check = matchers.check(of_lua), required = "a matcher" },
    message = { check = schema.expression },
  }, beyond_acceptor, of_lua), "an acceptor, with state and matcher", unknown, acceptor_reasons)
  return function(report, path, value)
    check(report, path, value)
    if type(value) == "table" and value.message ~= nil and value.state ~= "failure" then
      schema.add(report, path .. ".message", "only an acceptor with the state \"failure\" has a message")
    end
  end
end

local function check_acceptors(of_lua, unknown)
  local check = schema.list(check_acceptor(of_lua, unknown), "a list of acceptors")
  return function(report, path, value)
    if type(value) == "table" and (value.state ~= nil or value.matcher ~= nil) then
      return schema.add(report, path, "expected a list of acceptors, found an acceptor: put it into a list")
    end
    check(report, path, value)
  end
end

local function check_structure(of_lua)
  local unknown = of_lua and "error" or "warning"
  return schema.structure(add_beyond({
    documentation = { check = schema.string },
    acceptors = { check = check_acceptors(of_lua, unknown), required = "a list of acceptors" },
    minDelay = { check = check_delay(not of_lua) },
    maxDelay = { check = check_delay(not of_lua) },
    deprecated = { check = schema.boolean },
    tags = { check = schema.list(schema.of(option.kinds.identifier), "a list of strings") },
  }, beyond_waiter, of_lua), "a waiter, with acceptors", unknown, waiter_reasons)
end

local structures = { [true] = check_structure(true), [false] = check_structure(false) }

local function check_delays(report, definition)
  local minimum = definition.minDelay or M.DEFAULT_MIN_DELAY
  local maximum = definition.maxDelay or M.DEFAULT_MAX_DELAY
  if type(minimum) == "number" and type(maximum) == "number" and minimum > maximum then
    schema.expected(report, "minDelay", ("at most maxDelay, which is %s%s"):format(maximum,
      definition.maxDelay and "" or " by default"), minimum)
  end
end

---Bounded lateness goes by the time waited since the wait began, and has no backoff that could restart.
local function check_lateness(report, definition)
  if definition.lateness == nil or definition.resetOnChange == nil then return end
  schema.add(report, "resetOnChange", "lateness is given, and its delays depend on the time waited alone: leave one out")
end

---Reports whether a mistake was found that may hide a state: of the list, of an acceptor, or of a state.
local function may_hide_state(report)
  for _, problem in ipairs(report.problems) do
    local below = problem.severity == "error" and problem.path:match "^acceptors(.*)"
    if below and (below:find "^%[?%d*%]?$" or below:find "^%[%d+%]%.state$") then return true end
  end
  return false
end

local function check_states(report, definition)
  if type(definition.acceptors) ~= "table" or may_hide_state(report) then return end
  for _, acceptor in ipairs(definition.acceptors) do
    if type(acceptor) ~= "table" or acceptor.state == "success" then return end
  end
  schema.add(report, "acceptors", "expected at least one acceptor with the state \"success\", found none")
end

local function check_witness(report, definition)
  if definition.countsAsReady == nil or definition.countsAsGone == nil then return end
  schema.add(report, "countsAsGone", "expected one of countsAsReady and countsAsGone, found both: a waiter waits for one thing")
end

---Checks a definition, which is valid if the list of problems is empty.
---@param definition any
---@param of_lua boolean whether it is written in Lua: functions and fractions are allowed, unknown members are not
---@return bide.Report
function M.check(definition, of_lua)
  local report = schema.report()
  structures[of_lua](report, "", definition)
  if type(definition) ~= "table" then return report end
  check_delays(report, definition)
  if of_lua then check_lateness(report, definition) end
  for _, path in ipairs(of_lua and {} or report.own_functions) do
    schema.add(report, path, "header(), status(), text() and version_at_least() are not part of the Smithy trait: only a Lua "
      .. "recipe may call them")
  end
  check_states(report, definition)
  if of_lua then check_witness(report, definition) end
  return report
end

---@param report bide.Report
---@return bide.StructureProblem? first the first error
function M.first_error(report)
  for _, problem in ipairs(report.problems) do
    if problem.severity == "error" then return problem end
  end
end

local function without(members, names)
  local copy = {}
  for name, value in pairs(members) do
    if not names[name] then copy[name] = value end
  end
  return copy
end

---Returns the definition of a model without the members that it may not have, which have no effect.
---@param definition table a valid definition
---@return table
function M.portable_part(definition)
  local copy = without(definition, beyond_waiter)
  copy.acceptors = {}
  for position, acceptor in ipairs(definition.acceptors) do copy.acceptors[position] = without(acceptor, beyond_acceptor) end
  return copy
end

local function beyond_of(definition)
  local attempts, time
  if definition.hold then attempts, time = streak.of_table(definition.hold) end
  return { hold_attempts = attempts, hold_time = time, watched = definition.resetOnChange }
end

---Returns the line that says by what a waiter knows that its state is reached; nil if the definition does not say it.
local function witness_of(definition)
  local form = definition.countsAsReady and "Counts as ready: %s." or "Counts as gone: %s."
  local text = definition.countsAsReady or definition.countsAsGone
  return text and form:format((text:gsub("%.$", "")))
end

---Compiles a valid definition.
---@return table waiter the members of the definition; times in milliseconds
function M.compile(definition)
  local min_delay = assert(duration.read(definition.minDelay or M.DEFAULT_MIN_DELAY))
  local max_delay = assert(duration.read(definition.maxDelay or M.DEFAULT_MAX_DELAY))
  local waiter = {
    definition = definition,
    min_delay = min_delay, max_delay = max_delay, acceptors = definition.acceptors,
    documentation = definition.documentation, deprecated = definition.deprecated,
    tags = tables.joined(definition.tags),
    beyond = beyond_of(definition), opposite = definition.opposite,
    witness = witness_of(definition),
  }
  if definition.initialDelay then waiter.initial_delay = limits.read_initial_delay(definition.initialDelay) end
  if definition.watchDelay then waiter.watch_delay = limits.read_delay(definition.watchDelay) end
  if definition.lateness then waiter.lateness = limits.read_lateness(definition.lateness) end
  if definition.retryAfter ~= nil then waiter.retry_after_cap = limits.read_retry_after(definition.retryAfter) end
  waiter.compiled = core.wait.definition(min_delay, max_delay, definition.acceptors, waiter.beyond)
  return waiter
end

return M
