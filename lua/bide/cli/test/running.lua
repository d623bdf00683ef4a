---Runs the cases of test files, in several processes if there are many. A process runs every n-th case, and prints its
---results as lines of JSON.

local cases = require "bide.cli.test.case"
local core = require "bide.core"
local coverages = require "bide.cli.test.coverage"
local exec = require "bide.exec"
local expectation = require "bide.cli.test.expectation"
local luv = require "luv"
local parser = require "bide.cli.words.parser"
local shown = require "bide.text.shown"
local vocabulary = require "bide.recipe.expression.vocabulary"

local M = {}

---@class bide.test.Result
---@field file integer the position of its file
---@field case integer the position within the file
---@field path string of the file
---@field name string
---@field faults string[] none if it is as expected
---@field path_taken string[] its attempts, of a failed case
---@field elapsed number virtual seconds
---@field record table? the outcome, where a page is asked for
---@field covered { waiter: string?, decided: integer[], unseen: string[] }
---@field renewed table<string, any> what came in place of the members of the expectation that failed

---Fewer cases are run by this process alone: another one takes longer to start.
local FEW <const> = 200

---The bytes of the results of a process at most.
local MOST_OUTPUT <const> = 1 << 30

---@return bide.test.Result
local function result_of(run, file, position, number)
  local has_failed = #run.faults > 0
  local renewed = {}
  for name in pairs(run.failing or {}) do renewed[name] = run.actual[name] end
  return {
    file = number, case = position, path = file.path, name = run.case.name, faults = run.faults,
    path_taken = has_failed and run.record and expectation.path(run) or {},
    elapsed = run.record and run.record.elapsed or 0, covered = coverages.of_run(run), renewed = renewed,
  }
end

---Calls `visit` with each case and its result.
---@param files bide.test.File[]
---@param part integer
---@param parts integer
---@param visit fun(result: bide.test.Result, run: bide.test.Run)
local function each(files, part, parts, visit)
  local count = 0
  for number, file in ipairs(files) do
    for position, case in ipairs(file.cases) do
      count = count + 1
      if count % parts == part % parts then
        local run = cases.run(case, file)
        visit(result_of(run, file, position, number), run)
      end
    end
  end
end

---Prints the results of a part of the cases, for the process that began this one.
---@param files bide.test.File[]
---@param part string "2/4"
---@return integer code
function M.print_part(files, part)
  local number, of = part:match "^(%d+)/(%d+)$"
  if not number then parser.fail "--part is for bide itself" end
  each(files, tonumber(number), tonumber(of), function(result)
    shown.print_document(assert(core.json.encode(result)) .. "\n")
  end)
  return 0
end

---@param files bide.test.File[]
---@return integer
local function count_cases(files)
  local count = 0
  for _, file in ipairs(files) do count = count + #file.cases end
  return count
end

---Runs a command in several processes at once, each with a further word. This one waits meanwhile: a task that did not would
---be ended after some seconds.
---@param command string[]
---@param words string[]
---@return string[] outputs
local function run_beside(command, words)
  local waker, outputs, left, failure = core.task.waker(), {}, #words, nil
  local function run(position)
    local own = table.move(command, 1, #command, 1, { output_limit = MOST_OUTPUT })
    own[#own + 1] = words[position]
    return exec(own)
  end
  local function ended(position, how, done)
    if how ~= "returned" then failure = failure or done or how end
    outputs[position], left = done, left - 1
    if left == 0 then waker() end
  end
  for position in ipairs(words) do core.task.start(run, ended, nil, position) end
  core.task.pause(waker)
  if failure then error(failure, 0) end
  return outputs
end

---@return bide.test.Result[]
local function run_in_processes(files, count)
  local command, parts, results = { assert(luv.exepath()), "test" }, {}, {}
  for _, file in ipairs(files) do command[#command + 1] = file.path:find "^%-" and "./" .. file.path or file.path end
  for part = 1, count do parts[part] = ("--part=%d/%d"):format(part, count) end
  for part, done in ipairs(run_beside(command, parts)) do
    for line in done.stdout:gmatch "[^\n]+" do results[#results + 1] = assert(core.json.decode(line)) end
    if done.code ~= 0 then
      parser.fail(("process %d of %d ended with %d: %s"):format(part, count, done.code, done.stderr))
    end
  end
  if #results ~= count_cases(files) then
    parser.fail(("expected the results of %d cases, found those of %d: do the test files make other cases each time?"):format(
      count_cases(files), #results))
  end
  table.sort(results, function(a, b)
    if a.file ~= b.file then return a.file < b.file end
    return a.case < b.case
  end)
  return results
end

---Loads a recipe, whose names are not left for others.
---@return bide.Recipe|false
local function load_apart(place)
  local restore = vocabulary.keep(vocabulary.common)
  local recipe = require("bide").load(place)
  restore()
  return recipe or false
end

---Adds what results cover. Each recipe is loaded once more, for the waiters that have no case.
local function coverage_of(files, results)
  local coverage, recipes = coverages.new(), {}
  for _, result in ipairs(results) do
    local place = files[result.file].recipe
    if recipes[place] == nil then recipes[place] = load_apart(place) end
    if recipes[place] then coverage:add(recipes[place], place, result.covered) end
  end
  return coverage
end

---Runs all cases.
---@param files bide.test.File[]
---@param options table of the command line
---@return bide.test.Result[]
---@return bide.test.Coverage
function M.run(files, options)
  local results, jobs = {}, options.jobs or #luv.cpu_info()
  local keeps_records = require("bide.cli.test.results").shows_waits(options.output)
  if not keeps_records and jobs > 1 and (options.jobs or count_cases(files) >= FEW) and (luv.exepath() or ""):find "bide$" then
    results = run_in_processes(files, jobs)
  else
    each(files, 1, 1, function(result, run)
      results[#results + 1] = result
      result.record = keeps_records and run.record or nil
    end)
  end
  return results, coverage_of(files, results)
end

return M
