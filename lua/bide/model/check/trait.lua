---Checks the value of a `waitable` trait by itself: its structure, by Smithy's own ids and severities, and
---the rules of a waiter that need no shapes (docs/models.md has the table).

local core = require "bide.core"
local option = require "bide.text.option"
local tables = require "bide.text.tables"

local json, nearest, sorted = core.json, core.names.nearest, option.sorted_names

local M = {}

---Reports an event.
---@alias bide.check.Report fun(event: bide.check.Finding)

---@class bide.check.Finding
---@field id string
---@field severity string
---@field waiter string?
---@field acceptor integer? from 0
---@field path string of the part, below the trait
---@field message string

---A structure of the trait: its members with their types.
---@class bide.check.Structure
---@field name string in Smithy's namespace
---@field members table<string, string|bide.check.Structure|{ list: any }|{ one_of: string[] }>
---@field required string[]
---@field is_union? boolean

local core_names = core.wait.names()

local path_matcher = {
  name = "PathMatcher", required = { "path", "expected", "comparator" },
  members = { path = "string", expected = "string", comparator = { one_of = core_names.comparators } },
}
local matcher = {
  name = "Matcher", required = {}, is_union = true,
  members = { output = path_matcher, inputOutput = path_matcher, errorType = "string", success = "boolean" },
}
local acceptor = {
  name = "Acceptor", required = { "state", "matcher" },
  members = { state = { one_of = core_names.states }, matcher = matcher, message = "string" },
}
local waiter = {
  name = "Waiter", required = { "acceptors" },
  members = { documentation = "string", acceptors = { list = acceptor, at_least = "an acceptor" }, minDelay = "delay",
    maxDelay = "delay", deprecated = "boolean", tags = { list = "tag" } },
}

-- ---- structure ------------------------------------------------------------------------------

---@class bide.check.Walk
---@field report bide.check.Report
---@field waiter string
---@field acceptor integer?

local function report(walk, id, severity, path, message)
  walk.report { id = id, severity = severity, waiter = walk.waiter, acceptor = walk.acceptor, path = path, message = message }
end

local function name_of(path)
  return (path:match "\n([^\n]*)$" or path):gsub("^%d+$", "element %0")
end

local function report_type(walk, path, expected, found)
  local mistake = option.expected(expected, found)
  report(walk, "Model", "ERROR", path, path == "" and mistake or ("%s: %s"):format(name_of(path), mistake))
end

local INT_MIN <const>, INT_MAX <const> = -2147483648, 2147483647 -- of an integer of Smithy

local function check_delay(walk, value, path)
  if type(value) ~= "number" then return report_type(walk, path, "a whole number of seconds", value) end
  if math.type(value) ~= "integer" then
    return report(walk, "TraitValue", "ERROR", path, ("%s: %s"):format(name_of(path),
      option.expected("a whole number of seconds", value)))
  end
  if value < INT_MIN or value > INT_MAX then
    return report(walk, "TraitValue", "ERROR", path, ("%s: %s"):format(name_of(path),
      option.expected(("at most %d seconds, an integer of Smithy"):format(INT_MAX), value)))
  end
  if value < 1 then
    report(walk, "TraitValue.Target.InvalidRange", "ERROR", path, ("%s: %s"):format(name_of(path),
      option.expected("at least 1 second", value)))
  end
end

local scalars = {
  string = function(walk, value, path)
    if type(value) ~= "string" then report_type(walk, path, "a string", value) end
  end,
  boolean = function(walk, value, path)
    if type(value) ~= "boolean" then report_type(walk, path, "a boolean", value) end
  end,
  delay = check_delay,
  status = function(walk, value, path)
    if math.type(value) ~= "integer" and type(value) ~= "table" then report_type(walk, path, "an HTTP status", value) end
  end,
  tag = function(walk, value, path)
    if type(value) ~= "string" then return report_type(walk, path, "a string", value) end
    if value == "" then report(walk, "TraitValue", "ERROR", path, "expected a tag, found an empty string") end
  end,
}

local check_type

local function check_list(walk, value, path, kind)
  if not json.is_array(value) then return report_type(walk, path, "a list", value) end
  if #value == 0 and kind.at_least then
    return report(walk, "TraitValue", "ERROR", path, ("expected at least %s, found an empty list"):format(kind.at_least))
  end
  for position, element in ipairs(value) do
    if kind.list == acceptor then walk.acceptor = position - 1 end
    check_type(walk, element, ("%s\n%d"):format(path, position), kind.list)
  end
  if kind.list == acceptor then walk.acceptor = nil end
end

local function check_choice(walk, value, path, names)
  if tables.has(names, value) then return end
  local near = type(value) == "string" and nearest(value, names)
  report_type(walk, path, "one of " .. table.concat(names, ", ") .. (near and (" (did you mean %s?)"):format(near) or ""), value)
end

local function report_unknown(walk, structure, path, name)
  local near = nearest(name, sorted(structure.members))
  report(walk, ("TraitValue.UnknownMember.smithy.waiters#%s.%s"):format(structure.name, name),
    structure.is_union and "ERROR" or "WARNING", path .. "\n" .. name,
    ("unknown member %s%s"):format(name, near and (", did you mean %s?"):format(near) or ""))
end

---Says that a member is missing. Its name may be misspelt, and no other event would say so.
local function missing_member(value, structure, name)
  local message = ("the member %s is missing"):format(name)
  for _, found in ipairs(sorted(value)) do
    if not structure.members[found] and nearest(found, { name }) then
      return ("%s; did you mean it by %s?"):format(message, found)
    end
  end
  return message
