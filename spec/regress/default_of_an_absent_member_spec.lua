---``--until "not_null(state, 'done') == 'done'"`` was a yes for an answer without state, and `items[*].{n: nme}` for items
---without nme: what the person wrote beside a member that no answer has had, a default or a list of nulls, opened the gate.

local Workspace = require "spec.support.workspace"

describe("a condition that rests on what stands for an absent member", function()
  local workspace = Workspace.of_block()
  local answer = '{"state":"up","n":0,"items":[{"k":"x","w":0},{"k":"y","w":2}]}'

  local function run(condition, ...)
    return workspace:bide { "command", ("printf %%s '%s'"):format(answer), "--until", condition, "--max-wait", "30s",
      "--max-attempts", "1", "--quiet", ... }
  end

  for _, condition in ipairs { "not_null(zz, 'x') == 'x'", "(zz || 'x') == 'x'", "zz || `true`", "zz.a || 'x' == 'x'",
    "not_null(items[9].k, 'x') == 'x'", "(zz && 'a' || 'b') == 'b'", "((zz == 'x') && 'a' || 'b') == 'b'",
    "starts_with(zz || 'abc', 'a')", "contains(zz || `[\"x\"]`, 'x')", "(zz || `0`) < `1`", "zz | (@ || 'x') == 'x'",
    "items[?(zz || 'x') == 'x']", "items[*].not_null(zz, 'r')", "map(&(zz || 'x'), items)", "not_null(state.zz, zz, 'x') == 'x'",
    "version_at_least(zz || '9', '1')" } do
    it("is no yes by a default: " .. condition, function()
      run(condition):says(4, "does not count: no answer has had the member")
    end)
  end

  for _, condition in ipairs { "items[*].{n: zz}", "items[*].[zz]", "map(&zz, items)", "length(map(&zz, items)) == `2`",
    "map(&[zz], items)", "items[*].[zz == 'x']", "length(items[*].{n: zz}) > `0`", "{a: zz} == `{\"a\":null}`",
    "[items[*].zz] == `[[]]`", "[length(items[*].zz)] == `[0]`", "to_string(items[?zz]) == '[]'",
    "contains([zz == 'x'], `false`)", "to_string(zz == 'x') == 'false'", "contains(state, join('', items[*].zz))",
    "contains(`[0]`, length(items[*].zz))",
    "items[*].zz | join('', @) | starts_with('up', @)" } do
    it("is no yes by what is made of nothing: " .. condition, function()
      run(condition):says(4, "does not count: no answer has had the member zz")
    end)
  end

  for _, condition in ipairs { "not_null(zz, state) == 'up'", "(zz || state) == 'up'", "(zz || state || 'x') == 'up'",
    "state == 'up' || zz == 'x'", "items[*].{n: zz || k}", "items[*].[zz, k]", "not_null(state, 'x') == 'up'",
    "(items[*].k || `[]`) != `[]`", "zz == `null`", "type(zz) == 'null'", "map(&(zz || k), items)",
    "(state == 'up' && 'a' || zz) == 'a'", "contains(items[*].k, 'x') || contains(zz || `[]`, 'x')" } do
    it("is one by what the answer has: " .. condition, function()
      run(condition):ends(0)
    end)
  end

  it("is one where absence is accepted", function()
    assert.equal(0, run("not_null(zz, 'x') == 'x'", "--allow-missing").code)
    assert.equal(0, run("items[*].{n: zz}", "--allow-missing").code)
  end)
end)
