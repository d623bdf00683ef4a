---Checks the rows of a store in PostgreSQL. They are input: a person may have changed a function of the store, and the server
---may be another program.

local option = require "bide.text.option"
local verbs = require "bide.record.store.verbs"

local M = {}

---@param words string
---@return bide.record.Failure
function M.broken(words)
  return verbs.failure("broken", "the store is broken: %s", words)
end

---Returns rows that all have the members of a form; or nil and the failure.
---@param form table<string, bide.OptionKind> the members that are never NULL
---@param rows table[]?
---@param failure bide.record.Failure? where there are no rows
---@return table[]? rows
---@return bide.record.Failure? failure
function M.rows(form, rows, failure)
  if not rows then return nil, failure end
  for _, row in ipairs(rows) do
    for name, kind in pairs(form) do
      local mistake = option.mistake(row[name], kind)
      if mistake then return nil, M.broken(("%s: %s"):format(name, mistake)) end
    end
  end
  return rows
end

---Returns the only row of an answer, which has the members of a form; or nil and the failure.
---@param form table<string, bide.OptionKind> the members that are never NULL
---@param rows table[]?
---@param failure bide.record.Failure? where there are no rows
---@return table? row
---@return bide.record.Failure? failure
function M.row(form, rows, failure)
  if rows and #rows ~= 1 then return nil, M.broken(("expected a row, found %d"):format(#rows)) end
  rows, failure = M.rows(form, rows, failure)
  if not rows then return nil, failure end
  return rows[1]
end

return M
