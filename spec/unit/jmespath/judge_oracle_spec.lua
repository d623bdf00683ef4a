---An expression that is refused as one that can never be a yes is a yes for no document, and one that can never be a no is
---a yes for all of them. A plain evaluator and the rules in spec/support/oracle/conditions.lua say what is a yes.

local core = require "bide.core"
local conditions = require "spec.support.oracle.conditions"
local generate = require "spec.support.oracle.generate"
local oracle = require "spec.support.oracle.jmespath"
local oracle_json = require "spec.support.oracle.json"
local property = require "spec.support.oracle.property"
local value = require "spec.support.oracle.value"

---The documents over which a refused expression is tried.
local DOCUMENTS = 1000

local kinds = {}
for name in pairs(conditions.yes) do kinds[#kinds + 1] = name end
table.sort(kinds)

---The documents are the same for all cases of a run, since reading them takes longer than searching them.
local documents

local function read_documents()
  if documents then return end
  documents = {}
  for position = 1, DOCUMENTS do
    local text = position % 4 == 0 and generate.document() or conditions.document()
    documents[position] = { text = text, plain = oracle_json.read(text) }
  end
end

---Returns what a result is compared with, for bide and for the oracle.
local function wanted_by(kind)
  local text = conditions.text()
  if kind == "booleanEquals" then text = math.random(2) == 1 and "true" or "false" end
  if kind ~= "value" then return text, text end
  local scalar = conditions.scalar()
  return core.json.read(scalar):value(), oracle_json.read(scalar)
end

---Returns whether a document is a yes; false for one over which the expression fails.
local function is_yes(compiled, kind, wanted, plain)
  local result = oracle.search(compiled, plain)
  return result ~= nil and conditions.yes[kind](result, wanted)
end

---@param verdict "never-yes"|"never-no"
local function contradiction(text, compiled, kind, wanted, verdict)
  for _, document in ipairs(documents) do
    local is_excluded = verdict == "never-no" and document.plain == value.null
    if not is_excluded and is_yes(compiled, kind, wanted, document.plain) == (verdict == "never-yes") then
      return ("%s is %s for %s %s, but not over %s"):format(text, verdict, kind, oracle_json.write(wanted), document.text)
    end
  end
end

local function check(text)
  local expression, compiled = core.jmespath.compile(text), oracle.compile(text)
  local kind = kinds[math.random(#kinds)]
  local wanted, plain = wanted_by(kind)
  if not expression then return nil end
  local verdict, reason = expression:judge(kind, wanted)
  if verdict == "maybe" then return nil end
  if not reason or reason.message == "" then return text .. ": there is no reason" end
  return contradiction(text, compiled, kind, plain, verdict)
end

describe("an expression that is refused", function()
  property.holds(it, "decides alike over a thousand documents", function()
    read_documents()
    return check(math.random(3) == 1 and generate.expression() or conditions.condition())
  end)
end)
