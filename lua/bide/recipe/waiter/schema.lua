---Checks the structure of a waiter, member for member. The wording of a mistake is that of `bide.text.option`; this module
---adds the path of the member, and collects all mistakes instead of the first.
---
---A check is a function(report, path, value). The report collects problems.

local core = require "bide.core"
local option = require "bide.text.option"
local shown = require "bide.text.shown"

local kinds = option.kinds

local M = {}

---@class bide.StructureProblem
---@field path string the member, "acceptors[2].matcher.output.comparator"; "" is the whole
---@field text string what was expected, what was found
---@field severity "error"|"warning"

---@class bide.Report
---@field problems bide.StructureProblem[]
---@field portable boolean whether a Smithy model could say the same
---@field unportable string[] the members that it could not
---@field own_functions string[] the expressions that call functions of bide

---@return bide.Report
function M.report()
  return { problems = {}, portable = true, unportable = {}, own_functions = {} }
end

---Adds a problem to a report.
---@param report bide.Report
---@param path string
---@param text string
---@param severity? "error"|"warning"
function M.add(report, path, text, severity)
  table.insert(report.problems, { path = path, text = text, severity = severity or "error" })
end

---Notes that a Smithy model cannot have a member.
---@param report bide.Report
---@param path string
function M.not_portable(report, path)
  report.portable = false
  table.insert(report.unportable, path)
end

---Adds the problem of a value that is not what it has to be.
---@param report bide.Report
---@param path string
---@param words string what it has to be
---@param value any
function M.expected(report, path, words, value)
  M.add(report, path, option.expected(words, value))
end

---Returns the check of a value of one kind.
---@param kind bide.OptionKind
---@param words? string what it has to be, if that is more than the kind says
function M.of(kind, words)
  local named = { words or kind[1], kind[2], names = kind.names }
  return function(report, path, value)
    local mistake = option.mistake(value, named)
    if mistake then M.add(report, path, mistake) end
  end
end

M.string = M.of(kinds.text)
M.boolean = M.of(kinds.flag)

---Checks a JMESPath expression.
function M.expression(report, path, value)
  if type(value) ~= "string" then return M.string(report, path, value) end
  local expression, mistake = core.jmespath.compile(value)
  if mistake then M.add(report, path, tostring(mistake)) end
  if expression and expression:has_own() then
    M.not_portable(report, path)
    table.insert(report.own_functions, path)
  end
end

---Returns the check of a value that is one of some names.
---@param names string[]
function M.one_of(names)
  return M.of(option.one_of(names))
end

---Returns the check of a list.
---@param check fun(report: bide.Report, path: string, value: any) of each element
---@param words string what the list has to be
function M.list(check, words)
  return function(report, path, value)
    if type(value) ~= "table" or (next(value) ~= nil and #value == 0) then
      return M.expected(report, path, words, value)
    end
    for name in pairs(value) do
      if math.type(name) ~= "integer" or name < 1 or name > #value then
        return M.add(report, path, ("expected %s, found the member %s in it"):format(words, shown.line(tostring(name))))
      end
    end
    for position = 1, #value do
      local place, element = ("%s[%d]"):format(path, position), value[position]
      if element == nil then return M.expected(report, place, "an element, since others follow it", nil) end
      check(report, place, element)
    end
  end
end

---Checks the name of a member: a string that is not empty.
M.name = M.of(kinds.identifier, "the name of a member")

---Checks a list of names of members.
M.names = M.list(M.name, "a list of names of members")

local function join(path, name)
  return path == "" and name or path .. "." .. name
end

---Returns the members of a value that a structure does not have; nil if there are none.
local function unknown_members(value, members)
  local found
  for name in pairs(value) do
    if not members[name] then
      found = found or {}
      found[name] = true
    end
  end
  return found
end

---Returns the check of a structure: every member is known and right, and no required one is missing.
---@param members table<string, { check: function, required?: string }> `required` says what the member has to be
---@param words string what the structure has to be
---@param unknown? "error"|"warning" how bad an unknown member is
---@param reasons? table<string, string> why some of them are unknown
function M.structure(members, words, unknown, reasons)
  local known = option.sorted_names(members)
  local function add_unknown(report, path, names)
    for _, name in ipairs(names) do
      local reason = reasons and reasons[name]
      M.add(report, join(path, name), reason and "unknown member, " .. reason or option.unknown("member", name, known), unknown)
    end
  end
  return function(report, path, value)
    if type(value) ~= "table" then return M.expected(report, path, words, value) end
    local others = unknown_members(value, members)
    if others then add_unknown(report, path, option.sorted_names(others)) end
    for _, name in ipairs(known) do
      local member = members[name]
      if value[name] ~= nil then
        member.check(report, join(path, name), value[name])
      elseif member.required then
        M.expected(report, join(path, name), member.required, nil)
      end
    end
  end
end

return M
