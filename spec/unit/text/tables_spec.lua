local tables = require "bide.text.tables"
local pretty = require "pl.pretty"

describe("equality, member by member,", function()
  for _, case in ipairs {
    { true, 1, 1 }, { false, 1, 2 }, { false, 1, "1" }, { true, {}, {} }, { false, {}, 0 },
    { true, { a = { 1, "x" } }, { a = { 1, "x" } } }, { false, { a = { 1, "x" } }, { a = { 1, "y" } } },
    { false, { a = 1 }, {} }, { false, {}, { a = 1 } }, { false, { 1 }, { 1, 2 } }, { false, { a = false }, {} },
  } do
    it(("is %s of %s and %s"):format(case[1], pretty.write(case[2], ""), pretty.write(case[3], "")), function()
      assert.equal(case[1], tables.equals(case[2], case[3]))
      assert.equal(case[1], tables.equals(case[3], case[2]))
    end)
  end

  it("ends where a table contains itself", function()
    local gate = {}
    gate.own = gate
    assert.is_true(tables.equals({ gate = gate, wait = 5 }, { gate = gate, wait = 5 }))
    assert.is_false(tables.equals({ gate = gate, wait = 5 }, { gate = gate, wait = 6 }))
  end)
end)

describe("a merged table", function()
  it("has the members of all, the later ones in place of the earlier", function()
    local one, other = { a = 1, b = false }, { a = 2, c = 3 }
    assert.same({ a = 2, b = false, c = 3 }, tables.merged(one, nil, other))
    assert.same({ a = 1, b = false }, one)
    assert.same({}, tables.merged(nil))
  end)
end)

describe("a joined list", function()
  it("has the elements of all in order", function()
    local one = { 1, 2 }
    assert.same({ 1, 2, 3 }, tables.joined(one, nil, { 3 }))
    assert.same({ 1, 2 }, one)
    assert.same({}, tables.joined())
  end)
end)

it("a value is among the elements that are equal to it", function()
  assert.is_true(tables.has({ "a", "b" }, "b"))
  assert.is_false(tables.has({ "a", 1 }, "1"))
end)

it("an object is a table that is no list", function()
  local json = require("bide.core").json
  assert.is_true(tables.is_object(json.decode "{}"))
  assert.is_true(tables.is_object { a = 1 })
  for _, value in ipairs { json.decode "[]", { 1 }, "{}", json.null } do assert.is_false(tables.is_object(value)) end
end)

it("a mapped list has what a function gives for each element, and a set has each once", function()
  assert.same({ "1", "2" }, tables.mapped({ 1, 2 }, tostring))
  assert.same({ a = true, b = true }, tables.set { "a", "b", "a" })
end)
