---bide's own lints of a waiter: what Smithy does not look for. Their ids are below `bide.`.

local error_name = require("bide.core").wait.error_name
local equals = require("bide.text.tables").equals
local set = require("bide.text.option").set

local M = {}

---The operation of a waiter.
---@class bide.check.Operation
---@field name? string
---@field names? string[] those of all operations of the model
---@field has_no_output? boolean
---@field is_ours boolean? whether its author can follow advice: a recipe's, not a model's
---@field is_botocore? boolean

local function add_lint(add, place, id, severity, message)
  add { id = "bide." .. id, severity = severity, waiter = place.waiter, acceptor = place.acceptor, path = place.path,
    message = message }
end

local function is_acceptor(value)
  return type(value) == "table" and type(value.matcher) == "table"
end

---Reports whether everything that `matcher` matches is matched by `earlier` as well.
local function shadows(earlier, matcher)
  if equals(earlier, matcher) then return true end
  if earlier.success == true then return matcher.output ~= nil or matcher.inputOutput ~= nil end
  return earlier.success == false and matcher.errorType ~= nil
end

local function check_shadow(add, place, acceptors, position, severity)
  local matcher = acceptors[position].matcher
  for before = 1, position - 1 do
    local earlier = acceptors[before]
    if is_acceptor(earlier) and shadows(earlier.matcher, matcher) then
      return add_lint(add, place, "ShadowedAcceptor", severity,
        ("acceptor %d matches whenever this one does, so this one never decides"):format(before - 1))
    end
  end
end

---The seed's best practices: what the workflow does anyhow needs no acceptor.
local function check_implicit(add, place, acceptor)
  if acceptor.state == "failure" and acceptor.matcher.errorType then
    add_lint(add, place, "ImplicitFailure", "NOTE", "an error that no acceptor matches is a failure anyway")
  end
  if acceptor.state == "retry" and acceptor.matcher.success == true then
    add_lint(add, place, "ImplicitRetry", "NOTE", "an output that no acceptor matches is tried again anyway")
  end
end

---Reports a matcher of outputs on an operation without output, which Smithy's specification forbids and its checker lets pass.
local function check_output(add, place, acceptor, operation)
  if operation.has_no_output and acceptor.matcher.output then
    add_lint(add, place, "NoOutput", "NOTE", "the operation has no output: the matcher success looks at no more")
  end
end

---Reports a type of errors without a name, whatever its namespace.
local function check_error_type(add, place, acceptor)
  local name = acceptor.matcher.errorType
  if type(name) == "string" and not error_name(name):find "%S" then
    add_lint(add, place, "EmptyErrorType", "WARNING", "an error always has a type, so an empty errorType never matches")
  end
end

local function check_literal(add, place, acceptor)
  local member = acceptor.matcher.output or acceptor.matcher.inputOutput
  local path = type(member) == "table" and member.comparator == "booleanEquals" and member.path
  if type(path) == "string" and path:find "^%s*[%w_.]+%s*==%s*'[^']*'%s*$" then
    add_lint(add, place, "LiteralComparison", "NOTE", "stringEquals says the same without a literal in the expression")
  end
end

---Reports the delays that a Smithy model cannot have.
local function check_delays(add, place, waiter)
  for _, name in ipairs { "minDelay", "maxDelay" } do
    if type(waiter[name]) == "number" and math.type(waiter[name]) ~= "integer" then
      add_lint(add, place, "FractionOfSecond", "NOTE", name .. ": not portable to Smithy, whose models have whole seconds")
    end
  end
  if waiter.lateness then
    add_lint(add, place, "NotPortable", "NOTE", "lateness: not portable to Smithy, whose models have no such member, and "
      .. "delays that grow with the number of attempts")
  end
end

---Verbs of operations that are no nouns: the waiter ImportComplete is for an import.
local verbs = set [[
  Add Associate Attach Begin Cancel Create Delete Deregister Describe Detach Disable Disassociate Enable Execute Get Invoke
  Launch List Modify Put Reboot Register Remove Run Send Set Start Stop Submit Terminate ]]

---Returns what a waiter is called after in place of the state: an operation of the model, or what an operation does.
---@param operation { name: string?, names: string[]? }
---@return boolean
local function is_named_after_operation(waiter, operation)
  if operation.name and waiter:find(operation.name, 1, true) == 1 then return true end
  for _, name in ipairs(operation.names or {}) do
    if waiter:find(name, 1, true) == 1 and waiter:find("^%u", #name + 1) then return true end
  end
  local verb = waiter:match "^(%u%l+)%u.*Completed?$"
  return verb ~= nil and verbs[verb] ~= nil
end

local function check_waiter(add, place, waiter, operation)
  local has_failure
  for _, one in ipairs(waiter.acceptors) do has_failure = has_failure or type(one) == "table" and one.state == "failure" end
  if not has_failure and operation.is_ours then
    add_lint(add, place, "NoFailureAcceptor", "NOTE", "no acceptor has the state failure, so what cannot succeed any more "
      .. "is waited for until the max wait")
  end
  if is_named_after_operation(place.waiter, operation) then
    add_lint(add, place, "NameOfOperation", "NOTE", "the name of a waiter says the state, not the operation: ThingExists")
  end
  if operation.is_ours then check_delays(add, place, waiter) end
end

---@param add bide.check.Report
---@param name string of the waiter
---@param waiter table its structure
---@param operation bide.check.Operation
function M.check(add, name, waiter, operation)
  if type(waiter) ~= "table" or type(waiter.acceptors) ~= "table" then return end
  check_waiter(add, { waiter = name, path = "\n" .. name }, waiter, operation)
  for position, acceptor in ipairs(waiter.acceptors) do
    if is_acceptor(acceptor) then
      local place = { waiter = name, acceptor = position - 1, path = ("\n%s\nacceptors\n%d"):format(name, position) }
      check_shadow(add, place, waiter.acceptors, position, operation.is_botocore and "NOTE" or "WARNING")
      check_implicit(add, place, acceptor)
      check_literal(add, place, acceptor)
      check_output(add, place, acceptor, operation)
      check_error_type(add, place, acceptor)
    end
  end
end

return M
