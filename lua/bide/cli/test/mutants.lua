---Mutants: waiters with one change each. A change that no case notices shows what the cases do not test.

local cases = require "bide.cli.test.case"
local exit_code = require "bide.cli.ending.exit_code"
local matchers = require "bide.recipe.waiter.matchers"
local shown = require "bide.text.shown"
local tables = require "bide.text.tables"
local waiters = require "bide.wait.waiter"

local M = {}

---A change of a waiter.
---@class bide.test.Mutant
---@field words string "without acceptor 2: …"
---@field change fun(waiter: bide.Waiter): bide.Waiter
---@field equivalent string? the rule by which no case can notice it

-- ---- equivalent changes ------------------------------------------------------------------------

---Returns why an acceptor is never asked: an earlier one matches all that it may match.
---@param acceptors bide.AcceptorStructure[]
---@return string?
local function shadow_of(acceptors, position)
  local subject, words = matchers.subject_of(acceptors[position]), matchers.words(acceptors[position])
  for earlier = 1, position - 1 do
    local success = acceptors[earlier].matcher.success
    if success == true and subject == "output" or success == false and subject == "error" then
      return ("acceptor %d matches all that it may match"):format(earlier)
    end
    if subject ~= "any" and matchers.words(acceptors[earlier]) == words then
      return ("acceptor %d matches the same"):format(earlier)
    end
  end
end

---Returns why nothing changes without an acceptor: an output that none matches is tried again as well.
---@param acceptors bide.AcceptorStructure[]
---@return string?
local function needlessness_of(acceptors, position)
  if acceptors[position].state ~= "retry" or matchers.subject_of(acceptors[position]) ~= "output" then return nil end
  for later = position + 1, #acceptors do
    if matchers.subject_of(acceptors[later]) ~= "error" and acceptors[later].state ~= "retry" then return nil end
  end
  return "an output that no acceptor matches is tried again, too"
end

-- ---- changes ------------------------------------------------------------------------------------

---An error that no operation raises.
local NEVER <const> = "NO_ERROR_OF_ANY_OPERATION"

---Returns a change of the acceptor at a position.
---@param members table<string, any> of the acceptor that differ
local function with_acceptor(position, members)
  return function(waiter)
    local list = tables.joined(waiter.acceptors)
    list[position] = tables.merged(list[position], members)
    return waiters.with_acceptors(waiter, list)
  end
end

---Returns a change of a delay.
---@param member "min_delay"|"max_delay"
---@param delay integer milliseconds
local function with_delay(member, delay)
  return function(waiter)
    local changed = waiters.with_acceptors(waiter, waiter.acceptors)
    changed[member] = delay
    changed.max_delay = math.max(changed.min_delay, changed.max_delay)
    return waiters.with_acceptors(changed, changed.acceptors)
  end
end

local flipped = { success = "failure", failure = "success", retry = "failure" }

local delays = { { member = "min_delay", name = "minDelay" }, { member = "max_delay", name = "maxDelay" } }

---Returns the mutants of a waiter.
---@param waiter bide.Waiter
---@return bide.test.Mutant[]
local function of(waiter)
  local list, acceptors = {}, waiter.acceptors
  for position, acceptor in ipairs(acceptors) do
    local shadow, words = shadow_of(acceptors, position), ("acceptor %d (%s, %s)"):format(position, acceptor.state,
      matchers.words(acceptor))
    list[#list + 1] = {
      words = "without " .. words, change = with_acceptor(position, { matcher = { errorType = NEVER } }),
      equivalent = shadow or needlessness_of(acceptors, position),
    }
    local state = flipped[acceptor.state]
    list[#list + 1] = {
      words = ("%s as %s"):format(words, state), change = with_acceptor(position, { state = state }), equivalent = shadow,
    }
  end
  for _, row in ipairs(delays) do
    local delay = waiter[row.member]
    list[#list + 1] = { words = ("twice %s"):format(row.name), change = with_delay(row.member, delay * 2) }
    list[#list + 1] = {
      words = ("half of %s"):format(row.name), change = with_delay(row.member, math.max(delay // 2, 1)),
      equivalent = row.member == "max_delay" and waiter.min_delay == delay and "maxDelay is not below minDelay" or nil,
    }
  end
  return list
end

-- ---- running ------------------------------------------------------------------------------------

---The members of an expectation by which a case notices a mutant.
local telling = { "state", "reason", "attempts", "delays", "message", "matches" }

local function notices(case, file, mutant)
  local run = cases.run(case, file, mutant.change)
  for _, name in ipairs(telling) do
    if run.failing and run.failing[name] then return true end
  end
  return false
end

---@class bide.test.Tested
---@field waiter bide.Waiter
---@field cases { case: bide.test.Case, file: bide.test.File }[]

---Runs the cases as they are, and sorts them by their waiters.
---@param files bide.test.File[]
---@return table<string, bide.test.Tested> tested
---@return string[] keys in the order of the files
---@return string[] faults of cases that fail without a mutation
local function sort_cases(files)
  local tested, keys, faults, known = {}, {}, {}, {}
  local function add(place, waiter)
    local key = ("%s %s"):format(place, waiter.name)
    if not tested[key] then tested[key], keys[#keys + 1] = { waiter = waiter, cases = {} }, key end
    return tested[key]
  end
  for _, file in ipairs(files) do
    for _, case in ipairs(file.cases) do
      local run = cases.run(case, file)
      if #run.faults > 0 then faults[#faults + 1] = ("%s: %s: %s"):format(file.path, case.name, run.faults[1]) end
      if run.recipe and not known[file.recipe] then
        known[file.recipe] = true
        for _, name in ipairs(run.recipe.names) do add(file.recipe, run.recipe.waiters[name]) end
      end
      if run.waiter then table.insert(add(file.recipe, run.waiter).cases, { case = case, file = file }) end
    end
  end
  return tested, keys, faults
end

---Tries a mutant on the cases of its waiter; the case that noticed the one before it comes first.
local function is_noticed(one, mutant)
  for position, entry in ipairs(one.cases) do
    if notices(entry.case, entry.file, mutant) then
      table.insert(one.cases, 1, table.remove(one.cases, position))
      return true
    end
  end
  return false
end

---Tries all mutants, and reports those that no case notices.
---@param files bide.test.File[]
---@return integer code
function M.run(files)
  local tested, keys, faults = sort_cases(files)
  if #faults > 0 then
    shown.note_in_lines(table.concat(faults, "\n"))
    shown.complain "cases fail without a mutation: mend them first"
    return exit_code.FAILURE
  end
  local count = { noticed = 0, equivalent = 0, unnoticed = 0 }
  for _, key in ipairs(keys) do
    local one = tested[key]
    for _, mutant in ipairs(of(one.waiter)) do
      local kind = mutant.equivalent and "equivalent" or is_noticed(one, mutant) and "noticed" or "unnoticed"
      count[kind] = count[kind] + 1
      if kind == "unnoticed" and #one.cases > 0 then shown.print(("%s: %s: no case notices it"):format(key, mutant.words)) end
      if kind == "equivalent" then shown.print(("%s: %s: equivalent, since %s"):format(key, mutant.words, mutant.equivalent)) end
    end
    if #one.cases == 0 then shown.print(key .. ": it has no case") end
  end
  shown.print(("%d mutants: %d noticed, %d equivalent, %d that no case notices"):format(
    count.noticed + count.equivalent + count.unnoticed, count.noticed, count.equivalent, count.unnoticed))
  return count.unnoticed == 0 and exit_code.SUCCESS or exit_code.FAILURE
end

return M
