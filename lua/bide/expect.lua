---Expects something of a text that came from outside, for operations that are told by their
---input what to wait for. Where the recipe itself knows, an acceptor says it better.

local core = require "bide.core"
local answer = require "bide.answer"
local secret = require "bide.secret"
local evidence = require "bide.outcome.evidence"

local json = core.json

local function refuse(kind, format, ...)
  error({ type = kind, message = format:format(...) }, 0)
end

---What JMESPath takes for false: false, null, and an empty string, array or object.
local function is_true(value)
  return value ~= nil and value ~= json.null and value ~= false and value ~= ""
    and (type(value) ~= "table" or next(value) ~= nil)
end

---What comes from the command line is text, whatever it stands for.
local function is_same(value, wanted)
  return value == wanted or type(value) ~= "table" and type(wanted) == "string" and tostring(value) == wanted
end

local function compile(path)
  local expression, mistake = core.jmespath.compile(path)
  if not expression then refuse("InvalidInput", "the path %q: %s", path, tostring(mistake)) end
  return expression
end

local function evaluate(expression, path, document)
  local found, failure = expression:query(document)
  if failure then refuse("UnexpectedValue", "%s cannot be evaluated: %s", path, failure.kind) end
  return found:value()
end

---What is told of the value, in a message or as a result, has no secrets in it.
local function expect_value(text, path, wanted)
  local expression = compile(path)
  local document, failure = answer.read(text)
  if not document then refuse("UnexpectedValue", "this is not JSON: %s", tostring(failure)) end
  local value = evaluate(expression, path, document)
  local shown = evidence.value_of(path, document, secret.any())
  if wanted == nil and not is_true(value) then refuse("UnexpectedValue", "%s is %s", path, shown:json()) end
  if wanted ~= nil and not is_same(value, wanted) then
    refuse("UnexpectedValue", "%s: expected %s, found %s", path, json.encode(wanted), shown:json())
  end
  return shown:value()
end

---With a path, a JMESPath expression, the text must be JSON for which that gives `wanted`, or
---something true; without one it must contain `wanted`. Raises the operation error
---UnexpectedValue where it does not.
---@param text string
---@param path? string
---@param wanted? any
---@return any value what the path gives, secrets taken out
return function(text, path, wanted)
  if path then return expect_value(text, path, wanted) end
  if wanted ~= nil and not text:find(tostring(wanted), 1, true) then
    refuse("UnexpectedValue", "expected %s, found none", json.encode(tostring(wanted)))
  end
end
