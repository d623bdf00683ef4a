---The statements of the verbs of a store in PostgreSQL. They raise their failures, which the verbs return.

local answer = require "bide.record.store.answer"

local M = {}

---Carries a failure from where it is found to the verb.
local Raised = {}

---@param failure bide.record.Failure which the verb returns
function M.fail(failure)
  error(setmetatable({ failure = failure }, Raised), 0)
end

local function returned(ok, first, ...)
  if ok then return first, ... end
  if getmetatable(first) ~= Raised then error(first, 0) end
  return nil, first.failure
end

---Makes a function that may raise failures into one that returns nil and the failure, as verbs do.
function M.catching(f)
  return function(...) return returned(pcall(f, ...)) end
end

---Returns what there is; fails if there is none.
---@generic T
---@param value T?
---@param failure bide.record.Failure?
---@return T
function M.need(value, failure)
  if not value then M.fail(failure --[[@as bide.record.Failure]]) end
  return value
end

---Checks rows as bide.record.store.answer does.
function M.all(form, rows) return M.need(answer.rows(form, rows)) end

function M.only(form, rows) return M.need(answer.row(form, rows)) end

---A statement of the session that serves claims.
---@return table[] rows
function M.ask(store, sql, ...)
  return M.need(store.server:query("main", sql, ...))
end

---A statement that only reads.
---@return table[] rows
function M.peek(store, sql, ...)
  return M.need(store.server:peek(sql, ...))
end

---A statement of the session that beats.
---@return table[] rows
function M.ask_beside(store, sql, ...)
  return M.need(store.server:query("beside", sql, ...))
end

return M
