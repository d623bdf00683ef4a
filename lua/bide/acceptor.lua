---Acceptors as recipes need them most, in a word each. What they say can be said at length as well.
---
---    local acceptor = require "bide.acceptor"
---    acceptors = { acceptor.output("failure", "state", "crashed"), acceptor.output("success", "messages == `0`"),
---      acceptor.passing "QueueNotFound" }

local error_class = require "bide.error_class"

local M = {}

---The operation succeeded.
---@param state? "success"|"retry" success otherwise
function M.success(state)
  return { state = state or "success", matcher = { success = true } }
end

---A JMESPath expression over the output gives that text; true, where none is given.
---@param state "success"|"failure"|"retry"
---@param path string
---@param expected? string
---@param message? string a JMESPath expression for the message of a failure
function M.output(state, path, expected, message)
  local comparator = expected and "stringEquals" or "booleanEquals"
  return { state = state, message = message,
    matcher = { output = { path = path, comparator = comparator, expected = expected or "true" } } }
end

---The operation failed with an error of that type.
---@param state "success"|"failure"|"retry"
---@param type_of_error string
function M.error(state, type_of_error)
  return { state = state, matcher = { errorType = type_of_error } }
end

---Asks again where the operation failed in a way that may pass, or with an error of one of these types, of which the
---recipe knows that they do.
---@param ... string
function M.passing(...)
  return { state = "retry", matcher = { lua = error_class.matcher(...) } }
end

return M
