---Forms of values that another program, an older bide or a person may have written. A form is a function that reports whether
---a value has it.
---
---    local is_sound = form.object { name = form.text, pid = form.whole(1, 2 ^ 22), queues = form.list(form.text) }
---    if not is_sound(core.json.decode(text)) then …

local tables = require "bide.text.tables"

local M = {}

---@alias bide.Form fun(value: any): boolean

function M.text(value) return type(value) == "string" end

---A text as SQL takes it, which ends at a zero byte.
function M.sql_text(value) return M.text(value) and not value:find("\0", 1, true) end

function M.flag(value) return type(value) == "boolean" end

---@param least integer
---@param most number
---@return bide.Form
function M.whole(least, most)
  return function(value) return math.type(value) == "integer" and value >= least and value <= most end
end

---@param ... any the values
---@return bide.Form
function M.one_of(...)
  local known = tables.set { ... }
  return function(value) return known[value] == true end
end

---@param form bide.Form of a value that is there
---@return bide.Form
function M.optional(form)
  return function(value) return value == nil or form(value) end
end

---@param members table<string, bide.Form> there may be others
---@return bide.Form
function M.object(members)
  return function(value)
    if not tables.is_object(value) then return false end
    for name, form in pairs(members) do
      if not form(value[name]) then return false end
    end
    return true
  end
end

local function all(form, iterate, value)
  for _, one in iterate(value) do
    if not form(one) then return false end
  end
  return true
end

---@param form bide.Form of each element
---@return bide.Form
function M.list(form)
  return function(value)
    if type(value) ~= "table" or tables.is_object(value) and next(value) ~= nil then return false end
    return all(form, ipairs, value)
  end
end

---@param form bide.Form of each member, whatever its name
---@return bide.Form
function M.map(form)
  return function(value)
    return tables.is_object(value) and all(form, pairs, value)
  end
end

return M
