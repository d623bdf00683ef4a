---What is wrong with an expression, as a person reads it.

local core = require "bide.core"
local bide = require "bide"

local function failure_of(expression, value)
  local compiled, mistake = core.jmespath.compile(expression)
  if not compiled then return mistake end
  return select(2, compiled:search(value))
end

describe("the text of a failure", function()
  local texts = {
    ["when compiling"] = { "a[[", {}, [[
syntax: found '[' where a number, ':' or '*' should be
  a[[
    ^]] },
    ["of an unknown function"] = { "lenght(a)", {}, [[
unknown-function: there is no function lenght(); did you mean length()?
  lenght(a)
  ^]] },
    ["of an arity"] = { "a | abs()", {}, [[
invalid-arity: abs() takes 1 argument, not 0
  a | abs()
      ^]] },
    ["of a value, when compiling"] = { "a[::0]", {}, [[
invalid-value: the step of a slice cannot be 0
  a[::0]
   ^]] },
    ["of a value, when searching"] = { "sum(@)", { 1e308, 1e308 }, [[
invalid-value: the result of sum() is larger than any double
  sum(@)
  ^]] },
    ["of an argument"] = { "a |\nlength(b) ||\nc", { a = { b = 1 } }, [[
invalid-type: argument 1 of length() must be a string, an array or an object, not number: 1
  length(b) ||
         ^]] },
    ["of an argument that is long"] = { "abs(@)", ("ö"):rep(100), [[
invalid-type: argument 1 of abs() must be a number, not string: "ööööööööööööööööööööööö…
  abs(@)
      ^]] },
    ["of an argument that holds much"] = { "abs(@)", { ("x"):rep(10), { n = 1 }, ("y"):rep(100) }, [[
invalid-type: argument 1 of abs() must be a number, not array: ["xxxxxxxxxx",{"n":1},"yyyyyyyyyyyyyyyyyyyyyyyyy…
  abs(@)
      ^]] },
    ["of an argument that is huge"] = { "abs(@)", { ("x"):rep(10000) }, [[
invalid-type: argument 1 of abs() must be a number, not array: ["…
  abs(@)
      ^]] },
    ["of an argument with a secret"] = { "abs(@)", { password = "hunter2" }, [[
invalid-type: argument 1 of abs() must be a number, not object: {"password":"[redacted]"}
  abs(@)
      ^]] },
    ["behind characters of several bytes"] = { "'äöü' | abs(@)", {}, [[
invalid-type: argument 1 of abs() must be a number, not string: "äöü"
  'äöü' | abs(@)
              ^]] },
    ["behind a tab"] = { "a\t|| &b", {}, [[
syntax: found '&' where an expression ('&' is for arguments of functions) should be
  a || &b
       ^]] },
    ["of a limit"] = { ("!"):rep(1044) .. "a", {}, "limit: the expression is nested too deeply, beyond 1000 levels\n  …"
      .. ("!"):rep(100) .. ("!"):rep(44) .. "a\n  " .. (" "):rep(101) .. "^" },
    ["of a limit without a place"] = { ("a"):rep(70000), {}, "limit: the expression is longer than 65536 bytes" },
  }
  for name, case in pairs(texts) do
    it(name .. " has kind, line and place", function()
      local failure = failure_of(case[1], case[2])
      assert.equal(case[3], tostring(failure))
    end)
  end

  it("shows of a long line what is around the place", function()
    local line = ('"äb" || '):rep(100)
    local text = tostring(failure_of(line .. "abs('x')" .. (" || c"):rep(100), {}))
    local shown, below = text:match("\n  (….-…)\n  ( *)^$")
    assert.truthy(shown:find("abs('x')", 1, true))
    assert.is_true(utf8.len(shown) < 170)
    assert.equal(utf8.len(shown:match("^(.*abs%()")), #below)
  end)

  it("hands no control character to a terminal", function()
    local text = tostring(failure_of("'\27[31m' | abs(@)", {}))
    assert.is_nil(text:find("\27", 1, true))
  end)

  it("is what bide.jmespath raises, and assert", function()
    local ok, raised = pcall(bide.jmespath, "a[[")
    assert.is_false(ok)
    assert.equal("syntax: found '[' where a number, ':' or '*' should be\n  a[[\n    ^", raised)
    ok, raised = pcall(function() assert(bide.jmespath("abs(a)"):search {}) end)
    assert.is_false(ok)
    assert.equal("invalid-type: argument 1 of abs() must be a number, not null: null\n  abs(a)\n      ^", tostring(raised))
  end)
end)
