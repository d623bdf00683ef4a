local regex = require "bide.probe.asking.regex"
local json = require("bide.core").json

local function find(pattern, text)
  return assert(regex.compile(pattern)):find(text)
end

---Each is a pattern, a text, and what is found: a list of captures, or whether there is a match.
local cases = {
  { "a", "", nil }, { "", "", true }, { "a|b", "xb", true }, { "^b", "ab", nil }, { "(?m)^b$", "a\nb\n", true },
  { "v(\\d+)\\.(\\d+)", "v1.22", { "1", "22" } }, { "(a)|(b)", "b", { json.null, "b" } }, { "(x*)", "y", { "" } },
  { "(?<year>\\d{4})", "in 1999", { "1999" } }, { "é{2}", "caféé", true }, { "^.{3}$", "äöü", true },
  { "q(.)", "\xff\xfeq\xffqé\xff", { "é" } }, { "\xff", "a", "error" }, { "a\0b", "xa\0b", true }, { "\\C", "a", "error" },
  { "[%]d", "%d", true }, { "[%][d]", "%d", true }, { "\\%d", "%d", true }, { "[].-]-", "--", true }, { "a\\.-", "a.-", true },
  { "[^].-]%;", "a%;", true }, { "%", "100%", true }, { "(*UCP)\\w", "é", true }, { "(*CRLF)a$", "a\r\n", true },
}

describe("a regular expression", function()
  for _, case in ipairs(cases) do
    it(("%q of %q"):format(case[1], case[2]), function()
      if case[3] == "error" then return assert.is_nil((regex.compile(case[1]))) end
      assert.same({ case[3], false, n = 2 }, table.pack(find(case[1], case[2])))
    end)
  end

  for pattern, mistake in pairs {
    ["%a"] = "%a is a Lua pattern: write [[:alpha:]], or \\%a for the characters",
    ["x[^%S]"] = "%S is a Lua pattern: write \\S, or \\%S for the characters",
    ["[]%u]"] = "%u is a Lua pattern: write [:upper:], or \\%u for the characters",
    ["a.-b"] = ".- is a Lua pattern: write .*?, or .\\- for the characters",
    ["a)"] = "unmatched closing parenthesis, at byte 2",
    ["(*UTF)(*LIMIT_HEAP=1)a"] = "(*LIMIT_HEAP=…) is not for patterns, whose limits are bide's",
    ["(*LIMIT_RECURSION=1)a"] = "(*LIMIT_RECURSION=…) is not for patterns, whose limits are bide's",
  } do
    it(("refuses %q"):format(pattern), function()
      assert.same({ nil, mistake, n = 2 }, table.pack(regex.compile(pattern)))
    end)
  end

  it("is bounded where it would try for years, and where it takes memory", function()
    local began = os.clock()
    assert.same({ nil, true, n = 2 }, table.pack(find("(a+)+[bc]", ("a"):rep(60))))
    assert.same({ nil, true, n = 2 }, table.pack(find("(?:a|b)*[cd]", ("ab"):rep(1000000))))
    assert.same({ nil, true, n = 2 }, table.pack(find("(a|(?1)b)*?[cd]", ("a"):rep(3000))))
    assert.is_true(os.clock() - began < 30)
  end)

  it("finds what takes many steps at few places of a long text", function()
    local text = ("a "):rep(150000) .. "z1"
    assert.is_true(find("(?s)a.*z\\d", text))
    assert.is_true(find("z[0-9]", ("x"):rep(3000000) .. "z1"))
    assert.same({ "1" }, (find("(?:b[ab]*c|z)(\\d)", ("a"):rep(2000) .. ("b"):rep(5000) .. "z1")))
  end)
end)
