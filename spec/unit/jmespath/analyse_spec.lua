---Static types: what is told of an expression before it runs.

local core = require "bide.core"

local jmespath = core.jmespath

local stack = { object = { StackName = "string", StackStatus = "string", Size = "number", Done = "boolean",
  Tags = { array = { object = { Key = "string", Value = "string" } } }, Extra = "any",
  Outputs = { map = "string" } } }
local input = { object = { Stacks = { array = stack }, Count = "number", Name = "string", Ready = "boolean",
  Nested = { array = { array = "number" } }, Names = { array = "string" } } }
input.object.Self = input

local function text_of(shape)
  if type(shape) == "string" then return shape end
  if shape.array then return "[" .. text_of(shape.array) .. "]" end
  if shape.map then return "{*: " .. text_of(shape.map) .. "}" end
  local names = {}
  for name in pairs(shape.object) do names[#names + 1] = name end
  table.sort(names)
  if #names > 4 then return "object" end
  for i, name in ipairs(names) do names[i] = name .. ": " .. text_of(shape.object[name]) end
  return "{" .. table.concat(names, ", ") .. "}"
end

local function analyse(expression, shape)
  local analysis = assert(assert(jmespath.compile(expression)):analyse(shape or input))
  local problems = {}
  for i, problem in ipairs(analysis.problems) do
    problems[i] = ("%s %s %d"):format(problem.severity, problem.kind, problem.column)
  end
  return text_of(analysis.type), table.concat(problems, ", "), analysis.problems
end

---expression, type, problems
local cases = {
  { "Name", "string", "" },
  { "Stacks[].StackStatus", "[string]", "" },
  { "Stacks[*].Tags[].Key", "[string]", "" },
  { "Stacks[*].Tags[*].Key", "[[string]]", "" },
  { "Stacks[].Tags[].Key", "[string]", "" },
  { "Stacks[0].StackName", "string", "" },
  { "Stacks[0:2].Size", "[number]", "" },
  { "Stacks[?Done].StackName | [0]", "string", "" },
  { "Stacks[].Outputs.*", "[[string]]", "" },
  { "Stacks[].Outputs.Whatever", "[string]", "" },
  { "Stacks[].Extra.a.b[0].c", "[any]", "" },
  { "Nested[]", "[number]", "" },
  { "Nested[][]", "[number]", "" },
  { "Nested[*]", "[[number]]", "" },
  { "Self.Self.Self.Name", "string", "" },
  { "{a: Name, b: Count}", "{a: string, b: number}", "" },
  { "{a: Name, a: Count}", "{a: number}", "" },
  { "{a: Name}.a", "string", "" },
  { "[Name, Count]", "[any]", "" },
  { "[Name, Name]", "[string]", "" },
  { "Name || 'none'", "string", "" },
  { "Ready && Name", "any", "" },
  { "!Name", "boolean", "" },
  { "Name == 'x'", "boolean", "" },
  { "Count > `1`", "boolean", "" },
  { "`[1, 2]`", "[number]", "" },
  { "`{\"a\": [true]}`.a", "[boolean]", "" },
  { "@", "object", "" },
  { "length(Stacks)", "number", "" },
  { "length(Stacks[?StackStatus == 'x']) == `0`", "boolean", "" },
  { "contains(Stacks[].StackStatus, 'x')", "boolean", "" },
  { "sort_by(Stacks, &Size)[0].StackName", "string", "" },
  { "max_by(Stacks, &Size).StackName", "string", "" },
  { "map(&Size, Stacks)", "[number]", "" },
  { "max(Stacks[].Size)", "number", "" },
  { "sort(Names)", "[string]", "" },
  { "reverse(Name)", "string", "" },
  { "to_array(Name)", "[string]", "" },
  { "keys(@)", "[string]", "" },
  { "values(Stacks[0].Outputs)", "[string]", "" },
  { "not_null(Name, 'x')", "string", "" },
  { "not_null(length(Names), Name)", "number", "" },
  { "not_null(length(Names), Name).State", "any", "danger wrong-access 31" },
  { "merge({a: Name}, {b: Count})", "{a: string, b: number}", "" },
  { "ends_with(Name, 'x')", "boolean", "" },
  { "avg(Stacks[].Size)", "number", "" },
  { "join(',', Names)", "string", "" },

  { "Stack", "any", "danger unknown-member 1" },
  { "Stacks[].StackStatsu", "[any]", "danger unknown-member 10" },
  { "Stacks.Name", "any", "danger wrong-access 8" },
  { "Name.x.y", "any", "danger wrong-access 6" },
  { "Name[0]", "any", "danger wrong-access 5" },
  { "Name[]", "[any]", "danger wrong-access 5" },
  { "Name[*].x", "[any]", "danger wrong-access 5" },
  { "Name[?x].y", "[any]", "danger wrong-access 5" },
  { "Name[1:2]", "[any]", "danger wrong-access 5" },
  { "Stacks.*", "[any]", "danger wrong-access 8" },
  { "@[0]", "any", "danger wrong-access 2" },
  { "`10`.foo", "any", "danger wrong-access 6" },
  { "!Ready.x", "any", "danger wrong-access 8" },
  { "Stacks[?Done == `true` && Nmae]", "[object]", "danger unknown-member 27" },
  { "Name < `1`", "null", "warning invalid-comparator 1" },
  { "`true` < `false`", "null", "warning invalid-comparator 1" },
  { "Count < Ready", "null", "warning invalid-comparator 1" },
  { "abs(Name)", "number", "error invalid-argument 5" },
  { "length(Count)", "number", "error invalid-argument 8" },
  { "length(`10`)", "number", "error invalid-argument 8" },
  { "sum(Names)", "number", "error invalid-argument 5" },
  { "sort(Stacks)", "[object]", "error invalid-argument 6" },
  { "sort_by(Stacks, 'x')", "[object]", "error invalid-argument 17" },
  { "sort_by(Stacks, &Siez)", "[object]", "danger unknown-member 18" },
  { "length(&Name)", "number", "error invalid-argument 8" },
  { "keys(Stacks)", "[string]", "error invalid-argument 6" },
  { "avg(`[\"a\", false]`)", "number", "error invalid-argument 5" },
  { "avg(`[1, \"a\"]`)", "number", "error invalid-argument 5" },
  { "avg(`[1, null]`)", "number", "error invalid-argument 5" },
  { "avg((`[true]`))", "number", "error invalid-argument 6" },
  { "avg([`1`, 'a'])", "number", "error invalid-argument 5" },
  { "avg([`1`, Count])", "number", "" },
  { "avg([Extra, Count])", "number", "danger unknown-member 6" },
  { "sort([Name, Count])", "[any]", "error invalid-argument 6" },
  { "sort(`[1, \"a\"]`)", "[any]", "error invalid-argument 6" },
  { "max(`[[]]`)", "[any]", "error invalid-argument 5" },
  { "join(',', `[\"a\", 1]`)", "string", "error invalid-argument 11" },
  { "join(',', `[]`)", "string", "" },
  { "sum(`[]`)", "number", "" },
  { "sort(`[\"a\", \"b\"]`)", "[string]", "" },

  { "Stacks[].{n: StackName}.n", "any", "warning ended-projection 10, danger wrong-access 25" },
  { "Stacks[].{n: StackName}[0]", "{n: string}", "warning ended-projection 10" },
  { "Stacks[?Done].{n: StackName}[0].n", "string", "warning ended-projection 15" },
  { "Stacks[*].{n: StackName}[*].n", "[string]", "warning ended-projection 11" },
  { "Stacks[].{n: StackName}", "[{n: string}]", "" },
  { "Stacks[].{n: StackName}[].n", "[string]", "" },
  { "Stacks[].{n: StackName} | [0].n", "string", "" },
  { "(Stacks[].{n: StackName})[0].n", "string", "" },
  { "Stacks[0].{n: StackName}.n", "string", "" },
  { "Stacks[].[StackName][0]", "[string]", "" },
  { "Self.{n: Name}.n", "string", "" },

  { "[Stakcs, Nmae]", "[any]", "danger unknown-member 2, danger unknown-member 10" },
}

describe("the analysis", function()
  for _, case in ipairs(cases) do
    it("of " .. case[1] .. " gives " .. case[2] .. (case[3] ~= "" and " and " .. case[3] or ""), function()
      local shape, problems = analyse(case[1])
      assert.equal(case[2], shape)
      assert.equal(case[3], problems)
    end)
  end

  it("says what was meant", function()
    local _, _, problems = analyse("Stacks[].StackStatsu")
    assert.equal("there is no member StackStatsu; did you mean StackStatus?\n"
      .. "  Stacks[].StackStatsu\n           ^", tostring(problems[1]))
    _, _, problems = analyse("Name.x")
    assert.equal("the field x needs an object, but is applied to a value of type string", problems[1].message)
    _, _, problems = analyse("sum(Names)")
    assert.equal("argument 1 of sum() must be an array of numbers, not array of string", problems[1].message)
  end)

  it("finds nothing where nothing is known", function()
    for _, expression in ipairs { "a.b[].c[?d > `1`].*", "sum(a)", "sort_by(a, &b)[0]", "a < b" } do
      local _, problems = analyse(expression, "any")
      assert.equal("", problems)
    end
    assert.same({}, jmespath.compile("a.b"):analyse().problems)
  end)

  it("takes the shape of a sample", function()
    local shape = jmespath.shape_of { a = { { b = 1, c = "x" }, { b = 2 } }, d = core.json.null, e = { 1, "x" } }
    local element = { object = { b = "number", c = "string" } }
    assert.same({ object = { a = { array = element }, d = "any", e = { array = "any" } } }, shape)
    assert.same({ object = {} }, jmespath.shape_of(core.json.read("{}")))
    assert.same({ array = "any" }, jmespath.shape_of(core.json.read("[]")))
  end)

  it("knows what registered functions take and give", function()
    jmespath.register("spec_at_least", { "string", "string", returns = "boolean" }, function() return true end)
    local shape, problems = analyse("spec_at_least(Name, '1.2')")
    assert.same({ "boolean", "" }, { shape, problems })
    shape, problems = analyse("spec_at_least(Count, '1.2')")
    assert.same({ "boolean", "error invalid-argument 15" }, { shape, problems })
  end)

  for _, wrong in ipairs { "strnig", {}, { array = 1 }, { object = { 1 } }, 5 } do
    it("refuses what is no shape: " .. tostring(type(wrong)), function()
      assert.has_error(function() jmespath.compile("a"):analyse(wrong) end)
    end)
  end
end)

describe("the tree of an expression", function()
  it("is a document", function()
    assert.equal('{"type":"chain","at":0,"steps":[{"type":"field","at":0,"name":"a"},'
      .. '{"type":"flatten","at":1,"each":{"type":"field","at":4,"name":"b"}},{"type":"index","at":8,"piped":true,"index":0}]}',
      jmespath.compile("a[].b | [0]"):tree():json())
  end)

  it("has names that repeat", function()
    assert.equal('{"type":"multi-select-hash","at":0,"items":[{"name":"x","value":{"type":"field","at":4,"name":"a"}},'
      .. '{"name":"x","value":{"type":"field","at":10,"name":"b"}}]}', jmespath.compile("{x: a, x: b}"):tree():json())
  end)

  it("has every kind of node", function()
    local expression = "a[*].b.* | [?c == 'x' && !d || e][1:2].[f, {g: h}] | sort_by(@, &i)[-1] | to_string(@) < `1`"
    local text = jmespath.compile(expression):tree():json()
    for _, name in ipairs { "list-projection", "values-projection", "filter", "slice", "multi-select-list", "and", "or", "not",
      "multi-select-hash", "function", "expression-reference", "comparison", "literal", "current", "index" } do
      assert.truthy(text:find('"' .. name .. '"', 1, true), name)
    end
  end)
end)