end

local function check_structure(walk, value, path, structure)
  if not tables.is_object(value) then
    return report_type(walk, path, "an object, the " .. structure.name, value)
  end
  local known = 0
  for _, name in ipairs(sorted(value)) do
    if structure.members[name] then
      known = known + 1
      check_type(walk, value[name], path .. "\n" .. name, structure.members[name])
    else
      report_unknown(walk, structure, path, name)
    end
  end
  if structure.is_union and known ~= 1 and (known > 1 or next(value) == nil) then
    report(walk, "Model", "ERROR", path, ("expected exactly one of %s, found %d"):format(
      table.concat(sorted(structure.members), ", "), known))
  end
  for _, name in ipairs(structure.required) do
    if value[name] == nil then report(walk, "Model", "ERROR", path, missing_member(value, structure, name)) end
  end
end

function check_type(walk, value, path, kind)
  if scalars[kind] then return scalars[kind](walk, value, path) end
  if kind.list then return check_list(walk, value, path, kind) end
  if kind.one_of then return check_choice(walk, value, path, kind.one_of) end
  check_structure(walk, value, path, kind)
end

local named_matcher = { name = "NamedMatcher", required = { "name" }, members = { name = "string", arguments = "json" } }

function scalars.json() end

---A custom matcher: a name, alone or with arguments.
function scalars.custom(walk, value, path)
  if type(value) == "table" then return check_structure(walk, value, path, named_matcher) end
  scalars.string(walk, value, path)
end

-- ---- rules ----------------------------------------------------------------------------------

local DEFAULT_MIN_DELAY, DEFAULT_MAX_DELAY = 2, 120

local function check_delays(walk, value, path)
  local minimum, maximum = value.minDelay or DEFAULT_MIN_DELAY, value.maxDelay or DEFAULT_MAX_DELAY
  if type(minimum) ~= "number" or type(maximum) ~= "number" or minimum <= maximum then return end
  report(walk, "WaitableTrait", "ERROR", path .. (value.maxDelay and "\nmaxDelay" or "\nminDelay"),
    ("minDelay, %s, is greater than maxDelay, %s%s"):format(minimum, maximum,
      (value.minDelay and value.maxDelay) and "" or "; one of them is the default"))
end

local function check_acceptor(walk, one, path)
  local member = type(one.matcher) == "table" and (one.matcher.output or one.matcher.inputOutput)
  if type(member) == "table" and member.comparator == "booleanEquals" and type(member.expected) == "string"
    and member.expected ~= "true" and member.expected ~= "false" then
    report(walk, "WaitableTrait", "ERROR", path .. "\nmatcher",
      'expected: ' .. option.expected('"true" or "false", since the comparator is booleanEquals', member.expected))
  end
  if one.message ~= nil and one.state ~= "failure" then
    report(walk, "WaitableTrait", "ERROR", path .. "\nmessage",
      "only an acceptor with the state failure has a message")
  end
end

local function check_rules(walk, value, path)
  check_delays(walk, value, path)
  if type(value.acceptors) ~= "table" or #value.acceptors == 0 then return end
  local succeeds
  for position, one in ipairs(value.acceptors) do
    if type(one) == "table" then
      succeeds = succeeds or one.state == "success"
      walk.acceptor = position - 1
      check_acceptor(walk, one, ("%s\nacceptors\n%d"):format(path, position))
      walk.acceptor = nil
    end
  end
  if not succeeds then
    report(walk, "WaitableTrait", "ERROR", path, "no acceptor has the state success, so the waiter can never succeed")
  end
end

local function check_waiter(add, name, value)
  local walk, path = { report = add, waiter = name }, "\n" .. name
  if not name:find "^[A-Z][A-Za-z0-9]*$" then
    report(walk, "TraitValue", "ERROR", path, "the name of a waiter must be UpperCamelCase, of letters and digits")
  end
  check_structure(walk, value, path, waiter)
  if type(value) == "table" then check_rules(walk, value, path) end
end

local members_of_smithy = matcher.members

---The matchers that a bare trait value may have beside Smithy's.
M.beyond_smithy = {
  status = "status", lua = "custom",
  expect = { name = "Expect", required = { "path" }, members = { path = "string", text = "string" } },
}

---Checks each waiter of a trait.
---@param walk bide.check.Walk
local function check_waiters(walk, value)
  if not tables.is_object(value) then return report_type(walk, "", "waiters by name", value) end
  if next(value) == nil then
    return report(walk, "TraitValue", "ERROR", "", "expected at least one waiter, found none")
  end
  for _, name in ipairs(sorted(value)) do check_waiter(walk.report, name, value[name]) end
end

---Checks the value of a trait. One that cannot be read has no other event than the first that says why.
---@param value any
---@param add bide.check.Report
---@param more? table<string, string|bide.check.Structure> matchers that are not Smithy's
---@return boolean is_readable
function M.check(value, add, more)
  local events, unreadable = {}, nil
  matcher.members = tables.merged(members_of_smithy, more)
  check_waiters({ report = function(event)
    events[#events + 1] = event
    unreadable = unreadable or event.id == "Model" and event or nil
  end }, value)
  for _, event in ipairs(unreadable and { unreadable } or events) do add(event) end
  return unreadable == nil
end

return M
