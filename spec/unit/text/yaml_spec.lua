local check = require "spec.support.check"
local yaml = require "bide.text.yaml"

-- busted looks up a global at each use
local math, table = math, table

describe("YAML", function()
  it("has the types of JSON, and a null is absent", function()
    local value = assert(yaml.read [[
a: [1, 2.5, -3, "4", '5', yes, true, False, ~, null, 1.2.3, .5, 1e3]
b: {c: null, d: , e: ""}
f: |
  two
  lines
]])
    assert.same({ 1, 2.5, -3, "4", "5", "yes", true, false, "1.2.3", 0.5, 1000.0 }, value.a)
    assert.same({ e = "" }, value.b)
    assert.equal("two\nlines\n", value.f)
  end)

  it("is nothing without a document, and may be JSON", function()
    assert.is_nil((yaml.read ""))
    assert.is_nil((yaml.read "# nothing\n"))
    assert.same({ a = { 1 } }, (yaml.read '{"a": [1]}'))
  end)

  it("lets an alias stand for the same table", function()
    local value = assert(yaml.read "a: &x {b: 1}\nc: *x\n")
    assert.equal(value.a, value.c)
  end)

  it("does not grow by aliases of aliases", function()
    local lines = { "a0: &a0 [1]" }
    for level = 1, 40 do lines[#lines + 1] = ("a%d: &a%d [*a%d, *a%d]"):format(level, level, level - 1, level - 1) end
    assert.is_table((yaml.read(table.concat(lines, "\n"))))
  end)

  local wrong = {
    ["line 2, column 10: the name \"a\" is there twice"] = "b:\n- {a: 1, a: 2}",
    ["line 1, column 4: expected a value without a tag, found tag:yaml.org,2002:binary"] = "a: !!binary aGk=",
    ["line 1, column 2: expected a value without a tag"] = " !lua/os.execute x",
    ["there is no anchor \"x\" before it"] = "a: *x",
    ["expected a name, found another value"] = "{[1]: 2}",
    ["did not find expected"] = "a: [1\nb: }",
    ["values are nested more than 64 deep"] = ("["):rep(70) .. ("]"):rep(70),
    ["more than 100000 values"] = "[" .. ("1,"):rep(100001) .. "]",
    ["control characters are not allowed"] = "a: \0\1",
  }
  for message, text in pairs(wrong) do
    it(("refuses %q"):format(text:sub(1, 20)), function()
      local value, mistake = yaml.read(text)
      assert.is_nil(value)
      assert.matches(message, mistake, 1, true)
    end)
  end

  it("reads or refuses any bytes", function()
    math.randomseed(7)
    local parts = { "a", ": ", "- ", "\n", "  ", "&x ", "*x", "{", "}", "[", "]", "'", '"', "|", ">",
      "%", "!", "\xFF", "\0", "?" }
    for _ = 1, 3000 do
      local text = {}
      for position = 1, math.random(1, 14) do text[position] = parts[math.random(#parts)] end
      local value, mistake = yaml.read(table.concat(text))
      check.is_true(value == nil or mistake == nil)
    end
  end)
end)
