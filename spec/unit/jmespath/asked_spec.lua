---Conditions over random expressions and documents: members that are missing never make more of an answer than it is.

local core = require "bide.core"
local generate = require "spec.support.oracle.generate"
local property = require "spec.support.oracle.property"

local json, jmespath, wait = core.json, core.jmespath, core.wait

local nothing = json.document {}

---Whether a condition is met by the last of some outputs, and whether the wait could look into it.
local function is_met(text, rule, outputs, allows_missing)
  local definition = wait.definition(1, 1, { { state = "success", ["until"] = true, matcher = {
    conditions = { rule = rule, all = { { path = text } }, allowMissing = allows_missing } } } })
  local state, verdict = wait.kind(definition, { min_delay = 1, max_delay = 1, max_wait = 1000 }):start(1, 0), nil
  for position, output in ipairs(outputs) do
    state:begin()
    verdict = state:observe(position, { input = nothing, output = output })
  end
  return verdict == "success", state:is_blind(), #state:missing(1)
end

---What is wrong with one expression over a document.
local function mistake_of(text, document)
  local expression = jmespath.compile(text)
  if not expression then return nil end
  local value = expression:query(document)
  for _, rule in ipairs { "success", "failure" } do
    local plain = value and wait.is_yes(value, rule) or false
    local allowed, is_blind = is_met(text, rule, { document }, true)
    if allowed ~= (plain and not is_blind) then return ("%s by %s is %s, found %s"):format(text, rule, plain, allowed) end
    local witnessed, _, missing = is_met(text, rule, { document })
    if witnessed and not allowed then return ("%s by %s is a yes only without members"):format(text, rule) end
    if allowed and missing == 0 and not witnessed then return ("%s by %s misses nothing, and is no yes"):format(text, rule) end
    local again = is_met(text, rule, { document, document })
    if again ~= witnessed then return ("%s by %s changes when it is asked again"):format(text, rule) end
  end
end

describe("the members that an expression asks for", function()
  property.holds(it, "never make a yes of what is none, over random documents", function()
    local document = assert(json.read(generate.document()))
    for _ = 1, 3 do
      local text = generate.expression()
      local mistake = mistake_of(text, document)
      if mistake then return ("%s\nover %s"):format(mistake, document:json()) end
    end
  end)
end)
