---A test case: one wait of a waiter on the virtual clock, its answers, and what is expected of it.

local acceptors = require "bide.cli.words.acceptors"
local answers = require "bide.record.answers"
local bide = require "bide"
local core = require "bide.core"
local dialogues = require "bide.cli.test.dialogue"
local exchanges = require "bide.cli.test.exchanges"
local isolation = require "bide.cli.test.isolation"
local limits = require "bide.recipe.waiter.limits"
local option = require "bide.text.option"
local regex = require "bide.probe.asking.regex"
local schema = require "bide.recipe.waiter.schema"
local script_error = require "bide.text.script_error"
local shown = require "bide.text.shown"
local tables = require "bide.text.tables"
local waiters = require "bide.wait.waiter"

local M = {}

---The expectation of a wait. `state`, and `attempts` or `delays`, are required.
---@class bide.test.Expectation
---@field state "success"|"failure"
---@field attempts integer?
---@field delays number[]? the seconds after each attempt but the last, with the seed 0
---@field reason string?
---@field message string? a text that the message contains
---@field matches string? a regular expression (PCRE2) that the message matches
---@field acceptor integer? the position of the acceptor that decided
---@field exit_code integer?
---@field output any a subset of the last output
---@field requests integer? the number of requests over HTTP
---@field notes string[]? texts that notes of attempts contain
---@field events table[]? subsets of attempts, in their order

---@class bide.test.Case
---@field name string
---@field waiter string?
---@field input table?
---@field max_wait number|string? "1h" by default
---@field options table? `until`, `fail`, `hold` … as of the command line and of waiter:prepare, and those of bide.load
---@field answers table[]? lines as replay takes them
---@field recording string? a file of --record, beside the test file
---@field exchanges table[]? requests with their responses, which the operation really sends
---@field dialogue table[]? steps of a protocol, or lists of them for several connections
---@field expect bide.test.Expectation

-- ---- checking -----------------------------------------------------------------------------------

local kinds = option.kinds
local text, whole, list = schema.string, schema.of(kinds.integer), schema.of(kinds.table, "a list")
local function anything() end

local function each(check)
  return function(report, path, value)
    if type(value) ~= "table" then return list(report, path, value) end
    for position, one in ipairs(value) do check(report, ("%s[%d]"):format(path, position), one) end
  end
end

local check_request = schema.structure({
  method = { check = text }, url = { check = text, required = "a URL" }, headers = { check = schema.of(kinds.table) },
  json = { check = anything }, body = { check = text },
}, "a request, with url")

local check_response = schema.structure({
  status = { check = schema.of(kinds.status) }, headers = { check = schema.of(kinds.table) }, json = { check = anything },
  body = { check = text }, error = { check = text }, message = { check = text }, code = { check = text },
  address = { check = text }, duration = { check = schema.of(kinds.delay) },
}, "a response, with status, json, body or error")

local check_exchange = schema.structure({
  request = { check = check_request, required = "a request" }, response = { check = check_response, required = "a response" },
}, "an exchange, with request and response")

local check_step = schema.structure({
  receive = { check = text }, send = { check = text }, close = { check = schema.boolean }, refuse = { check = text },
}, "a step, with receive or send")

local function check_steps(report, path, value)
  if type(value) == "table" and type(value[1]) == "table" then return each(check_step)(report, path, value) end
  check_step(report, path, value)
end

---Checks a text that another one has to contain: each contains an empty one, so that this would check nothing.
local function check_part(report, path, value)
  text(report, path, value)
  if type(value) == "string" and not value:find "%S" then
    local found = value == "" and "an empty text" or "blanks alone"
    schema.add(report, path, "expected a text that is not empty, found " .. found)
  end
end

local function check_pattern(report, path, value)
  check_part(report, path, value)
  local pattern, mistake = regex.compile(type(value) == "string" and value or "x")
  if pattern and pattern:matches_every_text() then mistake = "every text matches it" end
  if mistake then schema.add(report, path, mistake) end
end

