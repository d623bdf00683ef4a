---The parser and the search agree with a plain parser and a plain evaluator, which neither fold nor stream.

local core = require "bide.core"
local generate = require "spec.support.oracle.generate"
local oracle = require "spec.support.oracle.jmespath"
local oracle_json = require "spec.support.oracle.json"
local property = require "spec.support.oracle.property"

local json, jmespath = core.json, core.jmespath

---What the expression gives in bide, as JSON; the kind of failure otherwise, and when it was found.
local function answer(text, document)
  local expression, failure = jmespath.compile(text)
  if not expression then return failure.kind, "compiling" end
  local result
  result, failure = expression:query(document)
  if not result then return failure.kind, "searching" end
  return result:json()
end

local function expected(text, document)
  local expression, kind = oracle.compile(text)
  if not expression then return kind, "compiling" end
  local result
  result, kind = oracle.search(expression, document)
  if result == nil then return kind, "searching" end
  return oracle_json.write(result)
end

---Where several elements raise, which of them is met first is left open.
local function agree(got, got_when, wanted, wanted_when)
  return got_when == wanted_when and (got == wanted or got_when == "searching")
end

---What is wrong with one expression over a document, which both have read.
local function compare(expression, text, document, plain)
  local got, got_when = answer(expression, document)
  local wanted, wanted_when = expected(expression, plain)
  if agree(got, got_when, wanted, wanted_when) then return nil end
  return ("of %s\nover %q\nbide makes %s %s\nthe oracle %s %s"):format(expression, text, got, got_when or "", wanted,
    wanted_when or "")
end

---To read a document takes as long as to evaluate some expressions.
local EXPRESSIONS = 4

describe("JMESPath agrees with a plain evaluator", function()
  property.holds(it, "over random documents, with four expressions each", function()
    local text = generate.document()
    local document, plain = assert(json.read(text)), oracle_json.read(text)
    for _ = 1, EXPRESSIONS do
      local mistake = compare(generate.expression(), text, document, plain)
      if mistake then return mistake end
    end
  end)
end)
