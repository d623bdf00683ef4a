---What makes a recipe good is its list of transient and of final errors. Half of the words of these lists could be dropped
---without any spec failing; spec/unit/recipe/verdicts.lua has them all, and answers.lua what decides by an output. They are
---tried here without any service.

local answers = require "spec.unit.recipe.answers"
local bide = require "bide"
local error_class = require "bide.error_class"
local matchers = require "bide.recipe.waiter.matchers"
local json = require("bide.core").json
local uv = require "luv"
local verdict = require "spec.support.verdict"
local verdicts = require "spec.unit.recipe.verdicts"

local VERDICTS = { "success", "failure", "retry" }

---Returns the names of the files in scripts, sorted.
local function recipes()
  local names, folder = {}, assert(uv.fs_scandir "scripts")
  for file in function() return uv.fs_scandir_next(folder) end do names[#names + 1] = file:match "^(.*)%.lua$" end
  table.sort(names)
  return names
end

---The recipes whose operations ask nobody but this machine: no connection of theirs can break off.
local asks_nobody = { connections = true, file = true, process = true }

---Returns the rows of a waiter: the verdict for each word, and those that no row has to say.
local function rows_of(name, given)
  local rows, known = {
    { word = "ConnectionReset", wanted = asks_nobody[name] and "unmatchedError" or "retry" },
    { word = "NobodyKnows", wanted = "unmatchedError" },
  }, {}
  for _, listed in ipairs { verdicts[name], given } do
    for _, wanted in ipairs(VERDICTS) do
      for word in (listed[wanted] or ""):gmatch "%S+" do
        assert(not known[word], word .. " is listed twice")
        rows[#rows + 1], known[word] = { word = word, wanted = wanted }, true
      end
    end
  end
  return rows
end

---Returns the first answer on which the verdict of acceptors is another one, in words; nil if all are as they should be.
local function difference_of_answers(acceptors, rows)
  for _, row in ipairs(rows) do
    local found = verdict.of(acceptors, nil, row[3], row[2])
    if found ~= row[1] then return ("%s: expected %s, found %s"):format(json.encode(row[2]), row[1], found) end
  end
end

---Returns the first row on which the verdict of acceptors is another one, in words; nil if all are as they should be.
local function difference(acceptors, case)
  for _, row in ipairs(case.errors) do
    local found = verdict.of(acceptors, verdict.error(row.word), case.input)
    if found ~= row.wanted then return ("%s: expected %s, found %s"):format(row.word, row.wanted, found) end
  end
  local found = case.answer and verdict.of(acceptors, nil, case.input)
  if found ~= case.answer then return ("an answer: expected %s, found %s"):format(case.answer, found) end
  return difference_of_answers(acceptors, case.answers)
end

---Reports whether what an acceptor decides is listed. Matchers that conditions of the command line or inputs make have
---specs of their own.
local function is_listed(acceptor)
  local matcher = acceptor.matcher
  return not matcher.lua or matchers.subject_of(acceptor) == "error"
end

local function output_of(acceptor)
  return acceptor.matcher.output or acceptor.matcher.inputOutput or acceptor.matcher.expect
end

---Reports whether the outputs that an acceptor decides on would be decided equally by one behind it, for any answer.
local function is_repeated(acceptors, at)
  if not output_of(acceptors[at]) then return false end
  for later = at + 1, #acceptors do
    local acceptor = acceptors[later]
    if acceptor.matcher.success then return acceptor.state == acceptors[at].state end
    if output_of(acceptor) and acceptor.state ~= acceptors[at].state then return false end
  end
  return false
end

---Returns copies of acceptors, each without one thing: an acceptor, or a type of a list of transient ones that neither an
---acceptor before it decides nor all recipes take as transient.
local function mutants_of(acceptors)
  local mutants, decided = {}, {}
  local function add(what, at, replacement)
    local copy = table.move(acceptors, 1, #acceptors, 1, {})
    if replacement then copy[at] = replacement else table.remove(copy, at) end
    mutants[#mutants + 1] = { what = what, acceptors = copy }
  end
  for at, acceptor in ipairs(acceptors) do
    local types = { error_class.types_of(acceptor.matcher.lua) }
    if is_listed(acceptor) and not is_repeated(acceptors, at) then add("acceptor " .. at, at) end
    if acceptor.matcher.errorType then decided[acceptor.matcher.errorType] = true end
    for position, name in ipairs(types) do
      local others = table.move(types, 1, #types, 1, {})
      table.remove(others, position)
      local matcher = { lua = error_class.matcher(table.unpack(others)) }
      if not decided[name] and not error_class.is_transient { type = name } then
        add(name, at, { state = acceptor.state, matcher = matcher })
      end
    end
  end
  return mutants
end

---Returns the types of errors that acceptors name, as a set.
local function types_of(acceptors)
  local found = {}
  for _, acceptor in ipairs(acceptors) do
    if acceptor.matcher.errorType then found[acceptor.matcher.errorType] = true end
    for _, name in ipairs { error_class.types_of(acceptor.matcher.lua) } do found[name] = true end
  end
  return found
end

describe("the verdicts of", function()
  for _, name in ipairs(recipes()) do
    describe(name, function()
      local listed, recipe = {}, nil

      local function add(waiter, given)
        assert(not listed[waiter], waiter .. " is listed twice")
        listed[waiter] = {
          errors = rows_of(name, given), answer = given.answer, input = given.input,
          answers = answers[name .. " " .. waiter] or {},
        }
      end

      setup(function()
        recipe = bide.load(name)
        for waiters, given in pairs(verdicts[name] or {}) do
          for waiter in (type(given) == "table" and waiters or ""):gmatch "%S+" do add(waiter, given) end
        end
      end)

      it("are listed for each waiter, and for no other", function()
        for waiter in pairs(recipe.waiters) do assert(listed[waiter], waiter .. " has no row in verdicts.lua") end
        for waiter in pairs(listed) do assert(recipe.waiters[waiter], waiter .. " is not a waiter") end
      end)

      it("are those of its acceptors", function()
        for waiter, case in pairs(listed) do
          local mistake = difference(recipe.waiters[waiter].acceptors, case)
          assert(not mistake, ("%s: %s"):format(waiter, mistake))
        end
      end)

      it("have each type that an acceptor names", function()
        for waiter, case in pairs(listed) do
          local words = {}
          for _, row in ipairs(case.errors) do words[row.word] = true end
          for type_of_error in pairs(types_of(recipe.waiters[waiter].acceptors)) do
            assert(words[type_of_error], ("%s: the error %s has no verdict"):format(waiter, type_of_error))
          end
        end
      end)

      it("differ if an acceptor lacks something", function()
        for waiter, case in pairs(listed) do
          for _, mutant in ipairs(mutants_of(recipe.waiters[waiter].acceptors)) do
            assert(difference(mutant.acceptors, case), ("%s: nothing needs %s"):format(waiter, mutant.what))
          end
        end
      end)
    end)
  end

  it("answers are of waiters that there are", function()
    for name in pairs(answers) do
      local recipe, waiter = name:match "^(%S+) (%S+)$"
      assert(bide.load(recipe).waiters[waiter], name .. " is not a waiter")
    end
  end)
end)
