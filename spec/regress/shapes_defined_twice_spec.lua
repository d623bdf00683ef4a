---A shape that a file of the IDL defined twice replaced the first one, its waiters included; one that two files defined with
---other traits was refused.

local Workspace = require "spec.support.workspace"
local check = require "bide.model.check.model"
local model = require "bide.model"
local models = require "spec.support.models"

local HEAD = '$version: "2.0"\nnamespace a.b\nuse smithy.waiters#waitable\n'

local function waiter(path)
  return ('@waitable(A: { acceptors: [{ state: "success", matcher: { output: { path: "%s", comparator: "stringEquals",'
    .. ' expected: "x" } } }] })\n'):format(path)
end

---The same shapes in one file, in two files of the IDL, and in two ASTs.
local forms = {
  ["one file"] = function(one, two)
    return { { file = "a.smithy", text = HEAD .. one .. "\n" .. two .. "\n" } }
  end,
  ["two files"] = function(one, two)
    return { { file = "a.smithy", text = HEAD .. one .. "\n" }, { file = "b.smithy", text = HEAD .. two .. "\n" } }
  end,
  ["a file and an AST"] = function(one, two)
    local convert = require "bide.model.convert.conversion"
    local read = assert(convert.read({ { file = "b.smithy", text = HEAD .. two .. "\n" } }, error))
    local ast = assert(convert.write(read, "ast", {}))
    return { { file = "b.json", text = ast }, { file = "a.smithy", text = HEAD .. one .. "\n" } }
  end,
}

---definitions, and the traits of a shape or a member of it
local merged = {
  { "string S", "string S", "a.b#S", {} },
  { '@documentation("x")\nstring S', "string S", "a.b#S", { ["smithy.api#documentation"] = "x" } },
  { "string S", '@documentation("x")\nstring S', "a.b#S", { ["smithy.api#documentation"] = "x" } },
  { '@documentation("x")\nstring S', '@documentation("x")\n@sensitive\nstring S', "a.b#S",
    { ["smithy.api#documentation"] = "x", ["smithy.api#sensitive"] = {} } },
  { "operation O {}", waiter("y") .. "operation O {}", "a.b#O", "waitable" },
  { waiter("y") .. "operation O {}", waiter("y") .. "operation O {}", "a.b#O", "waitable" },
  { "operation O { input: Unit }", "operation O {}", "a.b#O", {} },
  { "structure S { a: String, b: String }", "structure S {\n@required\na: String, b: String }", "a.b#S$a",
    { ["smithy.api#required"] = {} } },
  { "list S { member: String }", '@length(min: 1)\nlist S {\n@documentation("x")\nmember: String }', "a.b#S$member",
    { ["smithy.api#documentation"] = "x" } },
  { "enum S { A }", 'enum S { @documentation("x")\nA }', "a.b#S$A",
    { ["smithy.api#documentation"] = "x", ["smithy.api#enumValue"] = "A" } },
  { "service S { operations: [O, P] }\noperation O {}\noperation P {}",
    "@internal\nservice S { operations: [P, O] }\noperation O {}\noperation P {}", "a.b#S", { ["smithy.api#internal"] = {} } },
}

---definitions, and a part of what is said
local conflicts = {
  { "string S", "integer S", "the shape is defined differently in" },
  { "structure S { a: String }", "structure S { b: String }", "the shape is defined differently in" },
  { "structure S { a: String }", "structure S { a: Integer }", ": members" },
  { "structure S { a: String, b: String }", "structure S { b: String, a: String }", ": order of members" },
  { "structure S {}", "structure S { a: String }", "the shape is defined differently in" },
  { "list S { member: String }", "list S { member: Integer }", ": member" },
  { "operation S {}", "operation S { input: T }\nstructure T {}", ": input" },
  { "operation S { output := { a: String } }", "operation S { output := { b: String } }", "a.b#SOutput: the shape is defined" },
  { 'service S { version: "1" }', 'service S { version: "2" }', ": version" },
  { '@documentation("x")\nstring S', '@documentation("y")\nstring S', "the trait smithy.api#documentation is there already" },
  { 'structure S { @documentation("x")\na: String }', 'structure S { @documentation("y")\na: String }',
    "a.b#S$a: the trait smithy.api#documentation is there already" },
  { waiter("y") .. "operation O {}", waiter("z") .. "operation O {}", "the trait smithy.waiters#waitable is there already" },
  { "string S", 'apply S @documentation("x")\napply S @documentation("y")\nstring S', "the trait smithy.api#documentation" },
}

