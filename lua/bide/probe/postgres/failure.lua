---Failures of a session: what went wrong, and whether the statement may have been carried out.

local messages = require "bide.probe.postgres.messages"
local tables = require "bide.text.tables"

local M = {}

---A failure of a session. The members of an error of PostgreSQL are as it sent them.
---@class bide.postgres.session.Failure
---@field kind "refused"|"away"|"broken"|"mistake" the server refuses the statement or the user; the server cannot be reached,
---was lost, or takes no users now; it breaks the protocol or a limit; the options are wrong
---@field type string the SQLSTATE, or the type of an operation error, as "ConnectionRefused" or "InvalidAnswer"
---@field message string
---@field sqlstate? string
---@field detail? string
---@field hint? string
---@field constraint? string
---@field uncertain? boolean whether the statement may have been carried out although there is no answer
local Failure = {}
Failure.__index = Failure
Failure.__tostring = function(self) return ("%s: %s"):format(self.type, self.message) end

---@param members table
---@return bide.postgres.session.Failure
function M.new(members)
  return setmetatable(members, Failure)
end

---Returns a copy of a failure for one more statement.
---@param failure bide.postgres.session.Failure
---@param is_uncertain boolean
---@return bide.postgres.session.Failure
function M.copy(failure, is_uncertain)
  local copied = tables.merged(failure)
  copied.uncertain = is_uncertain or nil
  return M.new(copied)
end

---Returns the failure of a statement that only reads, or whose transaction was not committed: nothing was carried out.
---@param failure any that of a session, or what a script returned
---@return any
function M.without_effect(failure)
  return getmetatable(failure) == Failure and failure.uncertain and M.copy(failure, false) or failure
end

---The SQLSTATEs of a server that takes no users now: it starts, ends, or is full; or a pooler has no server.
---@param sqlstate string
---@return boolean
local function is_away(sqlstate)
  return sqlstate:find "^57P0" ~= nil or sqlstate:find "^08" ~= nil or sqlstate:find "^53" ~= nil
end

---Returns the failure of a message that contains an error.
---@param fields table<string, string>
---@return bide.postgres.session.Failure
function M.of_fields(fields)
  local sqlstate = messages.sqlstate(fields)
  local is_fatal = fields.V == "FATAL" or fields.V == "PANIC"
  return M.new { kind = not sqlstate and "broken" or is_fatal and "away" or "refused", type = sqlstate or "InvalidAnswer",
    sqlstate = sqlstate, message = fields.M or "an error without a message", detail = fields.D, hint = fields.H,
    constraint = fields.n }
end

---The kinds of operation errors that do not say that the server is away.
local kind_of = { InvalidAnswer = "broken", UnexpectedAnswer = "broken", UnknownAuthentication = "broken",
  TlsFailure = "broken", InvalidInput = "refused" }

---Returns the failure of an operation error.
---@param problem table
---@return bide.postgres.session.Failure
function M.of_error(problem)
  local sqlstate = problem.type:match "^%w%w%w%w%w$"
  local kind = sqlstate and (is_away(sqlstate) and "away" or "refused") or kind_of[problem.type] or "away"
  return M.new { kind = kind, type = problem.type, sqlstate = sqlstate, message = problem.message }
end

return M
