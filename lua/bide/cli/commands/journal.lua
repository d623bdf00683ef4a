---bide journal: lists, shows and prunes what a journal holds: runs, their waits, and the requests of bide.once.

local contents = require "bide.record.journal.contents"
local counted = require "bide.text.counted"
local duration = require "bide.text.duration"
local journaling = require "bide.cli.words.journaling"
local output = require "bide.cli.report.output"
local parser = require "bide.cli.words.parser"
local redacted = require "bide.cli.report.redacted"
local option = require "bide.text.option"
local shared = require "bide.cli.words.shared_options"
local shown = require "bide.text.shown"
local uses = require "bide.cli.files.uses"

local M = { summary = "list, show, report or prune the waits of a journal" }

-- ---- the command ----------------------------------------------------------------------------

function M.new_parser()
  local command = parser.new("journal", "List, show, report or prune the records of `bide run --journal` and bide.once.",
    "bide journal list --journal waits.db")
  command:argument("action", "list (the default) lists the runs and requests. show prints one of them "
    .. "as JSON. report writes a page of the runs that are named, or of the newest one. prune deletes the named ones, or else "
    .. "all runs whose outcome was reported, and the requests whose retention is over.")
    :args("?"):one_of({ "list", "show", "report", "prune" }, "the first word", function(text)
      return text:find "[./]" and "the journal is --journal " .. text
    end)
  command:argument("NAME", "The number of a run, or the token of a request."):args("*"):target "names"
  command:option("--journal", "The journal. Default: BIDE_JOURNAL."):argname("FILE")
  shared.add_show_secrets(command, "in what is printed")
  shared.add_duration(command, "--older-than", "With prune: delete only what ended at least DURATION ago.")
  command:option("--output", "With list: print as FORMAT, text or json. With report: html, junit, tap or github, on standard "
    .. "output or in FILE."):argname("FORMAT[=FILE]")
  command:usage("Usage: bide journal [list|show|report|prune] [NAME ...] --journal FILE [options]")
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
  return shown.document(lines)
end

---The actions. Each runs within a transaction and returns a mistake, or the text to print after it, so that a
---slow reader of the text does not hold the transaction open.
---@type table<string, fun(journal: bide.Journal, query: function, options: table): string?, string?>
local actions = {}

function actions.list(journal, query, options)
  if #options.names > 0 then return "list takes no NAME; use show NAME" end
  local runs, requests = contents.runs(journal, query), contents.requests(journal, query)
  local format = options.output or "text"
  if format ~= "text" and format ~= "json" then return "--output: " .. option.expected("text or json", format) end
  if format == "json" then return nil, redacted({ runs = runs, requests = requests }, requests) end
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
    for _, one in ipairs(found) do texts[#texts + 1] = redacted(one, one.waits or { one }) end
  end
  return nil, table.concat(texts)
end

---Writes a report of runs. Its file is created only once they are found.
function actions.report(journal, query, options)
  local given, mistake = output.read_document(options.output or "html")
  if given then mistake = uses.mistake { journal = journaling.file(options), output = { given } } end
  if not given or mistake then return mistake end
  local run
  run, mistake = require("bide.record.journal.reported").runs(journal, query, options.names)
  if not run then return mistake end
  options.given = given
  return nil, output.document(given.format, run)
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
  return nil, ("%s and %s forgotten%s\n"):format(counted(runs, "run"), counted(requests, "request"),
    age > 0 and (" that ended more than %s ago"):format(duration.format(age)) or "")
end

---The actions that an option belongs to.
local actions_of = { older_than = "prune", output = "list report" }

---Ends the process if an action would ignore an option.
local function check_words(options)
  local action = options.action or "list"
  for _, name in ipairs { "older_than", "output" } do
    if options[name] and not actions_of[name]:find(action, 1, true) then
      parser.fail(("--%s belongs to bide journal %s"):format(name:gsub("_", "-"), (actions_of[name]:gsub(" ", " and "))))
    end
  end
  if options.older_than and options.names[1] then parser.fail "--older-than is for all runs, not for those that are named" end
end

function M.main(arguments)
  local options = M.new_parser():parse(arguments)
  check_words(options)
  local file = journaling.file(options)
  if not file then parser.fail("no journal: give --journal FILE, or set BIDE_JOURNAL") end
  local journal = journaling.open(file, true)
  local mistake, text
  local done, failure = journal:transact(function(query)
    mistake, text = actions[options.action or "list"](journal, query, options)
  end, options.action == "prune")
  journal:close()
  if not done or mistake then parser.fail(mistake or failure) end
  return output.deliver(options.given or {}, text)
end

return M
