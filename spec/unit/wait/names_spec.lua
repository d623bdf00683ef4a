---What the core has a name for, each Lua table has a row for: a comparator that one of them lacked ended in a traceback, and
---no spec noticed it.

local comparators = require "bide.recipe.waiter.comparators"
local core = require "bide.core"
local exit_code = require "bide.cli.ending.exit_code"
local matchers = require "bide.recipe.waiter.matchers"
local option = require "bide.text.option"
local paths = require "bide.model.check.paths"
local reasons = require "bide.wait.reasons"
local trait = require "bide.model.check.trait"

local names = core.wait.names()

---Returns a matcher whose expected value each comparator takes.
local function matcher_of(comparator)
  return { output = { path = "state", comparator = comparator, expected = "true" } }
end

---A value that no comparator matches, and its static type.
local WRONG, TYPE_OF_WRONG = 5, "number"

describe("a table with a row for each name of the core", function()
  it("is refused when it lacks one, or has another", function()
    local listed = { "a", "b" }
    option.check_rows("comparator", { a = {}, b = {} }, listed)
    assert.error_matches(function() option.check_rows("comparator", { a = {} }, listed) end, "no row for the comparator b")
    assert.error_matches(function() option.check_rows("reason", { a = {}, b = {}, c = {} }, listed) end, "no reason c")
  end)
end)

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

      it("is judged, if there is a rule for it", function()
        if not core.jmespath.rules[comparator] then return end
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

describe("the names of reasons", function()
  it("are those of the core and of a wait without a decision", function()
    assert.same({ "acceptor", "cancelled", "ended", "maxAttempts", "maxWait", "scriptError", "unmatchedError" },
      option.sorted_names(reasons.rows))
  end)

  it("have an exit code of their own each, but ended is a failure; that of a cancelled wait is the signal's", function()
    assert.equal(reasons.rows.acceptor.exit_code, reasons.rows.ended.exit_code)
    local seen = {}
    for name, row in pairs(reasons.rows) do
      assert.equal(name == "cancelled", row.exit_code == nil)
      if row.exit_code then
        assert.is_true(not seen[row.exit_code] or name == "ended" or seen[row.exit_code] == "ended")
        seen[row.exit_code] = name
        assert.equal(row.exit_code, exit_code.of { state = "failure", reason = name })
      end
    end
  end)

  it("are documented", function()
    local file <close> = assert(io.open "docs/reference/outcome.md")
    local row, documented = file:read("a"):match "\n| `reason` | ([^\n]*) |\n", {}
    for name in row:gmatch "`(%a+)`" do documented[#documented + 1] = name end
    table.sort(documented)
    assert.same(option.sorted_names(reasons.rows), documented)
  end)
end)
