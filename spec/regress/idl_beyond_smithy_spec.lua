---The reader of the IDL accepted what Smithy does not, and `bide check` gave a trait that cannot be read several events.

local check = require "bide.model.check.model"
local models = require "spec.support.models"

local HEAD = '$version: "2.0"\nnamespace a.b\nuse smithy.waiters#waitable\n'
local SUCCESS = '{ state: "success", matcher: { success: true } }'
local EMPTY = "operation Get {}\n"

local function waiter(members)
  return HEAD .. "@waitable(Done: { " .. members .. " })\n" .. EMPTY
end

---The events, as "SEVERITY id", and their messages.
local function events_of(text)
  local lines, messages = {}, {}
  for _, event in ipairs(check.check(models.of_text(text))) do
    if not event.id:find "^bide%." then
      lines[#lines + 1] = event.severity .. " " .. event.id
      messages[#messages + 1] = event.message
    end
  end
  return table.concat(lines, "\n"), table.concat(messages, "\n")
end

describe("the IDL", function()
  ---a text behind its head, and what is said of it
  local refused = {
    { '@documentation ("x")\nstring A', '4:15: expected "(" directly after the name of a trait, found a blank' },
    { '@documentation , ("x")\nstring A', '"(" directly after the name of a trait' },
    { '@documentation\n("x")\nstring A', '"(" directly after the name of a trait' },
    { '@documentation // why\n("x")\nstring A', '"(" directly after the name of a trait' },
    { 'structure A { @length (min: 1) a: String }', '"(" directly after the name of a trait' },
    { "string A\napply A @tags ([])", '"(" directly after the name of a trait' },
  }
  for _, case in ipairs(refused) do
    it("refuses " .. case[1]:gsub("\n", " "), function()
      assert.matches(case[2], models.problems(models.of_text(HEAD .. case[1] .. "\n")), 1, true)
    end)
  end

  it("takes blanks within the parentheses of a trait", function()
    assert.equal("", models.problems(models.of_text(HEAD .. '@documentation(\n "x" )\nstring A\n')))
  end)

  local OLD = '$version: "1.0"\nnamespace a.b\n'
  local OLD_AST = '{"smithy": "1.0", "shapes": {"a.b#A": {"type": "structure", "members": {}, "traits":'
    .. ' {"smithy.api#mixin": {}}}, "a.b#B": {"type": "structure", "members": {}, "mixins": [{"target": "a.b#A"}]}}}'

  it("has no mixins in version 1.0, as trait, by apply, and in an AST", function()
    for _, text in ipairs { OLD .. "@mixin\nstructure A {}\n", OLD .. "structure A {}\napply A @mixin\n" } do
      assert.matches("mixins: expected version 2.0, found 1.0", models.problems(models.of_text(text)), 1, true)
    end
    local _, count = models.problems(models.of_text(OLD_AST, "m.json")):gsub("mixins: expected version 2.0, found 1.0", "")
    assert.equal(2, count)
    assert.equal("", models.problems(models.of_text((OLD_AST:gsub('"1.0"', '"2.0"')), "m.json")))
  end)

  it("has no input and no output in an operation that is a mixin", function()
    for _, body in ipairs { "input: A", "output: A", "input := {}", "output := { a: String }" } do
      local text = HEAD .. "structure A {}\n@mixin\noperation B { " .. body .. " }\n"
      assert.matches("an operation that is a mixin has no " .. body:match "%a+", models.problems(models.of_text(text)), 1, true)
    end
    local text = HEAD .. '@error("client")\nstructure E {}\n@mixin\noperation B { errors: [E] }\noperation C with [B] {}\n'
    assert.equal("", models.problems(models.of_text(text)))
    local unit = HEAD .. "@mixin\noperation B { input: Unit, output: Unit }\n"
    assert.equal("", models.problems(models.of_text(unit)))
  end)
end)

describe("bide check", function()
  it("knows the greatest integer of a delay", function()
    for delay, expected in pairs { ["2147483647"] = "", ["2147483648"] = "ERROR TraitValue",
      ["99999999999999999999"] = "ERROR TraitValue", ["-2147483649"] = "ERROR TraitValue\nERROR WaitableTrait",
      ["-1"] = "ERROR TraitValue.Target.InvalidRange\nERROR WaitableTrait" } do
      assert.equal(expected, (events_of(waiter("acceptors: [" .. SUCCESS .. "], maxDelay: " .. delay))))
    end
    assert.matches("at most 2147483647", select(2, events_of(waiter("acceptors: [" .. SUCCESS .. "], maxDelay: 2147483648"))))
    assert.equal("ERROR TraitValue\nERROR WaitableTrait",
      (events_of(waiter("acceptors: [" .. SUCCESS .. "], minDelay: 2147483648"))))
  end)

  ---the members of a waiter; its first mistake
  local unreadable = {
    { "minDelay: 5", "the member acceptors is missing" },
    { "acceptor: [" .. SUCCESS .. "]", "the member acceptors is missing; did you mean it by acceptor?" },
    { 'acceptors: [{ state: "Success", matcher: { success: true } }], maxDelay: 1', "did you mean success?" },
    { 'acceptors: [{ state: "succes", matcher: {} }, { state: 5 }]', "expected exactly one of" },
    { 'acceptors: [{ state: "retry", matcher: { output: { path: "[", comparator: "equals" } } }]', "comparator" },
    { 'acceptors: "none", tags: [""]', "acceptors: expected a list" },
  }
  for _, case in ipairs(unreadable) do
    it("gives one event for a trait that cannot be read: " .. case[1], function()
      local found, messages = events_of(waiter(case[1]))
      assert.equal("ERROR Model", found)
      assert.matches(case[2], messages, 1, true)
    end)
  end

  it("gives one event for a trait that cannot be read, of several waiters and on what is no operation", function()
    local text = HEAD .. '@waitable(A: { acceptors: 1 }, B: { acceptors: [{ state: "x" }] }, c: {})\nstring S\n'
    assert.equal("ERROR Model", (events_of(text)))
  end)

  local TREE = HEAD .. [[
structure Tree { children: Trees, parent: Tree, name: String }
list Trees { member: Tree }
@waitable(Done: { acceptors: [
  { state: "success", matcher: { output: { path: "PATH", comparator: "stringEquals", expected: "x" } } }
] })
operation Get { output: Tree }
]]

  it("says that a member that is missing is no string either, below a recursive shape too", function()
    for _, path in ipairs { "missing", "parent.missing", "parent.parent.missing", "children[0].missing",
      "children[0].parent . missing", 'parent.\\"missing\\"' } do
      local found = events_of((TREE:gsub("PATH", function() return path end)))
      assert.equal("DANGER WaitableTraitJmespathProblem.JmespathEventDanger.Done.0\n"
        .. "DANGER WaitableTraitJmespathProblem.ReturnTypeMismatch.Done.0", found)
    end
    for _, path in ipairs { "missing || name", "parent.missing == 'x'", "missing.name", "not_null(missing, name)" } do
      local found = events_of((TREE:gsub("PATH", function() return path end)))
      assert.matches("JmespathEventDanger.Done.0", found, 1, true)
      local is_boolean = path:find "=="
      assert.equal(is_boolean and true or nil, found:find("ReturnTypeMismatch", 1, true) and true or nil, path)
    end
  end)

  local MESSAGES = HEAD .. [[
list Names { member: String }
list Sizes { member: Integer }
list Items { member: Item }
map Labels { key: String, value: String }
structure Item { s: String, n: Integer }
structure Out { s: String, count: Integer, flag: Boolean, names: Names, sizes: Sizes, items: Items, item: Item,
  labels: Labels, any: Document, next: Out, when: Timestamp }
@waitable(Done: { acceptors: [
  ]] .. SUCCESS .. [[
  { state: "failure", matcher: { success: false }, message: "PATH" }
] })
operation Get { output: Out }
]]

  ---What Smithy's validator takes for a text or a list of texts, read off its type checker.
  local texts = { "s", "item.s", "names", "names[0]", "join(', ', names)", "join(', ', map(&s, items))", "to_string(count)",
    "to_string(max(names))", "type(@)", "'x'", "`\\\"x\\\"`", "items[0].s", "[s, item.s]", "flag && s", "s || names",
    "items[0] | s", "{a: s}.a", "join(', ', items[*].s)", "join(', ', keys(labels))", "join(', ', sort(names)) || s" }
  local others = { "count", "flag", "when", "sizes", "item", "items", "labels", "max(names)", "min(names)", "keys(@)",
    "not_null(s, count)", "map(&s, items)", "`[]`", "sort(names)", "reverse(names)", "values(labels)", "to_array(s)", "any",
    "any.s", "items[*].s", "items[].s", "names[0:2]", "labels.reason", "s == 'x' && s", "names[5]", "names || names",
    "[count, s]", "next.next.s", "to_number(s)", "`null`", "ends_with(s, 'x')" }

  it("takes a message that Smithy takes for a text or a list of texts", function()
    for _, text in ipairs(texts) do
      local found, messages = events_of((MESSAGES:gsub("PATH", function() return text end)))
      assert.equal("", found, text .. ": " .. messages)
    end
  end)

  it("refuses a message that Smithy cannot take for a text or a list of texts", function()
    for _, text in ipairs(others) do
      local found, messages = events_of((MESSAGES:gsub("PATH", function() return text end)))
      assert.matches("ERROR WaitableTrait", found, 1, true, text)
      assert.matches("the message must be a string or a list of strings", messages, 1, true)
    end
  end)

  it("reports a message of a missing member beside its danger", function()
    for _, text in ipairs { "missing", "item.missing", "next.missing" } do
      assert.equal("DANGER WaitableTraitJmespathProblem.JmespathEventDanger.Done.1\nERROR WaitableTrait",
        (events_of((MESSAGES:gsub("PATH", text)))))
    end
  end)
end)