describe("a shape that is defined twice", function()
  for name, texts in pairs(forms) do
    for _, case in ipairs(merged) do
      it(("is one shape, in %s: %s / %s"):format(name, case[1], case[2]):gsub("\n", " "), function()
        local opened = model.of_texts(texts(case[1], case[2]))
        assert.equal("", models.problems(opened))
        local id, member = case[3]:match "^([^$]*)%$?(.*)$"
        local holder = opened:shape(id)
        for _, one in ipairs(holder.members) do holder = one.name == member and one or holder end
        if case[4] == "waitable" then
          assert.is_truthy(holder.traits["smithy.waiters#waitable"].A)
          assert.same({ id }, opened:waitable_ids())
        else
          assert.same(case[4], holder.traits)
        end
        local seen = {}
        for _, one in ipairs(opened.operation_ids) do
          assert.is_nil(seen[one])
          seen[one] = true
        end
      end)
    end

    for _, case in ipairs(conflicts) do
      local of_one_file = case[2]:find "apply S @doc.*apply" -- each apply of one file is a statement of that file
      if not of_one_file or name ~= "a file and an AST" then
        it(("is a conflict, in %s: %s / %s"):format(name, case[1], case[2]):gsub("\n", " "), function()
          local opened = model.of_texts(texts(case[1], case[2]))
          assert.matches(case[3], models.problems(opened), 1, true)
          for _, problem in ipairs(opened.problems) do assert.is_true(problem.line > 3) end
        end)
      end
    end
  end

  it("joins lists of a trait, and inherits them no more than once", function()
    local opened = models.of_text(HEAD .. '@tags(["a"])\nstring S\n@tags(["b"])\nstring S\napply S @tags(["c"])\n')
    assert.equal("", models.problems(opened))
    local tags = opened:shape("a.b#S").traits["smithy.api#tags"]
    table.sort(tags)
    assert.same({ "a", "b", "c" }, tags)
  end)

  it("takes members of mixins with their traits", function()
    local text = HEAD .. '@mixin\nstructure M { e: String }\nstructure S with [M] { @required\n$e }\n'
      .. 'structure S with [M] { @documentation("x")\n$e }\n'
    local opened = models.of_text(text)
    assert.equal("", models.problems(opened))
    assert.same({ ["smithy.api#required"] = {}, ["smithy.api#documentation"] = "x" }, opened:shape("a.b#S").members[1].traits)
  end)

  it("has its waiters checked, at the place of the definition that has them", function()
    local text = HEAD .. "operation O {}\n" .. waiter "nofunc(" .. "operation O {}\n"
    local events = check.check(models.of_text(text))
    assert.equal("WaitableTrait", events[1].id)
    assert.equal(5, events[1].line)
  end)

  it("has traits applied to a shape that is there", function()
    for _, target in ipairs { "T", "T$a" } do
      assert.equal(("model.smithy:4:1: a.b#%s: there is no such shape to apply traits to"):format(target),
        models.problems(models.of_text(HEAD .. ('apply %s @documentation("x")\n'):format(target))))
    end
  end)

  it("is refused in metadata as well, unless it is equal or a list", function()
    local function head(...)
      return '$version: "2.0"\n' .. table.concat({ ... }, "\n") .. "\nnamespace a.b\nstring S\n"
    end
    local function of_one(...) return models.problems(models.of_text(head(...))) end
    assert.equal("", of_one("metadata a = 1", "metadata a = 1", "metadata b = [1]", "metadata b = [2]"))
    assert.matches("3:10: the metadata a is there already", of_one("metadata a = 1", "metadata a = 2"), 1, true)
    local function of_two(one, two)
      return models.problems(model.of_texts { { file = "1.smithy", text = head(one) }, { file = "2.smithy", text = head(two) } })
    end
    assert.equal("", of_two("metadata a = [1]", "metadata a = [2]"))
    assert.matches("2.smithy:2:14: the metadata a is there already", of_two("metadata a = 1", "metadata a = 2"), 1, true)
  end)

  it("ends bide check with 1 where its waiter is broken", function()
    local workspace = Workspace.make()
    finally(function() workspace:remove() end)
    workspace:write("x.smithy", HEAD .. waiter "nofunc(" .. "operation O {}\noperation O {}\n")
    workspace:bide({ "check", "x.smithy" }):prints(1, "WaitableTrait")
  end)
end)
