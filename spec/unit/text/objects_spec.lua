local objects = require "bide.text.objects"
local pretty = require "pl.pretty"

describe("equality, member by member,", function()
  for _, case in ipairs {
    { true, 1, 1 }, { false, 1, 2 }, { false, 1, "1" }, { true, {}, {} }, { false, {}, 0 },
    { true, { a = { 1, "x" } }, { a = { 1, "x" } } }, { false, { a = { 1, "x" } }, { a = { 1, "y" } } },
    { false, { a = 1 }, {} }, { false, {}, { a = 1 } }, { false, { 1 }, { 1, 2 } }, { false, { a = false }, {} },
  } do
    it(("is %s of %s and %s"):format(case[1], pretty.write(case[2], ""), pretty.write(case[3], "")), function()
      assert.equal(case[1], objects.equals(case[2], case[3]))
      assert.equal(case[1], objects.equals(case[3], case[2]))
    end)
  end

  it("ends where a table contains itself", function()
    local gate = {}
    gate.own = gate
    assert.is_true(objects.equals({ gate = gate, wait = 5 }, { gate = gate, wait = 5 }))
    assert.is_false(objects.equals({ gate = gate, wait = 5 }, { gate = gate, wait = 6 }))
  end)
end)
