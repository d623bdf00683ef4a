---Finds the run that asks the same question as the command and whose outcome was not reported, and resumes its recorded
---waits in place of the prepared ones.

local checked = require "bide.record.journal.checked"
local core = require "bide.core"
local ended_waits = require "bide.record.journal.ended_waits"
local moment = require "bide.record.journal.moment"
local questions = require "bide.record.journal.question"
local reasons = require "bide.wait.reasons"
local runs = require "bide.record.journal.runs"
local shown = require "bide.text.shown"
local sources = require "bide.record.journal.sources"
local stored_outcome = require "bide.record.stored_outcome"
local waiters = require "bide.wait.waiter"

local json = core.json

---The runs that have not ended, or whose outcomes were not reported.
local find_runs = "SELECT * FROM run WHERE ended IS NULL OR reported IS NULL ORDER BY id"

---Returns the rows of the waits of a run. Ends the transaction if their number is wrong.
local function waits_of(journal, query, run, count)
  local waits = checked.waits(journal, query, run.id)
  for position, row in ipairs(waits) do
    if row.position ~= position then journal.refuse("it is broken: run %d has no wait %d", run.id, position) end
    if row.outcome and not row.rank then row.rank = position end -- of the last release
  end
  if #waits ~= count then journal.refuse("it is broken: run %d: expected %d waits, found %d", run.id, count, #waits) end
  return waits
end

---Ends the transaction if a run is not what was written when it began: it is found by that.
local function check_seal(journal, run, waits)
  local tokens = {}
  for position, row in ipairs(waits) do tokens[position] = row.token or "" end
  local is_of_old = not run.seal and not run.question
  if not is_of_old and run.seal ~= runs.seal(run, tokens) then
    journal.refuse("it is damaged: run %d is not what was begun; `bide journal prune %d --journal FILE` forgets it",
      run.id, run.id)
  end
end

---Reports whether a run has the tokens that the caller gave.
local function has_tokens(waits, prepared)
  for position, row in ipairs(waits) do
    local wait = prepared[position]
    if wait.token and not wait.is_new_token and wait.token ~= row.token then return false end
  end
  return true
end

local function most_attempts(waits)
  local most = 0
  for _, row in ipairs(waits) do most = math.max(most, row.attempts) end
  return most
end

---Words for the parts that a run of an older release did not record. Such a run is continued, since it asks anew. What had
---ended in it does not count.
local UNKNOWN = "what its release did not record"

---Reports whether a run, or a wait of it, has ended.
local function has_ended(query, run)
  return run.ended ~= nil
    or query("SELECT count(*) AS count FROM wait WHERE run = ? AND outcome IS NOT NULL", run.id)[1].count > 0
end

---Returns waits as an earlier release would have begun them: the options of the command line had another meaning, which
---their journals keep. Returns nil if there is no difference.
local function as_earlier(prepared)
  local earlier, differs = {}, false
  for position, wait in ipairs(prepared) do
    local waiter = waiters.variant(wait.waiter, "earlier")
    differs = differs or waiter ~= wait.waiter
    earlier[position] = { waiter = waiter, input = wait.input, token = wait.token, is_new_token = wait.is_new_token }
  end
  return differs and earlier or nil
end

---Reports whether a run of an older release was begun with the inputs and the conditions of waits.
local function has_inputs(run, what, waits)
  return run.inputs == runs.inputs_of(what, waits) or run.inputs == runs.inputs_of(what, waits, true)
end

---Returns the words for the parts of the question in which a run of an older release differs. A run whose conditions have
---the meaning of that release gets its waits with these, as `earlier`.
local function differences_of_old(query, run, what, prepared)
  if run.recipe ~= what.recipe then return { "the recipe" } end
  if run.waiter ~= what.waiter then return { "the waiter" } end
  local earlier = as_earlier(prepared)
  if earlier and has_inputs(run, what, earlier) then
    run.earlier = earlier
  elseif not has_inputs(run, what, prepared) then
    return { "the input or the conditions" }
  end
  return has_ended(query, run) and { UNKNOWN } or {}
end

---Returns the words for the parts of the question in which a run differs; none if it asks the same.
local function differences_of(query, run, what, prepared)
  if run.question then return what.question:differences(run.question, has_ended(query, run)) end
  return differences_of_old(query, run, what, prepared)
end

---@class bide.journal.Candidates
---@field found table[] the runs that ask the same and can be resumed
---@field running table? one that asks the same, and that another process is running
---@field nearest { run: table, differences: string[] }? the run that differs in the fewest parts

