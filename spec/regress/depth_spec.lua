---A document within a document counted as one level, however deep it was, and shapes counted none: a
---script could build what took more stack than there is, from within the sandbox too.

local Workspace = require "spec.support.workspace"

local deepening = [[
  local bide = require "bide"
  local function deepen(value, most)
    local why
    for _ = 1, most or 100000 do
      local next_one
      next_one, why = bide.json.document { value }
      if not next_one then break end
      value = next_one
    end
    return value, why
  end
  local deepest, why = deepen(bide.json.document { 1 })
]]

local scripts = {
  ["a document is refused beyond the limit"] = 'print(why.kind, why.message)',
  ["the deepest document is written"] = 'print(#deepest:json())',
  ["the deepest document becomes Lua values"] = 'local n, t = 0, deepest:value() while t ~= 1 do n, t = n + 1, t[1] end print(n)',
  ["the deepest documents are compared"] = [[
    local one, other = deepen(bide.json.document { 1 }, 998), deepen(bide.json.document { 1 }, 998)
    print(one:is_same(other), bide.jmespath("a == b"):search { a = one, b = other })]],
  ["a result is refused beyond the limit"] = [[
    local result, failure = bide.jmespath("[@]"):query(deepest)
    print(result, failure.kind, failure.message)]],
  ["results of results are refused beyond the limit"] = [[
    local value, failure = bide.json.document { 1 }, nil
    local wrap = bide.jmespath(("[@]" .. (" | [@]"):rep(50)))
    for _ = 1, 1000 do
      local next_one
      next_one, failure = wrap:query(value)
      if not next_one then break end
      value = next_one
    end
    print(failure.kind, #value:json() > 100)]],
  ["what functions of scripts nest is refused beyond the limit"] = [[
    bide.jmespath.register("wrap", { "any" }, function(value) return { value } end)
    local value, failure = deepest, nil
    value, failure = bide.jmespath("wrap(@)"):query(value)
    print(value, failure.kind)]],
  ["searches within searches are refused beyond the limit"] = [[
    local expression
    bide.jmespath.register("again", {}, function() return expression:search(1) end)
    expression = bide.jmespath(("max_by([@], &"):rep(400) .. "again()" .. (")"):rep(400))
    local ok, mistake = pcall(expression.search, expression, 1)
    print(ok, tostring(mistake):match("nested too deeply"))]],
  ["a shape is refused beyond the limit"] = [[
    local shape = "string"
    for _ = 1, 200000 do shape = { array = shape } end
    local ok, mistake = pcall(function() return bide.jmespath("a"):analyse(shape) end)
    print(ok, tostring(mistake):match("nested too deeply"))]],
  ["a shape is refused beyond the limit, that of a result"] = [[
    local expression = bide.jmespath("@" .. (" | [@]"):rep(10000))
    local ok, mistake = pcall(expression.analyse, expression)
    print(ok, tostring(mistake):match("nested too deeply"))]],
  ["an expression of 1,000 levels is searched"] = [[
    for _, text in ipairs { "[%s]", "{a: %s}", "not_null(%s)", "(%s)", "!%s", "[?%s]", "max_by([@], &%s)" } do
      local open, close = text:match "^(.*)%%s(.*)$"
      local expression = bide.jmespath(open:rep(480) .. "@" .. close:rep(480))
      expression:search(1) expression:analyse() expression:tree()
    end
    print "done"]],
  ["comparators in rows, in brackets, are counted together"] = [[
    local ok, mistake = pcall(bide.jmespath, ("("):rep(500) .. "a" .. (" == b == b)"):rep(500))
    print(ok, tostring(mistake):match "in a row")]],
}

local answers = {
  ["a document is refused beyond the limit"] =
    "limit\tthe value is nested too deeply, beyond 1000 levels; does a table hold itself?\n",
  ["the deepest document is written"] = "2001\n",
  ["the deepest document becomes Lua values"] = "1000\n",
  ["the deepest documents are compared"] = "true\ttrue\n",
  ["a result is refused beyond the limit"] = "nil\tlimit\tthe result is nested too deeply, beyond 1000 levels\n",
  ["results of results are refused beyond the limit"] = "limit\ttrue\n",
  ["what functions of scripts nest is refused beyond the limit"] = "nil\tinvalid-type\n",
  ["searches within searches are refused beyond the limit"] = "false\tnested too deeply\n",
  ["a shape is refused beyond the limit"] = "false\tnested too deeply\n",
  ["a shape is refused beyond the limit, that of a result"] = "false\tnested too deeply\n",
  ["an expression of 1,000 levels is searched"] = "done\n",
  ["comparators in rows, in brackets, are counted together"] = "false\tin a row\n",
}

describe("at any depth", function()
  local workspace = Workspace.of_each()

  for name, script in pairs(scripts) do
    it(name, function()
      workspace:write("deep.lua", deepening .. script)
      local done = workspace:bide { "exec", "--sandbox", "deep.lua" }
      assert.same({ answers[name], "", 0, 0 }, { done.stdout, done.stderr, done.code, done.signal })
    end)
  end
end)
