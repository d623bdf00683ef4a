---Conditions over a member that no answer had. A yes that such a condition gives has to last whatever the member is once an
---answer has it: else it is a yes only because the member is absent, which counts for nothing.

local core = require "bide.core"
local property = require "spec.support.oracle.property"

local json, jmespath, wait = core.json, core.jmespath, core.wait

local nothing = json.document {}

local function one_of(list) return list[math.random(#list)] end

-- ---- conditions: `zz` is the member that no answer has ------------------------------------------

local literals = { "'x'", "'up'", "''", "`0`", "`1`", "`2`", "`true`", "`false`", "`[]`" }
local condition

---An expression for one value.
local function value()
  return one_of { "zz", "s", "n", "f", "o.zz", "o.k", "a[0].zz", "a[-1].k", "@.zz", "[zz][0]", "{q: zz}.q", "(f && zz)",
    "max_by(a, &w).zz", "(a[?k=='x'] | [0].zz)", "not_null(zz, 'x')", "(zz || 'up')",
    "(zz && 'x' || 'up')", "(zz || `2`)", "join('', a[*].zz)", "to_string(a[*].zz)" }
end

---An expression for a list.
local function list(depth)
  return one_of { "a", "e", "a[*].zz", "a[*].k", "a[].zz", "a[0:2].zz", "a[?zz]", "a[?!zz]", "a[?zz=='x']", "a[?k=='x']",
    "a[?zz!='x'].k", "a[?zz==k]", "map(&zz, a)", "map(&k, a)", "reverse(a)[?zz=='x']", "sort_by(a, &k)[*].zz", "zz[*].k", "zz[]",
    "e[*].zz", "a[*].[zz][]", "a[*].{q: zz}[?q=='x']", "a[*].{q: zz}", "a[*].[zz == 'x']",
    "a[*].not_null(zz, 'x')", "a[?(zz || 'x') == 'x']", "to_array(zz || 'x')",
    ("a[?%s]"):format(depth < 2 and condition(depth + 1) or "zz") }
end

---An expression for a number.
local function number(depth)
  return one_of { ("length(%s)"):format(list(depth)), "n", "zz", "length(s)", "sum(a[*].zz)", "sum(a[*].w)", "to_number(zz)",
    "max(a[*].w)", "avg(a[*].w)" }
end

local operators = { "==", "!=", "<", "<=", ">", ">=" }

local kinds = {
  function() return ("%s %s %s"):format(value(), one_of { "==", "!=" }, one_of(literals)) end,
  function() return ("%s == %s"):format(value(), value()) end,
  function() return ("!(%s)"):format(value()) end,
  function(depth) return ("!(%s)"):format(list(depth)) end,
  function(depth) return ("%s == %s"):format(list(depth), one_of { "`[]`", list(depth), '`["x"]`' }) end,
  function(depth) return ("%s %s %s"):format(number(depth), one_of(operators), one_of { "`0`", "`1`", number(depth) }) end,
  function(depth) return ("%s %s %s"):format(one_of(literals), one_of(operators), number(depth)) end,
  function(depth) return ("contains(%s, %s)"):format(list(depth), one_of(literals)) end,
  function() return ("contains(s, %s)"):format(value()) end,
  function() return ("starts_with(%s, 'u')"):format(value()) end,
  function(depth) return ("%s && %s"):format(condition(depth + 1), condition(depth + 1)) end,
  function(depth) return ("(%s || %s)"):format(condition(depth + 1), condition(depth + 1)) end,
  function(depth) return ("!(%s)"):format(condition(depth + 1)) end,
  function(depth) return ("(%s) == `false`"):format(condition(depth + 1)) end,
  function(depth) return ("(%s | %s)"):format(list(depth), one_of { "!@", "length(@) == `0`", "@ == `[]`", "!([?@=='x'])" }) end,
  list,
}

---@param depth integer
---@return string
function condition(depth)
  return one_of(depth > 3 and { kinds[1], kinds[2] } or kinds)(depth)
end

-- ---- answers ------------------------------------------------------------------------------------

---An answer that has the members of `zz`, by the places where they are, or none of them.
local function answer(zz)
  return json.document { s = "up", n = 2, f = true, e = json.array {}, zz = zz.top, o = { k = "x", zz = zz.inner },
    a = json.array { { k = "x", w = 1, zz = zz.element }, { k = "y", w = 2, zz = zz.element } } }
end

local function any_value()
  return one_of { "x", "up", true, false, 0, 1, 3, json.array {}, json.array { "x" }, json.array { { k = "x" } }, { k = "x" } }
end

---Whether a wait whose only answer this is succeeds by the condition.
local function succeeds(text, output)
  local definition = wait.definition(1, 1, { { state = "success", ["until"] = true, matcher = {
    conditions = { rule = "success", all = { { path = text } } } } } })
  local state = wait.kind(definition, { min_delay = 1, max_delay = 1, max_wait = 1000 }):start(1, 0)
  state:begin()
  return state:observe(0, { input = nothing, output = output }) == "success"
end

local function mistake_of(text)
  if not jmespath.compile(text) or not succeeds(text, answer {}) then return nil end
  for _ = 1, 20 do
    local output = answer { top = any_value(), inner = any_value(), element = any_value() }
    local found = jmespath.compile(text):query(output)
    if found and not wait.is_yes(found, "success") then
      return ("%s is a yes without zz, but none for %s"):format(text, output:json())
    end
  end
end

describe("a condition over a member that no answer had", function()
  property.holds(it, "is a yes only if the member does not matter", function()
    for _ = 1, 10 do
      local mistake = mistake_of(condition(0))
      if mistake then return mistake end
    end
  end)
end)
