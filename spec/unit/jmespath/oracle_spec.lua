---The parser and the search agree with a plain parser and a plain evaluator, which neither fold nor stream.

local core = require "bide.core"
local generate = require "spec.support.oracle.generate"
local oracle = require "spec.support.oracle.jmespath"
local oracle_json = require "spec.support.oracle.json"
local property = require "spec.support.oracle.property"

local json, jmespath = core.json, core.jmespath

---What the expression is for bide: the result as JSON, or the kind of failure, and when that was found.
local function answer(text, document)
  local expression, failure = jmespath.compile(text)
  if not expression then return failure.kind, "compiling" end
  local result
  result, failure = expression:query(assert(json.read(document)))
  if not result then return failure.kind, "searching" end
  return result:json()
end

local function expected(text, document)
  local expression, kind = oracle.compile(text)
  if not expression then return kind, "compiling" end
  local result
  result, kind = oracle.search(expression, oracle_json.read(document))
  if result == nil then return kind, "searching" end
  return oracle_json.write(result)
end

---Where several elements raise, which of them is met first is left open.
local function agree(got, got_when, wanted, wanted_when)
  return got_when == wanted_when and (got == wanted or got_when == "searching")
end

describe("JMESPath agrees with a plain evaluator", function()
  property.holds(it, "over random expressions and documents", function()
    local document, expression = generate.document(), generate.expression()
    local got, got_when = answer(expression, document)
    local wanted, wanted_when = expected(expression, document)
    if agree(got, got_when, wanted, wanted_when) then return nil end
    return ("of %s\nover %q\nbide makes %s %s\nthe oracle %s %s"):format(expression, document, got, got_when or "",
      wanted, wanted_when or "")
  end)
end)
