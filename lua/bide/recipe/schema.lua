---Checks the shape of a waiter, member for member, and says what is wrong as a
---person would: where, what was found, what was wanted, the nearest valid name.
---
---A check is a function(report, path, value). The report collects problems.

local core = require "bide.core"
local nearest = require("bide.core").names.nearest
local shown = require "bide.shown"

local M = {}

---@class bide.Problem
---@field path string the member, "acceptors[2].matcher.output.comparator"; "" is the whole
---@field text string what was found, what was wanted
---@field severity "error"|"warning"

---@class bide.Report
---@field problems bide.Problem[]
---@field portable boolean whether a Smithy model could say the same
---@field unportable string[] the members that it could not

---@return bide.Report
function M.report()
  return { problems = {}, portable = true, unportable = {} }
end

---@param report bide.Report
---@param path string
---@param text string
---@param severity? "error"|"warning"
function M.add(report, path, text, severity)
  table.insert(report.problems, { path = path, text = text, severity = severity or "error" })
end

---The member says what a Smithy model could not.
---@param report bide.Report
---@param path string
function M.not_portable(report, path)
  report.portable = false
  table.insert(report.unportable, path)
end

---A value as a message shows it: its type, and the value where that helps.
function M.describe(value)
  local kind = math.type(value) or type(value)
  if value == nil then return "nothing" end
  if value == core.json.null then return "null" end
  if kind == "string" then return "the string " .. shown.quote(#value > 40 and value:sub(1, 40) .. "…" or value) end
  if kind == "integer" or kind == "float" then return "the number " .. tostring(value) end
  if kind == "boolean" then return "the boolean " .. tostring(value) end
  if kind == "table" then return core.json.is_array(value) and "a list" or "a table" end
  return "a " .. kind
end

local function expected(report, path, value, wanted, candidates)
  local text = ("found %s, wanted %s"):format(M.describe(value), wanted)
  local near = candidates and type(value) == "string" and nearest(value, candidates)
  M.add(report, path, near and ("%s (did you mean %q?)"):format(text, near) or text)
end

---@param kind string a type of Lua
---@param wanted string
function M.of_type(kind, wanted)
  return function(report, path, value)
    if type(value) ~= kind then expected(report, path, value, wanted) end
  end
end

M.string = M.of_type("string", "a string")
M.boolean = M.of_type("boolean", "a boolean")

---A JMESPath expression.
function M.expression(report, path, value)
  if type(value) ~= "string" then return M.string(report, path, value) end
  local _, mistake = core.jmespath.compile(value)
  if mistake then M.add(report, path, tostring(mistake)) end
end

---@param names string[]
function M.one_of(names)
  local quoted = {}
  for i, name in ipairs(names) do quoted[i] = ("%q"):format(name) end
  local wanted = table.concat(quoted, ", ", 1, #quoted - 1) .. " or " .. quoted[#quoted]
  return function(report, path, value)
    for _, name in ipairs(names) do
      if value == name then return end
    end
    expected(report, path, value, wanted, names)
  end
end

---@param check fun(report: bide.Report, path: string, value: any)
---@param wanted string
function M.list(check, wanted)
  return function(report, path, value)
    if type(value) ~= "table" or (next(value) ~= nil and #value == 0) then
      return expected(report, path, value, wanted)
    end
    for name in pairs(value) do
      if math.type(name) ~= "integer" or name < 1 or name > #value then
        return M.add(report, path, ("found the member %s in a list"):format(shown.line(tostring(name))))
      end
    end
    for position, element in ipairs(value) do check(report, ("%s[%d]"):format(path, position), element) end
  end
end

---A list of texts that are not empty.
M.names = M.list(function(report, path, value)
  if type(value) == "string" and value ~= "" then return end
  M.add(report, path, ("found %s, wanted the name of a member"):format(M.describe(value)))
end, "a list of names of members")

local function join(path, name)
  return path == "" and name or path .. "." .. name
end

local function sorted_names(t)
  local names = {}
  for name in pairs(t) do names[#names + 1] = tostring(name) end
  table.sort(names)
  return names
end

---A structure: every member known and right, no required one missing.
---@param members table<string, { check: function, required?: boolean }>
---@param wanted string
---@param unknown? "error"|"warning" how bad an unknown member is
---@param reasons? table<string, string> why some of them are unknown
function M.structure(members, wanted, unknown, reasons)
  local candidates = sorted_names(members)
  return function(report, path, value)
    if type(value) ~= "table" then return expected(report, path, value, wanted) end
    for _, name in ipairs(sorted_names(value)) do
      if not members[name] then
        local near = nearest(name, candidates)
        local words = reasons and reasons[name] or near and ("did you mean %q?"):format(near)
          or "wanted one of " .. table.concat(candidates, ", ")
        M.add(report, join(path, name), "unknown member, " .. words, unknown)
      end
    end
    for _, name in ipairs(candidates) do
      local member = members[name]
      if value[name] ~= nil then
        member.check(report, join(path, name), value[name])
      elseif member.required then
        M.add(report, join(path, name), "found nothing, wanted " .. member.required)
      end
    end
  end
end

return M
