---Every answer of docs/jmespath.md.

local core = require "bide.core"
local groups = require "spec.unit.jmespath.answers"

local json, jmespath = core.json, core.jmespath

local function answer(expression, given)
  local compiled, failure = jmespath.compile(expression)
  local result
  if compiled then
    result, failure = compiled:query(assert(json.read(given)))
  end
  return failure and failure.kind or result:json()
end

for name, cases in pairs(groups) do
  describe("JMESPath, " .. name .. ",", function()
    for _, case in ipairs(cases) do
      local expression, given, expected = case[1], case[2], case.error or case[3]
      local title = #expression < 70 and expression or expression:sub(1, 20) .. "… (" .. #expression .. " bytes)"
      it(title .. "  ⟶  " .. expected, function()
        local got = answer(expression, given)
        assert.equal(expected, got)
      end)
    end
  end)
end
