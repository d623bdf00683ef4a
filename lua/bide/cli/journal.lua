---bide journal: lists, shows and prunes what a journal holds: runs, their waits, and the requests of bide.once.

local core = require "bide.core"
local duration = require "bide.text.duration"
local exit_code = require "bide.cli.exit_code"
local journaling = require "bide.cli.journaling"
local moment = require "bide.record.journal.moment"
local parser = require "bide.cli.parser"
local schema = require "bide.record.journal.schema"
local option = require "bide.text.option"
local secret = require "bide.text.secret"
local shown = require "bide.text.shown"

local M = { summary = "list, show or prune the waits of a journal" }

local json = core.json

-- ---- what a journal holds, for people ---------------------------------------------------------

local contents = {}

---@param milliseconds integer? since 1970
---@return string? RFC 3339
local function time(milliseconds)
  return milliseconds and os.date("!%Y-%m-%dT%H:%M:%SZ", milliseconds // 1000)
end

---@param journal bide.Journal
---@return "running"|"interrupted"|"ended"
local function state_of(journal, row)
  if row.ended then return "ended" end
  return journal:is_alive(row.owner) and "running" or "interrupted"
end

---@class bide.journal.RunSummary
---@field run integer
---@field state "running"|"interrupted"|"ended"
---@field outcome "success"|"failure"|nil of a run that has ended
---@field waiter string
---@field recipe string
---@field began string
---@field ended string?
---@field reported string? when its outcome had been reported
---@field waits integer
---@field endedWaits integer
---@field succeeded integer how many of those that have ended
---@field failed integer
---@field attempts integer the most that one of its waits has made
---@field process integer? that runs it

---Counts the waits of a run by their states.
local function count_waits(summary, waits)
  for _, row in ipairs(waits) do
    summary.waits, summary.attempts = summary.waits + 1, math.max(summary.attempts, row.attempts)
    local outcome = row.outcome and json.decode(row.outcome)
    if outcome then
      local which = outcome.state == "success" and "succeeded" or "failed"
      summary.endedWaits, summary[which] = summary.endedWaits + 1, summary[which] + 1
    end
  end
end

---A run of the last release with one wait ended as that did.
local function outcome_of(row, summary)
  if not row.ended then return nil end
  if row.outcome or summary.endedWaits ~= 1 or summary.waits ~= 1 then return row.outcome end
  return summary.succeeded == 1 and "success" or "failure"
end

local function waits_of(journal, query, id)
  return schema.check_all(journal, "wait", query("SELECT * FROM wait WHERE run = ? ORDER BY position", id))
end

---@param journal bide.Journal
---@return bide.journal.RunSummary
local function summary_of(journal, query, row)
  local state = state_of(journal, schema.check(journal, "run", row))
  local summary = {
    run = row.id, state = state, waiter = row.waiter, recipe = row.recipe, began = time(row.began),
    ended = time(row.ended), reported = time(row.reported), waits = 0, endedWaits = 0, succeeded = 0, failed = 0, attempts = 0,
    process = state == "running" and row.process or nil,
  }
  count_waits(summary, waits_of(journal, query, row.id))
  summary.outcome = outcome_of(row, summary)
  return summary
end

---@param journal bide.Journal
---@param query fun(sql: string, ...): table[]
---@return bide.journal.RunSummary[]
function contents.runs(journal, query)
  local list = json.array {}
  for position, row in ipairs(query "SELECT * FROM run ORDER BY id") do list[position] = summary_of(journal, query, row) end
  return list
end

---@param journal bide.Journal
local function request(journal, row)
  return {
    token = row.token, identity = row.identity, state = state_of(journal, row), began = time(row.began),
    ended = time(row.ended), retained = time(row.retain and row.ended and row.ended + row.retain),
    late = time(row.late and row.ended and row.ended + (row.retain or 0) + row.late),
  }
end

---@param journal bide.Journal
---@param query fun(sql: string, ...): table[]
---@return table[]
function contents.requests(journal, query)
  local list = json.array {}
  for position, row in ipairs(query "SELECT * FROM request ORDER BY began, token") do
    list[position] = request(journal, schema.check(journal, "request", row))
  end
  return list
end

local function value(text)
  return text and json.read(text) or nil
end

local function wait(journal, query, row)
  local history = json.array {}
  local attempts = query("SELECT entry FROM attempt WHERE wait = ? ORDER BY attempt", row.id)
  for position, attempt in ipairs(schema.check_all(journal, "attempt", attempts)) do
    history[position] = value(attempt.entry)
  end
  local described = {
    branch = row.branch, recipe = row.recipe, waiter = row.waiter, input = value(row.input), token = row.token,
    attempts = row.attempts,
  }
  if row.outcome then
    described.outcome = value(row.outcome)
    return described
  end
  described.output, described.error, described.history = value(row.output), value(row.error), history
  described.elapsed = row.elapsed / 1000
  described.seen, described.nextAttempt = time(row.wall), row.delay and time(row.wall + row.delay)
  return described
end

---All that is known of a run.
---@param journal bide.Journal
---@param query fun(sql: string, ...): table[]
---@param id integer
---@return table? nil if there is none
function contents.run(journal, query, id)
  local row = query("SELECT * FROM run WHERE id = ?", id)[1]
  if not row then return nil end
  local summary = summary_of(journal, query, row)
  summary.waits, summary.endedWaits, summary.attempts, summary.succeeded, summary.failed = json.array {}, nil, nil, nil, nil
  for position, one in ipairs(waits_of(journal, query, id)) do summary.waits[position] = wait(journal, query, one) end
  return summary
end

---The requests with a token, one for each identity.
---@param journal bide.Journal
---@param query fun(sql: string, ...): table[]
---@param token string
---@return table[]
function contents.requests_of(journal, query, token)
  local list = json.array {}
  for position, row in ipairs(query("SELECT * FROM request WHERE token = ? ORDER BY identity", token)) do
    list[position] = request(journal, schema.check(journal, "request", row))
    list[position].parameters, list[position].result = value(row.parameters), value(row.result)
  end
  return list
end

---Forgets runs that were reported at least so long ago, and requests that are retained no longer. Of these the token
---stays known for as long as late requests may come.
---@param journal bide.Journal
---@param query fun(sql: string, ...): table[]
---@param age integer milliseconds
---@return integer runs
---@return integer requests
function contents.prune(journal, query, age)
  local now = moment.now().wall
  query("DELETE FROM run WHERE reported <= ?", now - age)
  local count = journal.database:changes()
  query("UPDATE request SET parameters = '', result = '' WHERE result <> '' AND ended + retain <= ?", now - age)
  local requests = journal.database:changes()
  query("DELETE FROM request WHERE ended + retain + late <= ?", now - age)
  return count, requests
end

local function id_of(name)
  return math.tointeger(tonumber(name)) or -1
end

---Why a run, or the requests with a token, cannot be forgotten; nil where they can.
---@param journal bide.Journal
---@param query fun(sql: string, ...): table[]
---@param name string
---@return string? mistake
function contents.cannot_forget(journal, query, name)
  local id = id_of(name)
  local found = query("SELECT owner, process FROM run WHERE id = ?", id)
  local requests = query("SELECT owner, process FROM request WHERE token = ?", name)
  table.move(requests, 1, #requests, #found + 1, found)
  if #found == 0 then return option.expected("the number of a run or the token of a request", name) end
  for _, row in ipairs(found) do
    if journal:is_alive(row.owner) then return ("%s is in the hands of process %s"):format(name, row.process) end
  end
end

---Forgets one run, or the requests with a token, whatever their state.
---@param query fun(sql: string, ...): table[]
---@param name string
function contents.forget(query, name)
  query("DELETE FROM run WHERE id = ?", id_of(name))
  query("DELETE FROM request WHERE token = ?", name)
end

-- ---- the command ----------------------------------------------------------------------------

---@return table parser
function M.new_parser()
  local command = parser.new("journal", "List, show or prune the records of `bide run --journal` and bide.once.",
    "bide journal list --journal waits.db")
  local action = command:argument("action", "list (the default) lists the runs and requests. show prints one of them "
    .. "as JSON. prune deletes the named ones, or else all ended runs and the requests whose retention is over.")
    :args "?"
  parser.restrict(action, "the first word", { "list", "show", "prune" })
  command:argument("NAME", "The number of a run, or the token of a request."):args("*"):target "names"
  journaling.add_file(command)
  parser.add_show_secrets(command, "in what is printed")
  parser.add_duration(command, "--older-than", "With prune: delete only what ended at least DURATION ago.")
  parser.restrict(command:option("--output", "With list: print as FORMAT, text or json."):argname("FORMAT"), "--output",
    { "text", "json" }):default "text"
  command:usage("Usage: bide journal [list|show|prune] [NAME ...] --journal FILE [options]")
  return command
end

local run_row = "%5s  %-11s %-20s  %8s  %-24s %s"
local request_row = "%-38s %-11s %-20s  %s"

---Names the waiter; for a fleet also how many of its waits have ended or failed.
local function describe_waiter(run)
  if run.waits == 1 then return run.waiter end
  local failed = run.failed > 0 and (", %d failed"):format(run.failed) or ""
  return ("%s, %d of %d%s"):format(run.waiter, run.endedWaits, run.waits, failed)
end

---Prints one line for each run and request, even if a token, an identity or a path contains line breaks.
local function list_text(runs, requests)
  local lines = {}
  if #runs > 0 then lines[1] = run_row:format("run", "state", "began", "attempts", "waiter", "recipe") end
  for _, run in ipairs(runs) do
    lines[#lines + 1] = run_row:format(run.run, run.outcome or run.state, run.began, run.attempts, describe_waiter(run),
      run.recipe)
  end
  if #requests > 0 then lines[#lines + 1] = request_row:format("token", "state", "began", "identity") end
  for _, one in ipairs(requests) do
    lines[#lines + 1] = request_row:format(one.token, one.state, one.began, one.identity)
  end
  for position, line in ipairs(lines) do lines[position] = shown.line(line) .. "\n" end
  return table.concat(lines)
end

---Returns JSON without secrets. A journal of bide 0.1.0 or a record of bide.once may hold them in clear.
---@param printed table
---@param with_tokens table[] the records that have an idempotency token
local function json_text(printed, with_tokens)
  local mask = core.secret.mask()
  for _, one in ipairs(with_tokens) do
    if one.token then mask:open(one.token) end
  end
  mask:collect(assert(core.json.document(printed)))
  return assert(core.json.encode(printed, { indent = true, redact = not secret.are_shown and mask, escape = true })) .. "\n"
end

---The actions. Each runs within a transaction and returns a mistake, or the text to print after it, so that a
---slow reader of the text does not hold the transaction open.
---@type table<string, fun(journal: bide.Journal, query: function, options: table): string?, string?>
local actions = {}

function actions.list(journal, query, options)
  if #options.names > 0 then return "list takes no NAME; use show NAME" end
  local runs, requests = contents.runs(journal, query), contents.requests(journal, query)
  if options.output == "json" then return nil, json_text({ runs = runs, requests = requests }, requests) end
  return nil, list_text(runs, requests)
end

function actions.show(journal, query, options)
  if #options.names == 0 then return "show needs the number of a run, or the token of a request" end
  local texts = {}
  for _, name in ipairs(options.names) do
    local found = contents.requests_of(journal, query, name)
    local run = contents.run(journal, query, math.tointeger(tonumber(name)) or -1)
    if run then table.insert(found, 1, run) end
    if #found == 0 then return option.expected("the number of a run or the token of a request", name) end
    for _, one in ipairs(found) do texts[#texts + 1] = json_text(one, one.waits or { one }) end
  end
  return nil, table.concat(texts)
end

local function plural(count, word)
  return ("%d %s%s"):format(count, word, count == 1 and "" or "s")
end

function actions.prune(journal, query, options)
  for _, name in ipairs(options.names) do
    local mistake = contents.cannot_forget(journal, query, name)
    if mistake then return mistake end
  end
  for _, name in ipairs(options.names) do contents.forget(query, name) end
  if #options.names > 0 then return nil, "" end
  local age = options.older_than or 0
  local runs, requests = contents.prune(journal, query, age)
  return nil, ("%s and %s forgotten%s\n"):format(plural(runs, "run"), plural(requests, "request"),
    age > 0 and (" that ended more than %s ago"):format(duration.format(age)) or "")
end

---@param arguments string[]
---@return integer code
function M.main(arguments)
  local options = M.new_parser():parse(arguments)
  local file = journaling.file(options)
  if not file then parser.fail("no journal: give --journal FILE, or set BIDE_JOURNAL") end
  local journal = journaling.open(file, true)
  local mistake, text
  local done, failure = journal:transact(function(query)
    mistake, text = actions[options.action or "list"](journal, query, options)
  end, options.action == "prune")
  journal:close()
  if not done or mistake then parser.fail(mistake or failure) end
  shown.print_document(text)
  return exit_code.SUCCESS
end

return M