local check_expectation = schema.structure({
  state = { check = schema.of(option.one_of { "success", "failure" }), required = 'one of "success" and "failure"' },
  attempts = { check = whole }, delays = { check = list }, reason = { check = text }, message = { check = check_part },
  matches = { check = check_pattern }, acceptor = { check = whole }, exit_code = { check = whole }, output = { check = anything },
  requests = { check = whole }, notes = { check = each(check_part) }, events = { check = each(schema.of(kinds.table)) },
}, "what is expected, with state")

local sources = { "answers", "recording", "exchanges", "dialogue" }

---The options of bide.load that a case may have, and those that make acceptors.
local of_load = { "endpoint", "bearer", "basic", "api_key", "region", "profile", "no_sign_request", "fips", "dual_stack", "with" }
local of_acceptors = { "until", "fail", "fail_message", "retry_on", "invert", "allow_missing" }

---The options of a case, whose values are checked where they are read.
local options_of_case = {}
for _, row in ipairs(limits.rows) do options_of_case[row.name] = kinds.any end
for _, name in ipairs(tables.joined(of_load, of_acceptors)) do options_of_case[name] = kinds.any end

local check_members = schema.structure({
  name = { check = text, required = "the name of the case" }, waiter = { check = text },
  input = { check = schema.of(kinds.table) }, max_wait = { check = anything }, options = { check = schema.of(kinds.table) },
  answers = { check = list }, recording = { check = text }, exchanges = { check = each(check_exchange) },
  dialogue = { check = each(check_steps) }, expect = { check = check_expectation, required = "what is expected" },
}, "a case, with name and expect")

