---bide jobs: lists, shows, cancels and forgets the runs of a store.

local client = require "bide.cli.store.client"
local core = require "bide.core"
local exit_code = require "bide.cli.ending.exit_code"
local parser = require "bide.cli.words.parser"
local redacted = require "bide.cli.report.redacted"
local rows_of_store = require "bide.cli.store.rows"
local shared = require "bide.cli.words.shared_options"
local shown = require "bide.text.shown"
local store_options = require "bide.cli.store.options"
local tables = require "bide.text.tables"
local verbs = require "bide.record.store.verbs"

local M = { summary = "list, show or cancel the runs of a store" }

local json = core.json
local run_of, time = rows_of_store.run, rows_of_store.time

function M.new_parser()
  local command = parser.new("jobs", "List, show, cancel or forget the runs of a store.", "bide jobs list --store waits.db")
  command:argument("action", "list (the default) lists the runs. show prints one of them as JSON, with its waits. "
    .. "cancel ends the waits of a run that have not ended: exit code 1 if the run had ended. prune forgets runs that have ended."
    .. " All but list need a RUN.")
    :args("?"):one_of({ "list", "show", "cancel", "prune" }, "the first word", function(text)
      return text:find "^%d+$" and ("bide jobs show %s prints a run"):format(text)
    end)
  command:argument("RUN", "The number of a run."):args("*"):target("runs"):reads(store_options.read_run, "RUN")
  store_options.add_cells(command)
  command:option("--state", "With list: only runs that are open, or have ended."):argname("STATE"):one_of { "open", "ended" }
  command:option("--queue", "With list: only runs of this queue."):argname("Q"):reads(store_options.read_queue)
  shared.add_count(command, "--limit", "With list: at most N runs. Default: 100.")
  command:option("--after", "With list: only runs with greater numbers than N."):argname("N"):reads(store_options.read_run)
  command:option("--output", "With list: print as FORMAT, text or json."):argname("FORMAT")
    :one_of({ "text", "json" }):default "text"
  command:usage("Usage: bide jobs [list|show|cancel|prune] [RUN ...] --store URL [options]")
  return command
end

local function value(text)
  return text and json.read(text) or nil
end

---@param row bide.record.WaitRow
local function wait_of(row)
  return {
    wait = row.position, name = row.label, waiter = row.waiter, input = value(row.input), token = row.token,
    attempts = row.attempts, nextAttempt = time(row.due), deadline = time(row.deadline), worker = row.worker,
    output = value(row.output), error = value(row.error), outcome = value(row.outcome), ended = time(row.ended),
    history = json.array(tables.mapped(row.history, value)),
  }
end

---@param rows bide.record.RunRow[]
local function list_text(rows)
  local widest = #rows > 0 and #tostring(rows[#rows].run) or 0
  local row_of = ("%%%ds  %%-8s %%-20s  %%-12s %%9s  %%-20s %%s"):format(math.max(6, widest))
  local lines = { row_of:format("run", "state", "began", "queue", "ended", "waiter", "recipe") }
  for _, row in ipairs(rows) do
    lines[#lines + 1] = row_of:format(row.run, row.state or "open", time(row.began), row.queue,
      ("%d/%d"):format(row.waits - row.open, row.waits), row.waiter or "?", row.recipe or "?")
  end
  return #rows > 0 and shown.document(lines) or ""
end

local function unknown(run)
  parser.fail(verbs.unknown_run(run).message)
end

---The actions. Each returns an exit code and the text to print.
---@type table<string, fun(cells: bide.record.Cells, options: table): integer, string>
local actions = {}

function actions.list(cells, options)
  if #options.runs > 0 then parser.fail "list takes no RUN; use show RUN" end
  local found = client.check(rows_of_store.list(cells, {
    state = options.state, queue = options.queue, limit = options.limit, after = options.after,
  }))
  for _, one in ipairs(found.broken) do shown.complain(one.failure.message) end
  local code = #found.broken > 0 and exit_code.USAGE or exit_code.SUCCESS
  if options.output ~= "json" then return code, list_text(found.runs) end
  return code, redacted({ runs = json.array(tables.mapped(found.runs, run_of)) }, {})
end

function actions.show(cells, options)
  local texts = {}
  for _, run in ipairs(options.runs) do
    local found = client.check(client.store_of(options, cells, run):list { what = "run", run = run })
    if not found.run then unknown(run) end
    local members, waits = run_of(found.run), json.array(tables.mapped(found.waits, wait_of))
    members.count, members.waits = members.waits, waits
    texts[#texts + 1] = redacted(members, waits)
  end
  return exit_code.SUCCESS, table.concat(texts)
end

---Ends the process if a verb would fail for one of several runs after it was carried out for others.
---@param cells bide.record.Cells
---@param options table of the command line
---@param fail_of_open? fun(run: integer) ends the process, too
local function require_runs(cells, options, fail_of_open)
  if #options.runs == 1 then return end
  for _, run in ipairs(options.runs) do
    local store = client.store_of(options, cells, run)
    local found = client.check(store:list { what = "runs", after = run - 1, limit = 1 })
    local row, broken = found.runs[1], found.broken[1]
    if (row or broken or {}).run ~= run then unknown(run) end
    if fail_of_open and (broken and broken.is_open or row and not row.ended) then fail_of_open(run) end
  end
end

function actions.cancel(cells, options)
  local code = exit_code.SUCCESS
  require_runs(cells, options)
  for _, run in ipairs(options.runs) do
    local state = client.check(client.store_of(options, cells, run):cancel(run))
    if state == "unknown" then unknown(run) end
    if state == "ended" then
      shown.complain(("run %d had ended"):format(run))
      code = exit_code.FAILURE
    end
  end
  return code, ""
end

local function fail_of_open(run)
  parser.fail(("run %d has not ended; bide jobs cancel %d ends it"):format(run, run))
end

function actions.prune(cells, options)
  require_runs(cells, options, fail_of_open)
  for _, run in ipairs(options.runs) do
    local state = client.check(client.store_of(options, cells, run):prune(run))
    if state == "unknown" then unknown(run) end
    if state == "open" then fail_of_open(run) end
  end
  return exit_code.SUCCESS, ""
end

---Ends the process if an action lacks a run, or has an option that only the list reads.
local function check_words(options, action)
  for _, name in ipairs { "state", "queue", "limit", "after" } do
    if options[name] then parser.fail(("--%s belongs to bide jobs list"):format(name)) end
  end
  if #options.runs == 0 then parser.fail(action .. " needs the number of a run") end
  local is_given = {}
  for _, run in ipairs(options.runs) do
    if is_given[run] then parser.fail(("run %d is given twice"):format(run)) end
    is_given[run] = true
  end
end

function M.main(arguments)
  local options = shared.parse(M.new_parser(), arguments)
  local action = options.action or "list"
  if action ~= "list" then check_words(options, action) end
  local cells = client.open_cells(options, { must_exist = true })
  local code, text = actions[action](cells, options)
  cells:close()
  return exit_code.unless_reported(code, shown.print_document(text))
end

return M
