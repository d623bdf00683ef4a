---Makes the acceptors that recipes need most. Each can be written as a table as well.
---
---    local acceptor = require "bide.acceptor"
---    acceptors = { acceptor.output("failure", "state", "crashed"), acceptor.output("success", "messages == `0`"),
---      acceptor.transient "QueueNotFound" }

local core = require "bide.core"
local error_class = require "bide.error_class"
local shown = require "bide.text.shown"

local M = {}

---Makes an acceptor that matches if the operation succeeded.
---@param state? "success"|"retry" success by default
function M.success(state)
  return { state = state or "success", matcher = { success = true } }
end

---Reports whether an expression gives true, false or null, whatever it is applied to.
local function is_boolean(path)
  local expression = core.jmespath.compile(path)
  return not expression or expression:analyse().type == "boolean"
end

---Makes an acceptor that matches if a JMESPath expression over the output gives a text; without a text, if it gives true. A
---failure without a text matches as --fail does: unless the value is false, null, empty, 0, or a text such as no.
---@param state "success"|"failure"|"retry"
---@param path string
---@param expected? string
---@param message? string a JMESPath expression for the message of a failure
function M.output(state, path, expected, message)
  if state == "failure" and not expected and not is_boolean(path) then
    return { state = state, message = message, matcher = { expect = { path = path, rule = "failure" } } }
  end
  local comparator = expected and "stringEquals" or "booleanEquals"
  return { state = state, message = message,
    matcher = { output = { path = path, comparator = comparator, expected = expected or "true" } } }
end

---Makes an acceptor that matches if a JMESPath expression over `{ input, output }` gives true.
---@param state "success"|"failure"|"retry"
---@param path string
function M.input_output(state, path)
  return { state = state, matcher = { inputOutput = { path = path, comparator = "booleanEquals", expected = "true" } } }
end

---Makes an acceptor that matches if the operation failed with an error of a type.
---@param state "success"|"failure"|"retry"
---@param type_of_error string
function M.error(state, type_of_error)
  return { state = state, matcher = { errorType = type_of_error } }
end

---Makes an acceptor that retries after a transient error, or an error of types that the recipe knows to be transient.
---@param ... string
function M.transient(...)
  return { state = "retry", matcher = { lua = error_class.matcher(...) } }
end

local has_warned = false

---Makes an acceptor that matches if no program listens: all addresses refused the connection, or the system's code for the
---failure is one of those given. An answer does not match, whatever error it names.
---@param state "success"|"failure"|"retry"
---@param ... string codes of the system that mean the same: "ENOENT" of a Unix socket
function M.refused(state, ...)
  return { state = state, matcher = { lua = error_class.refusal_matcher(...) } }
end

---Makes an acceptor that matches if the answer is an error with a status that an input lists.
---@param state "success"|"failure"|"retry"
---@param member string the input: a list of statuses such as "503" and "5xx"
function M.status_of(state, member)
  return { state = state, matcher = { lua = error_class.status_matcher(member) } }
end

---The name of `transient` in bide 0.1.0, which the next release removes.
---@deprecated
---@param ... string
function M.passing(...)
  if not has_warned then
    shown.warn "acceptor.passing is now called acceptor.transient; the old name goes with the next release"
    has_warned = true
  end
  return M.transient(...)
end

return M
