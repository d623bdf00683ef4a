---What the core has a name for, each Lua table has a row for: a comparator that one of them lacked ended in a traceback, and
---no spec noticed it.

local comparators = require "bide.recipe.comparators"
local core = require "bide.core"
local exit_code = require "bide.cli.exit_code"
local matchers = require "bide.recipe.matchers"
local option = require "bide.text.option"
local outcome = require "bide.wait.outcome"
local paths = require "bide.model.check.paths"
local schema = require "bide.record.journal.schema"
local trait = require "bide.model.check.trait"

local names = core.wait.names()

---Returns a matcher whose expected value each comparator takes.
local function matcher_of(comparator)
  return { output = { path = "state", comparator = comparator, expected = "true" } }
end

---A value that no comparator matches, and its static type.
local WRONG, TYPE_OF_WRONG = 5, "number"

describe("the names of comparators", function()
  it("are those of Smithy", function()
    assert.same({ "stringEquals", "booleanEquals", "allStringEquals", "anyStringEquals" }, names.comparators)
  end)

  for _, comparator in ipairs(names.comparators) do
    describe(comparator, function()
      it("may be in a definition", function()
        assert.truthy(core.wait.definition(1, 1, { { state = "success", matcher = matcher_of(comparator) } }))
      end)

      it("may be in a recipe", function()
        local found = {}
        matchers.check(true)(found, "matcher", matcher_of(comparator))
        assert.same({}, found)
      end)

      it("is explained where it can never match", function()
        assert.string(comparators.wanted_by_path(matcher_of(comparator).output, WRONG))
      end)

      it("may be in a trait", function()
        local found = {}
        local acceptor = { state = "success", matcher = matcher_of(comparator) }
        trait.check({ Ready = { acceptors = core.json.array { acceptor } } }, function(event) found[#found + 1] = event end)
        assert.same({}, found)
      end)

      it("is checked beside the shapes of a model", function()
        local found = {}
        local place = { waiter = "Ready", acceptor = 0, path = "" }
        local member = { path = "`5`", comparator = comparator, expected = "true" }
        paths.check_matcher(function(event) found[#found + 1] = event.id end, place, member, TYPE_OF_WRONG)
        assert.same({ "WaitableTraitJmespathProblem.ReturnTypeMismatch.Ready.0" }, found)
      end)

      it("is a rule by which an expression is judged", function()
        assert.equal("never-yes", (core.jmespath.compile("`5`"):judge(comparator, "true")))
      end)
    end)
  end
end)

describe("the names of states", function()
  it("are those of Smithy", function() assert.same({ "success", "failure", "retry" }, names.states) end)

  it("may be in a definition, and no other", function()
    for _, state in ipairs(names.states) do
      assert.truthy(core.wait.definition(1, 1, { { state = state, matcher = { success = true } } }))
    end
    assert.has_error(function() core.wait.definition(1, 1, { { state = "succes", matcher = { success = true } } }) end)
  end)
end)

---Returns the reasons of the core and of Lua, sorted.
local function all_reasons()
  local all = { "cancelled", "scriptError", table.unpack(names.reasons) }
  table.sort(all)
  return all
end

describe("the names of reasons", function()
  it("are the same in the journal", function()
    local kept = { table.unpack(schema.reasons) }
    table.sort(kept)
    assert.same(all_reasons(), kept)
  end)

  it("have a sentence each", function() assert.same(all_reasons(), outcome.reasons()) end)

  it("have an exit code each; that of a cancelled wait is the signal's", function()
    local with_code = option.sorted_names(exit_code.by_reason)
    table.insert(with_code, "cancelled")
    table.sort(with_code)
    assert.same(all_reasons(), with_code)
  end)

  it("are documented", function()
    local file <close> = assert(io.open "docs/reference/outcome.md")
    local row, documented = file:read("a"):match "\n| `reason` | ([^\n]*) |\n", {}
    for name in row:gmatch "`(%a+)`" do documented[#documented + 1] = name end
    table.sort(documented)
    assert.same(all_reasons(), documented)
  end)
end)
