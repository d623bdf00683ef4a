---Files of the Smithy IDL: Smithy's own, and those that its grammar leaves at its edges.

local idl = require "bide.model.syntax.idl"
local data = require "spec.support.data"
local models = require "spec.support.models"

local HEAD = '$version: "2.0"\nnamespace a.b\n'

local function mistakes_of(text)
  local lines = {}
  for position, mistake in ipairs(idl.read(text).mistakes) do
    lines[position] = ("%d:%d %s"):format(mistake.line, mistake.column, mistake.message)
  end
  return table.concat(lines, "\n")
end

---The lines of Smithy's own message, where it says one.
local function place_of(text)
  local line, column = text:match "^[^\n]*line (%d+), column (%d+)"
  return line and { tonumber(line), tonumber(column) }
end

describe("the IDL", function()
  local valid = data.files("smithy/idl/valid", "%.smithy$")
  local invalid = data.files("smithy/idl/invalid", "%.smithy$")
  if #valid == 0 then pending("smithy/idl " .. data.unpacked_hint) end

  it("reads the files of Smithy's packages, which refer to each other", function()
    local names = data.files("smithy/jars", "%.smithy$")
    if #names == 0 then return pending("smithy/jars " .. data.hint) end
    assert.equal("", models.problems(models.of_data(names)))
  end)

  for _, name in ipairs(valid) do
    it("reads " .. name, function() assert.equal("", mistakes_of(data.read(name))) end)

    local twin = data.read((name:gsub("%.smithy$", ".json"))) and (name:gsub("%.smithy$", ".json"))
    if twin then
      it("means what its AST says: " .. name, function()
        assert.same(models.pictures(models.of_data { twin }), models.pictures(models.of_data { name }))
      end)
    end

    local flat = (name:gsub("%.smithy$", ".flattened.smithy"))
    if data.read(flat) then
      it("means what it is without mixins: " .. name, function()
        assert.same(models.pictures(models.of_data { flat }), models.pictures(models.of_data { name }))
      end)
    end
  end

  for _, name in ipairs(invalid) do
    it("refuses " .. name, function()
      local problems = models.of_data({ name }).problems
      assert.is_true(#problems > 0)
      assert.is_true(problems[1].line > 0 and problems[1].column > 0 and #problems[1].message > 10)
      local place = place_of(data.read(name))
      -- Smithy places what it found, and bide what is missing, at the end of a line
      if place then assert.is_true(math.abs(place[1] - problems[1].line) <= 3, models.problems { problems = problems }) end
    end)
  end

  ---a text behind the head, and what is said of it
  local cases = {
    { "string", '3:7 expected the name of a shape, found the end of the file' },
    { "strin A", "3:1 expected the type of a shape, found strin" },
    { "string A string B", "3:10 expected a line break, found a name, string" },
    { "structure A { a String }", '3:17 expected ":", found a name, String' },
    { "structure A { a: String a: String }", "3:25 the member a is there already" },
    { "list A { element: String }", "3:10 a list has no member element, expected member" },
    { "map A { key: String }", "3:5 the map A has no member value" },
    { "enum A {}", "3:6 the enum A has no member" },
    { "intEnum A { B = 1.5 }", '3:21 expected a line break, found "}"' },
    { "intEnum A { B = 1.5\n}", "3:17 B: expected a whole number of 32 bits, found 1.5" },
    { "@a(b: 1, b: 2)\nstring A", '3:10 the member "b" is there already' },
    { '@a("x)\nstring A', "3:4 expected a value, found a string that is not closed" },
    { '@a("\\q")\nstring A', "3:5 expected an escape, found \\q" },
    { '@a("""x""")\nstring A', '3:7 expected a line break after """' },
    { "operation A { input: B input: C }", "3:24 the operation has its input already" },
    { "operation A { outptu: B }", "3:15 expected input, output or errors, found outptu" },
    { "apply A", '3:8 expected "@" or "{", found the end of the file' },
    { "set A { member: String }", "3:1 the type set: expected version 1.0 of the IDL, found 2.0" },
    { "structure A { a: String = \n1 }", "3:26 expected a value on the same line, found a line break" },
    { "\xFF", "3:1 this is not UTF-8" },
    { "strin A\nstring B\nstructur C {\n}\nstring D", "3:1 expected the type of a shape, found strin\n"
      .. "5:1 expected the type of a shape, found structur" },
  }
  for _, case in ipairs(cases) do
    it("says what is wrong with " .. case[1]:gsub("\n", " "), function() assert.equal(case[2], mistakes_of(HEAD .. case[1])) end)
  end

  it("reads hostile texts in time: deep, long, and without an end", function()
    for _, text in ipairs { ("{"):rep(10000), ("["):rep(10000), '"', ("@a("):rep(5000), ("a."):rep(10000),
      "$", ("\\"):rep(9999) } do
      for _, head in ipairs { "", HEAD, HEAD .. "@a(", "metadata a = ", HEAD .. "service A " } do
        assert.is_true(#idl.read(head .. text).mistakes > 0)
      end
    end
  end)

  it("reads every cut of a file, and says where it ends", function()
    local text = HEAD .. '/// A thing.\n@tags(["x", """\n  y\n  """])\nstructure A with [B] {\n  a: C = "d"\n  $e\n}\n'
      .. "operation O { input := { f: String }\n errors: [G] }\napply A @h(i: 1)\nresource R { identifiers: { j: K } }\n"
    assert.equal("", mistakes_of(text))
    for length = 1, #text do idl.read(text:sub(1, length)) end
  end)
end)
