---In a small document an empty name stood at the very place of the name that was copied before it. A search knows
---a name again by its place, so `[*].a` over [{"a":1},{"":2,"a":3}] was [1,2].

local core = require "bide.core"

local json, jmespath = core.json, core.jmespath

describe("an empty name", function()
  local documents = {
    { '[{"a":1},{"":2,"a":3}]', "[1,3]" },
    { '[{"a":1},{"":2}]', "[1]" },
    { '[{"a":"x"},{"":2,"a":"y"}]', '["x","y"]' },
    { '[{"":1,"a":2},{"":3,"a":4}]', "[2,4]" },
    { '[{"b":0,"a":1},{"b":"","":2,"a":3}]', "[1,3]" },
  }
  for _, case in ipairs(documents) do
    it("is taken for no other: " .. case[1], function()
      assert.equal(case[2], jmespath.compile("[*].a"):query(json.read(case[1])):json())
      assert.equal(case[2], jmespath.compile("[*].a"):query(json.document(json.decode(case[1]))):json())
    end)
  end

  it("is found", function()
    local document = json.read '[{"a":1},{"":2,"a":3},{"":4}]'
    assert.equal("[2,4]", jmespath.compile('[*].""'):query(document):json())
    assert.equal('[{"":2,"a":3}]', jmespath.compile('[?"" == `2`]'):query(document):json())
  end)
end)