---@return bide.journal.Candidates
local function find(journal, query, what, prepared)
  local candidates = { found = {} }
  for _, run in ipairs(checked.rows(journal, "run", query(find_runs))) do
    local differences = differences_of(query, run, what, prepared)
    if #differences == 0 then
      run.waits = waits_of(journal, query, run, #prepared)
      check_seal(journal, run, run.waits)
      run.attempts = most_attempts(run.waits)
      if not has_tokens(run.waits, prepared) then differences = { "the token" } end
    end
    local nearest = candidates.nearest
    if #differences > 0 then
      if not nearest or #differences <= #nearest.differences then
        candidates.nearest = { run = run, differences = differences }
      end
    elseif journal:is_alive(run.owner) then
      candidates.running = run
    else
      table.insert(candidates.found, run)
    end
  end
  return candidates
end

---Ends the transaction if the caller gave limits that are not those of the run.
local function check_limits(journal, run, prepared)
  for position, row in ipairs(run.waits) do
    local mistake = row.limits and questions.mistake_of_limits(row.limits, prepared[position].limits, run.id)
    if mistake then journal.refuse("%s", mistake) end
  end
end

---Ends the transaction if the journal is damaged: a run that is missing in it is not a reason to begin its wait again.
local function check_whole(journal, query)
  local found = query("PRAGMA quick_check(1)")[1].quick_check
  if found ~= "ok" then journal.refuse("it is damaged: %s", tostring(found)) end
  for _, run in ipairs(checked.rows(journal, "run", query "SELECT * FROM run WHERE reported IS NULL")) do
    check_seal(journal, run, query("SELECT token FROM wait WHERE run = ? ORDER BY position", run.id))
  end
end

---Returns the run to resume; nil if there is none, and the nearest one.
local function choose(journal, query, what, prepared)
  local candidates = find(journal, query, what, prepared)
  local found, running = candidates.found, candidates.running
  if #found == 0 and running then
    journal.refuse("process %d waits for this already, as run %d", running.process, running.id)
  end
  if #found == 0 then check_whole(journal, query) end
  if #found < 2 then return found[1], candidates.nearest end
  local lines = { "which run is to be resumed? `bide journal prune RUN --journal FILE` forgets one of" }
  for _, run in ipairs(found) do
    lines[#lines + 1] = ("  run %d, begun %s, %d attempts"):format(run.id,
      os.date("!%Y-%m-%dT%H:%M:%SZ", run.began // 1000), run.attempts)
  end
  journal.refuse("%s", table.concat(lines, "\n"))
end

---@return bide.Waiter[] those of waits, each once
local function waiters_of(waits)
  local list, known = {}, {}
  for _, wait in ipairs(waits) do
    if not known[wait.waiter] then list[#list + 1], known[wait.waiter] = wait.waiter, true end
  end
  return list
end

local function check_sources(journal, run, what)
  local now = {}
  for _, source in ipairs(run.earlier and sources.of(waiters_of(run.earlier)) or what.sources) do
    now[source.name] = source.fingerprint
  end
  local function refuse(name, mistake)
    journal.refuse("%s %s, so that it cannot be resumed; `bide journal prune %d --journal FILE` forgets it", shown.line(name),
      mistake:format(run.id), run.id)
  end
  for _, source in ipairs((json.decode(run.sources))) do
    if not now[source.name] then refuse(source.name, "was part of run %d, and is not given now") end
    if now[source.name] ~= source.fingerprint then refuse(source.name, "has changed since run %d began") end
    now[source.name] = nil
  end
  local further = run.question and next(now) -- an older release knew fewer
  if further then refuse(further, "was not part of run %d") end
end

local function document(text)
  return text and assert(json.read(text)) or nil
end

-- ---- what a row cannot be --------------------------------------------------------------------

-- The seal of a run does not have what changes with each attempt. A row that somebody has edited, or put in the place of
-- another one, is found by what it says twice.

---Reports whether a recorded input is that of a wait, apart from its token.
---@param before any
---@param wait bide.PreparedWait
local function is_input_of(before, wait)
  local now = json.decode(runs.shown_input(wait))
  local member = wait.waiter.token_member
  if member and type(before) == "table" and type(now) == "table" then before[member], now[member] = nil, nil end
  return stored_outcome.is_same_input(before, now)
end

---Reports whether a state has the limits that were recorded beside it.
---@param state string
---@param limits string JSON
local function has_limits(state, limits)
  local numbers = questions.numbers_of(state)
  for name, value in pairs((json.decode(limits))) do
    if name ~= "last_spread" and numbers[name] and numbers[name] ~= value then return false end
  end
  return true
end

---Reports whether a history ends with the attempt that the wait made last.
local function ends_with(history, attempts)
  for position = 2, #history do
    if history[position].attempt <= history[position - 1].attempt then return false end
  end
  return attempts == (#history > 0 and history[#history].attempt or 0)
end

---Reports whether the waiter can have this outcome.
---@param outcome userdata
---@param wait bide.PreparedWait
local function is_end_of(outcome, wait)
  local ended = outcome:value()
  local acceptor = wait.waiter.acceptors[ended.acceptor]
  return reasons.can_end(wait.waiter, ended) and ended.name == (acceptor and acceptor.name)
end

---Ends the transaction if a row is not that of the wait, or contradicts itself. Older releases recorded less.
---@param what bide.RunDescription
---@param row table decoded
---@param state userdata
---@param wait bide.PreparedWait
local function check_row(journal, what, run, row, state, wait)
  local function check(is_right, column)
    if not is_right then
      journal.refuse("it is broken: wait.%s of wait %d of run %d is not what bide wrote", column, row.position, run.id)
    end
  end
  if row.outcome then check(is_end_of(row.outcome, wait), "outcome") end
  check(not row.token or wait.waiter.token_member, "token")
  if not run.question then return end
  local recipe, name = runs.own_waiter(what, wait.waiter)
  check(row.recipe == recipe, "recipe")
  check(row.waiter == name, "waiter")
  check(is_input_of(json.decode(row.input), wait), "input")
  check((row.token ~= nil) == (wait.token ~= nil), "token")
  check(row.limits and has_limits(row.state, row.limits), "limits")
  if row.outcome then
    local ended = row.outcome:value()
    check(ended.waiter == wait.waiter.name and ended.attempts == row.attempts and is_input_of(ended.input, wait), "outcome")
  else
    check(state:attempts() == row.attempts and ends_with(row.history, row.attempts), "attempts")
  end
end

---Ends the transaction if a run that has ended did not end as its waits did.
---@param what bide.RunDescription
---@param run table whose waits are decoded
local function check_end(journal, what, run)
  if not run.question or not run.ended then return end
  local succeeded = 0
  for _, row in ipairs(run.waits) do
    if not row.outcome then journal.refuse("it is broken: run %d has ended, and its wait %d has not", run.id, row.position) end
    if row.outcome:value "state" == "success" then succeeded = succeeded + 1 end
  end
  if (run.outcome == "success") ~= (succeeded >= what.needed) then
    journal.refuse("it is broken: the outcome of run %d is not that of its waits", run.id)
  end
end

---Decodes the state of a wait in its row.
local function read_row(journal, query, what, run, row, wait)
  local state = core.wait.restore(wait.waiter.compiled, row.state, 0)
  if not state then journal.refuse("the state of run %d is not of this version of bide", row.run) end
  row.output, row.error = document(row.output), document(row.error)
  row.history, row.outcome = checked.history(journal, query, row.id, stored_outcome.decode_entry), document(row.outcome)
  check_row(journal, what, run, row, state, wait)
end

---Puts the state in a row into the prepared wait. Returns the change of the wall clock meanwhile.
local function take_up(row, wait, now)
  local passed, jump = moment.since(row, now)
  if row.token then wait:renew(row.token) end
  wait.row = row.id
  local delay = row.delay and math.max(row.delay - passed, 0)
  wait.from = {
    state = row.state, elapsed = row.elapsed + passed, delay = delay, is_overslept = delay == 0 or jump ~= nil,
    attempts = row.attempts, output = row.output, error = row.error, history = row.history, is_resumed = true,
  }
  return jump
end

-- ---- the run --------------------------------------------------------------------------------

---@class bide.Resumed
---@field run bide.JournalRun
---@field began integer milliseconds since 1970
---@field attempts integer the most attempts of one of its waits
---@field ended integer the number of its waits that had ended
---@field has_ended boolean whether the run had ended, so that only its outcome has to be reported
---@field jump string? the change of the wall clock meanwhile

---@return bide.Resumed
local function resumed(journal, found, prepared)
  local now, ended, jump, group = moment.now(), 0, nil, ended_waits.new()
  for position, row in ipairs(found.waits) do
    if row.outcome then
      prepared[position], ended = group:add(prepared[position], row.outcome, row.rank), ended + 1
    else
      jump = take_up(row, prepared[position], now) or jump
    end
  end
  return {
    run = runs.of(journal, found.id, prepared), began = found.began, attempts = found.attempts, ended = ended, jump = jump,
    has_ended = ended == #prepared,
  }
end

---Finds a run and resumes its waits. Returns nil without a mistake if there is none.
---@param journal bide.Journal
---@param what bide.RunDescription
---@param prepared bide.PreparedWait[] gets the recorded states
---@return bide.Resumed?
---@return string? mistake
---@return { run: table, differences: string[] }? nearest the run that is nearest to the question, if none asks it
return function(journal, what, prepared)
  local found, nearest
  local done, mistake = journal:transact(function(query)
    found, nearest = choose(journal, query, what, prepared)
    if not found then return end
    check_sources(journal, found, what)
    for position, wait in ipairs(found.earlier or {}) do prepared[position].waiter = wait.waiter end
    check_limits(journal, found, prepared)
    for position, row in ipairs(found.waits) do read_row(journal, query, what, found, row, prepared[position]) end
    check_end(journal, what, found)
    query("UPDATE run SET owner = ?, process = ? WHERE id = ?", journal.owner, what.process, found.id)
  end, true)
  if not done then return nil, mistake end
  if not found then return nil, nil, nearest end
  return resumed(journal, found, prepared)
end