---Returns what is wrong with a case as it was written.
---@param case any
---@return string? mistake
function M.mistake(case)
  local report = schema.report()
  check_members(report, "", case)
  local problem = report.problems[1]
  if problem then return ((problem.path .. ": " .. problem.text):gsub("^: ", "")) end
  local given = {}
  for _, name in ipairs(sources) do given[#given + 1] = case[name] and name or nil end
  if #given ~= 1 then
    return ("expected one of %s, found %s"):format(table.concat(sources, ", "),
      #given == 0 and "none" or table.concat(given, " and "))
  end
  if not case.expect.attempts and not case.expect.delays then return "expect: expected attempts or delays, found neither" end
  local mistake = option.check(case.options or {}, options_of_case)
  if mistake then return "options: " .. mistake end
  return case.answers and select(2, answers.of_values(case.answers)) or nil
end

-- ---- preparing ----------------------------------------------------------------------------------

local function as_list(value)
  return type(value) == "table" and value or { value }
end

---Splits the options of a case by what they are for.
local function split(options)
  local rest, load, conditions = tables.merged(options), {}, {}
  for _, name in ipairs(of_load) do load[name], rest[name] = rest[name], nil end
  for _, name in ipairs(of_acceptors) do conditions[name], rest[name] = rest[name], nil end
  for _, name in ipairs { "until", "fail", "retry_on" } do conditions[name] = as_list(conditions[name]) end
  return rest, load, conditions
end

---@class bide.test.Run
---@field case bide.test.Case
---@field faults string[] what is not as expected
---@field record table? the outcome
---@field attempts table[] entries of the history
---@field own table<table, integer> the waiter's own acceptors, with their positions
---@field waiter bide.Waiter?
---@field recipe bide.Recipe?
---@field prepared bide.PreparedWait?
---@field answers bide.Answer[]? in place of what the operation would return
---@field requests integer
---@field actual bide.test.Expectation? what came, once the wait has ended
---@field failing table<string, true>? the members of the expectation that differ from it

---Returns the answers of a case; nil if it has none.
---@param folder string of the test file
---@return bide.Answer[]?
---@return string? mistake
local function answers_of(case, folder)
  if case.answers then return answers.of_values(case.answers) end
  if not case.recording then return nil end
  local file = case.recording:sub(1, 1) == "/" and case.recording or folder .. "/" .. case.recording
  return answers.read(file)
end

---@return bide.Waiter?
---@return string? mistake
local function find_waiter(run, conditions)
  local waiter, mistake = run.recipe:find(run.case.waiter)
  if not waiter then return nil, mistake end
  if conditions.invert then
    if not waiter.opposite then return nil, ("options.invert: %s has no opposite"):format(waiter.name) end
    waiter = run.recipe.waiters[waiter.opposite]
  end
  run.own = {}
  for position, acceptor in ipairs(waiter.acceptors) do run.own[acceptor] = position end
  run.waiter = waiter
  return waiter
end

---The attempts of a case at most: a wait of years would take as long as its attempts do, which no clock of a case sees.
local MOST_ATTEMPTS <const> = 100000

---Prepares the wait of a case.
---@param run bide.test.Run
---@param file bide.test.File
---@param change (fun(waiter: bide.Waiter): bide.Waiter)? makes a mutant
---@return bide.PreparedWait?
---@return string? mistake
local function prepare(run, file, change)
  local case = run.case
  local options, load, conditions = split(case.options)
  local given, mistake = answers_of(case, file.folder)
  if mistake and not given then return nil, mistake end
  run.recipe, mistake = bide.load(file.recipe, load)
  if not run.recipe then return nil, mistake end
  local waiter
  waiter, mistake = find_waiter(run, conditions)
  if not waiter then return nil, mistake end
  if given and answers.mistake_for(given, waiter) then return nil, answers.mistake_for(given, waiter) end
  if change then waiter = change(waiter) end
  waiter, mistake = acceptors.derive(conditions, waiter)
  if not waiter then return nil, mistake end
  run.answers = given
  if given then answers.replace(waiter, given) end
  options.maxWait, options.seed = options.maxWait or case.max_wait or "1h",
    options.seed or given and given[1].wait and given[1].wait.seed or 0
  options.maxAttempts = options.maxAttempts or MOST_ATTEMPTS
  local ok, prepared = pcall(waiter.prepare, waiter, case.input or {}, options)
  if ok then return prepared end
  script_error.pass_out_of_memory(prepared)
  return nil, script_error.is(prepared) and prepared.message or shown.line(tostring(prepared))
end

-- ---- running ------------------------------------------------------------------------------------

---Runs the wait to its end, and keeps its attempts.
local function wait_for(run, prepared)
  local waker = core.task.waker()
  local observer = {
    started = anything, ended = anything, attempted = function(_, _, entry) table.insert(run.attempts, entry) end,
  }
  local _running <close> = waiters.closing(prepared:start(waker, observer))
  run.record = core.task.pause(waker)
end

---Runs a case. Its recipe is loaded anew, and nothing that it changes is left.
---@param case bide.test.Case
---@param file bide.test.File
---@param change (fun(waiter: bide.Waiter): bide.Waiter)?
---@return bide.test.Run
function M.run(case, file, change)
  local run = { case = case, file = file, faults = {}, attempts = {}, own = {} }
  local function fault(words) if #run.faults < 20 then table.insert(run.faults, words) end end
  local transport, dialogue = exchanges.new(case.exchanges, fault), dialogues.new(case.dialogue, fault)
  local _case <close> = isolation.enter {
    exchange = function(request) return transport:exchange(request) end,
    connect = function(name) return dialogue:connect(name) end,
    refuse = function(what) fault(("the case %s, which is refused"):format(what)) end,
  }
  local prepared, mistake = prepare(run, file, change)
  if not prepared then
    for line in mistake:gmatch "[^\n]+" do fault((line:gsub("^%s+", ""))) end -- a traceback has several
    return run
  end
  run.prepared = prepared
  wait_for(run, prepared)
  if #run.attempts >= MOST_ATTEMPTS and not (case.options and case.options.maxAttempts) then
    fault(("the case does not end within %d attempts: give it a shorter max_wait"):format(MOST_ATTEMPTS))
  end
  transport:finish()
  dialogue:finish()
  if run.answers and run.record.attempts < #run.answers then
    fault(("answer %d of %d was not used"):format(run.record.attempts + 1, #run.answers))
  end
  run.requests = transport.count
  require("bide.cli.test.expectation").compare(run, fault)
  return run
end

return M
