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

---Returns what a pattern finds in a text, sorted.
local function quoted(text, pattern)
  local found = {}
  for name in text:gmatch(pattern) do found[#found + 1] = name end
  table.sort(found)
  return found
end

---Returns what follows a text in a file, up to the end of its line.
local function rest_of_line(name, text)
  local file <close> = assert(io.open(name))
  local all = file:read "a"
  local _, last = all:find(text, 1, true)
  return all:match("[^\n]*", assert(last, name) + 1)
end

---Reports whether help explains an exit code.
local function is_explained(code)
  for _, row in ipairs(exit_code.meanings) do
    if row[1] == tostring(code) then return true end
  end
  return false
end

---A value that no comparator matches, and its static type.
local WRONG, TYPE_OF_WRONG = 5, "number"

describe("a table with a row for each name of the core", function()
  it("is refused when it lacks one, or has another", function()
    local listed = { "a", "b" }
    option.check_rows("comparator", { a = {}, b = {} }, listed)
    assert.error_matches(function() option.check_rows("comparator", { a = {} }, listed) end, "no row for the comparator b")
    assert.error_matches(function() option.check_rows("reason", { a = {}, b = {}, c = {} }, listed) end, "no reason c")
    assert.error_matches(function() option.check_rows("reason", { maxWiat = {} }, { "maxWait" }) end,
      "no reason maxWiat; did you mean maxWait%?")
  end)
end)

describe("the names of comparators", function()
  it("are those of Smithy", function()
    assert.same({ "stringEquals", "booleanEquals", "allStringEquals", "anyStringEquals" }, names.comparators)
  end)

  it("are annotated and documented", function()
    local rows = option.sorted_names(comparators.rows)
    assert.same(rows, quoted(rest_of_line("lua/bide/recipe/waiter/comparators.lua", "@alias bide.ComparatorName "), '"(%a+)"'))
    assert.same(rows, quoted(rest_of_line("docs/reference/recipe-format.md", "in the output compares: "), "`(%a+)`"))
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

  for name, row in pairs(reasons.rows) do
    it(name .. " has a sentence, an exit code and JUnit's kind; those of a cancelled wait depend on what cancelled it", function()
      assert.is_function(row.sentence, "sentence")
      if name == "cancelled" then return assert.same({ sentence = row.sentence }, row) end
      assert.is_true(row.junit == "failure" or row.junit == "error", "junit")
      assert.is_number(row.exit_code, "exit_code")
      assert.equal(row.exit_code, exit_code.of { state = "failure", reason = name })
      assert(is_explained(row.exit_code), "exit_code.meanings has no row for " .. row.exit_code)
      local fleet = { state = "failure", needed = 1, count = 1, records = { { state = "failure", reason = name } } }
      local is_ranked, worst = pcall(exit_code.of_fleet, fleet, nil, nil, true)
      assert(is_ranked, "worst_first in exit_code.lua lacks " .. row.exit_code)
      assert.equal(row.exit_code, worst)
    end)
  end

  it("have an exit code of their own each, but ended is a failure", function()
    local shared = {}
    for _, name in ipairs(option.sorted_names(reasons.rows)) do
      local code = reasons.rows[name].exit_code
      for _, other in ipairs(option.sorted_names(reasons.rows)) do
        if code and other < name and reasons.rows[other].exit_code == code then shared[#shared + 1] = other .. ", " .. name end
      end
    end
    assert.same({ "acceptor, ended" }, shared)
  end)

  it("are annotated and documented", function()
    local rows = option.sorted_names(reasons.rows)
    assert.same(rows, quoted(rest_of_line("lua/bide/wait/reasons.lua", "@alias bide.ReasonName "), '"(%a+)"'))
    assert.same(rows, quoted(rest_of_line("docs/reference/outcome.md", "| `reason` | "), "`(%a+)`"))
  end)
end)
