---The names of errors. Those of an operation get one name each: a service may send a code in place of an error's name, and
---waiters are written with the one or the other; both become the name. Any other type stays as it is.

local core = require "bide.core"
local tables = require "bide.text.tables"

local M = {}

---The new names of types that were renamed in the last release.
M.renamed = { InvalidBody = "InvalidResponse" }

---@param names table<string, string>? the names of errors by their codes
---@param type string of an error
---@return string? name nil if the type is not a code
local function name_of(names, type)
  return names and names[core.wait.error_name(type)]
end

---@param names table<string, string>?
---@param failure bide.OperationError
---@return bide.OperationError failure the same one if its type is not a code; else a copy, whose code is the service's word
function M.of_error(names, failure)
  local name = name_of(names, failure.type)
  if not name then return failure end
  return tables.merged(failure, { type = name, code = failure.type })
end

---@param acceptor bide.AcceptorStructure
---@return bide.AcceptorStructure
local function of_acceptor(names, acceptor)
  local error_type = acceptor.matcher.errorType
  local name = error_type and name_of(names, error_type)
  if not name then return acceptor end
  return tables.merged(acceptor, { matcher = { errorType = name } })
end

---@param names table<string, string>?
---@param acceptors bide.AcceptorStructure[] checked ones
---@return bide.AcceptorStructure[]
function M.of_acceptors(names, acceptors)
  return tables.mapped(acceptors, function(acceptor) return of_acceptor(names, acceptor) end)
end

return M
