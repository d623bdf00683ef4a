---version_at_least(): whether a version is another one, or comes after it.

local core = require "bide.core"

local json, jmespath = core.json, core.jmespath

local function search(text, input)
  local value, failure = assert(jmespath.compile(text)):query(assert(json.document(input or {})))
  return value and value:value(), failure and failure.kind
end

---Versions in their order, as semver.org has them; those of one row are equal.
local order = {
  { "0", "0.0", "v0.0.0", "0+b.7" }, { "0.9" }, { "0.10" }, { "1.0.0-1" }, { "1.0.0-2" }, { "1.0.0-10" }, { "1.0.0-alpha" },
  { "1.0.0-alpha.1", "1-alpha.1+x" }, { "1.0.0-alpha.beta" }, { "1.0.0-beta" }, { "1.0.0-beta.2" }, { "1.0.0-beta.11" },
  { "1.0.0-rc.1", "1.0-rc.01" }, { "1.0.0-rc-1" }, { "1.0.0", "1", "V1", "01.0", "1.0 (Debian 1.0-2)" }, { "1.0.0.1" },
  { "1.9.9" }, { "1.10", "1.10+k3s1" }, { "2" }, { "18446744073709551616" }, { "18446744073709551617" },
}

describe("version_at_least", function()
  it("orders versions", function()
    for place, row in ipairs(order) do
      for other, least in ipairs(order) do
        for _, version in ipairs(row) do
          local found = search(("version_at_least('%s', '%s')"):format(version, least[#least]))
          if found ~= (place >= other) then error(("%s at least %s: %s"):format(version, least[#least], found)) end
        end
      end
    end
  end)

  for _, text in ipairs {
    "", "v", "latest", "1.", ".1", "1..2", "1.1.1k", "15beta1", "1.0-", "1.0-a..b", "1.0+", "1.0\n", "-1", "1,2", "1.x",
  } do
    it(("gives null for %q"):format(text), function()
      assert.equal(json.null, (search("version_at_least(a, '1')", { a = text })))
      assert.equal(json.null, (search("version_at_least('1', a)", { a = text })))
    end)
  end

  it("gives null for a member that is not there, and raises for other types", function()
    assert.equal(json.null, (search "version_at_least(a, '1')"))
    assert.same({ nil, "invalid-type", n = 2 }, table.pack(search("version_at_least(a, '1')", { a = 2 })))
    assert.same({ nil, "invalid-type", n = 2 }, table.pack(search("version_at_least('2', a)")))
  end)

  it("is no part of a Smithy model", function()
    assert.is_true(jmespath.compile("a && version_at_least(b, '1')"):has_own())
    assert.is_true(jmespath.compile("status() == `2`"):has_own())
    assert.is_false(jmespath.compile("a == 'version_at_least(b)'"):has_own())
  end)
end)
