---What a waiter makes of one attempt, by the acceptors alone: without a service, a loop or a delay.
---
---    verdict.of(waiter.acceptors, verdict.error "57P03", input) -- "retry"
---
---An error is a word: its type, and what else an acceptor may look at: `Refused/403` has a status, `TlsFailure:expired` a
---problem of the certificate, `ConnectionFailed!ENOENT` a code of the system.

local core = require "bide.core"
local error_class = require "bide.error_class"
local custom = require "bide.recipe.waiter.custom"

local M = {}

local DELAY, LONG = 1, 1000

---@param word string
---@return table failure
function M.error(word)
  local problem = word:match ":(%a+)"
  return {
    type = word:match "^[^/:!]+", status = math.tointeger(tonumber(word:match "/(%d+)")), code = word:match "!(%u+)",
    problem = problem, message = problem and "the certificate is refused" or nil,
  }
end

---@param acceptors bide.AcceptorStructure[]
---@param failure? table an operation error; without one the output is empty
---@param input? table
---@param answer? any the output, if it is not empty; an empty table is a list
---@return "success"|"failure"|"retry"|"unmatchedError"|"unmatchedOutput"
function M.of(acceptors, failure, input, answer)
  local definition = core.wait.definition(DELAY, DELAY, acceptors)
  local limits = { min_delay = DELAY, max_delay = DELAY, max_wait = LONG }
  local state, given = core.wait.kind(definition, limits):start(0, 0), core.json.document(input or {})
  local found = answer ~= nil and answer or {}
  local output = not failure and core.json.document(found) or nil
  local seen = { input = given, output = output }
  if failure then error_class.describe(failure, seen) end
  local context = { input = input or {}, output = output and found, error = failure, attempt = 1, elapsed = 0, remaining = 1 }
  state:begin()
  local verdict, acceptor, detail = state:observe(0, seen)
  while verdict == "ask" do
    if custom.ask(acceptors[acceptor].matcher.lua, context) then
      verdict, acceptor, detail = state:accept(0, seen, acceptor)
    else
      verdict, acceptor, detail = state:observe(0, seen, acceptor + 1)
    end
  end
  if verdict == "retry" then return acceptor and "retry" or "unmatchedOutput" end
  return detail == "acceptor" and verdict or detail
end

return M
