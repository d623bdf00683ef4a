---The exit codes: one for each cause, so that a script can distinguish them, and those that the user gives to named
---outcomes: `--exit-code Complete=0 --exit-code Failed=1`.

local M = {
  SUCCESS = 0,
  FAILURE = 1,
  USAGE = 2,
  UNMATCHED_ERROR = 3,
  MAX_ATTEMPTS = 4,
  SCRIPT_ERROR = 5,
  NOT_YET = 75, -- of a step: another one has to follow
  FAULT = 70, -- of bide itself, or memory that ran out
  MAX_WAIT = 124,
  NO_COMMAND = 127,
  SIGNAL = 128, -- and the signal's number
}

---The meaning of each code, for people. The one of a command that takes no COMMAND may be another one, or none.
---@class bide.cli.Meaning : bide.cli.Row
---@field without_command? string|false

---@type bide.cli.Meaning[]
M.meanings = {
  { "0", "success; with -- COMMAND, the code of COMMAND", without_command = "success" },
  { "1", "failure: an acceptor decided so, a process or wait beside it has ended, or the output of a success cannot be written" },
  { "2", "a mistake on the command line or in the recipe; nothing was sent" },
  { "3", "an error that no acceptor matched" },
  { "4", "all attempts were used up" },
  { "5", "a bug in the recipe" },
  { "70", "a fault of bide itself, memory ran out, or a store was lost or gave no answer" },
  { "124", "the deadline passed" },
  { "127", "the wait succeeded, and COMMAND cannot be run", without_command = false },
  { "129, 130, 131, 143", "SIGHUP, SIGINT, SIGQUIT or SIGTERM ended bide" },
}

---The meaning of the code that only a step has.
---@type bide.cli.Row
M.of_step = { "75", "not yet: another step has to follow" }

---The meaning of the same code of a watch that --for ends.
---@type bide.cli.Row
M.of_watch = { "75", "not yet: the run continues after --for" }

---The heading of the meanings on a page about all commands.
M.title = "Exit codes, of bide run:"

---The meanings of other commands' codes beside 0, and 2 for a mistake. What makes a wait has those of bide run.
---@type bide.cli.Row[]
M.of_others = {
  { "bide step, bide watch --for", "75: not yet" },
  { "bide check", "1: an event is at DANGER or ERROR" },
  { "bide test", "1: a case has failed" },
  { "bide query", "1: the expression has failed on a document; a broken expression is 2" },
  { "bide exec", "5: the script has raised an error; the code of a wait whose outcome it has raised; or that of os.exit" },
  { "bide doctor, bide store check", "1: something is wrong" },
  { "bide workers", "1: a queue has waits that are due and no worker" },
  { "bide jobs cancel", "1: the run had ended" },
}

---The columns of a meaning in help.
local COLUMNS = 58

---Adds the lines of a meaning.
local function add_lines(lines, label, words)
  local line = ""
  for word in words:gmatch "%S+" do
    if #line + #word >= COLUMNS then
      lines[#lines + 1] = ("  %-18s %s"):format(label, line)
      label, line = "", ""
    end
    line = line == "" and word or line .. " " .. word
  end
  lines[#lines + 1] = ("  %-18s %s"):format(label, line)
end

---Returns the meanings as lines, for help.
---@param further? bide.cli.Row the meaning of a further code, of a command that takes no COMMAND
---@return string[]
function M.lines(further)
  local lines = { "Exit codes:" }
  if further then add_lines(lines, further[1], further[2]) end
  for _, row in ipairs(M.meanings) do
    local words = row[2]
    if further and row.without_command ~= nil then words = row.without_command end
    if words then add_lines(lines, row[1], words) end
  end
  return lines
end

---The exit code of one wait.
---@param record table an outcome
---@param signal integer? the number of the signal that ended it
---@param named table<string, integer>? codes of outcomes that have a name
---@return integer
function M.of(record, signal, named)
  if record.fault then return M.FAULT end
  if record.state == "retry" then return M.NOT_YET end
  if named and named[record.name] then return named[record.name] end
  if record.reason == "cancelled" then return M.SIGNAL + (signal or 2) end
  if record.state == "success" then return M.SUCCESS end
  local row = require("bide.wait.reasons").rows[record.reason]
  return row and row.exit_code or M.FAILURE -- a journal may have a reason of a later release
end

---The exit code of an outcome that may not have been written. A success that could not be reported is a failure.
---@param code integer
---@param reported boolean
---@return integer
function M.unless_reported(code, reported)
  return code == M.SUCCESS and not reported and M.FAILURE or code
end

---The exit code of a process to which a signal may have come. A signal that came before the end takes the place of a success.
---@param code integer
---@param signal integer? its number
---@return integer
function M.unless_ended(code, signal)
  return code == M.SUCCESS and signal and M.SIGNAL + signal or code
end

-- ---- fleets -----------------------------------------------------------------------------------

---The causes that end single waits, the worst first. FAULT comes before all of them, and before the signal that ended
---the fleet.
local worst_first = {
  M.SCRIPT_ERROR, M.UNMATCHED_ERROR, M.FAILURE, M.MAX_ATTEMPTS, M.MAX_WAIT, M.SUCCESS,
}

local rank_of = {}
for rank, code in ipairs(worst_first) do rank_of[code] = rank end

local function has_fault(fleet)
  for _, record in pairs(fleet.records) do
    if record.fault then return true end
  end
  return false
end

---Returns the highest code among the waits that succeeded, which only `--exit-code` makes other than 0.
local function of_successes(fleet, named)
  local highest = M.SUCCESS
  for key, record in pairs(fleet.records) do
    if record.state == "success" then highest = math.max(highest, M.of(record, nil, named and named[key])) end
  end
  return highest
end

---Returns the code of the worst wait, by the cause of its end, with its own code if the outcome has one. A failure whose
---code is 0 counts as a success. Without enough of those the fleet has failed, though no single wait may say so: the waits
---that it lacks were cancelled.
local function of_worst(fleet, named)
  local worst, least, met = M.SUCCESS, math.huge, 0
  for key, record in pairs(fleet.records) do
    local cause, code = M.of(record), M.of(record, nil, named and named[key])
    local rank = code == M.SUCCESS and rank_of[M.SUCCESS] or rank_of[cause]
    if code == M.SUCCESS or record.state == "success" then met = met + 1 end
    if record.reason ~= "cancelled" and (rank < least or rank == least and code > worst) then worst, least = code, rank end
  end
  if worst == M.SUCCESS and met < fleet.needed then return M.FAILURE end
  return worst
end

---The exit code of a fleet: if it succeeded, the failures among its waits do not count; else it is that of the wait that
---failed first, or of the worst one. Waits that were cancelled because the fleet was already decided never count.
---@param fleet bide.FleetRecord
---@param signal integer? the number of the signal that ended it
---@param named? table<any, table<string, integer>> codes of outcomes that have a name, by the key of the wait
---@param takes_worst? boolean whether the worst failure counts, and not the first
---@return integer
function M.of_fleet(fleet, signal, named, takes_worst)
  if fleet.state ~= "success" and has_fault(fleet) then return M.FAULT end
  if fleet.interrupted then return M.SIGNAL + (signal or 2) end
  if fleet.state == "success" then return of_successes(fleet, named) end
  local first = fleet.first_failed
  if takes_worst or first == nil then return of_worst(fleet, named) end
  return M.of(fleet.records[first], nil, named and named[first])
end

-- ---- the end of a run -------------------------------------------------------------------------

---The result of a run.
---@class bide.cli.End
---@field state "success"|"failure" of the outcome
---@field code integer of the outcome
---@field is_reported boolean whether the outcome is written
---@field lacks_value? boolean whether a success has no value that COMMAND needs

---Decides how a run ends. The code is 0, and COMMAND runs, only beside a success that was reported and that no signal has
---overtaken; `--exit-code` alone gives a failure the code 0, and then COMMAND does not run.
---@param ended bide.cli.End
---@param signal integer? the number of the signal that came before the end
---@return integer code
---@return boolean runs_command
function M.decide(ended, signal)
  local is_success = ended.state == "success"
  if signal and (is_success or ended.code == M.SUCCESS) then return M.SIGNAL + signal, false end
  if not ended.is_reported then return M.unless_reported(ended.code, false), false end
  if is_success and ended.lacks_value then return M.FAILURE, false end
  return ended.code, is_success
end

-- ---- --exit-code ----------------------------------------------------------------------------

---Reads NAME=N.
---@param text string
---@return { name: string, code: integer }?
---@return string? mistake
function M.read(text)
  local name, number = text:match("^([^=]+)=(%d+)$")
  local code = tonumber(number)
  if code and code <= 255 then return { name = name, code = code } end
  return nil, require("bide.text.option").expected("NAME=N with N from 0 to 255", text)
end

---Adds `--exit-code`. The user may give any code, also one that bide uses itself.
---@param command table
function M.add_option(command)
  command:begin_section "Acceptors"
  command:option("--exit-code", "Exit with N if the acceptor that ended the wait is called NAME. May be repeated.")
    :argname("NAME=N"):count("*"):reads(M.read)
end

---Returns the exit codes of outcomes by their names.
---@param options table of the command line
---@return table<string, integer>? codes nil where none is given
---@return string? mistake
function M.by_name(options)
  local codes = {}
  for _, given in ipairs(options.exit_code) do
    if codes[given.name] then return nil, ("--exit-code: %s is given twice"):format(given.name) end
    codes[given.name] = given.code
  end
  return next(codes) and codes
end

---Returns the mistake in codes of which one is for no outcome that there is.
---@param codes table<string, integer> by name
---@param names string[] of the outcomes
---@param ended string what ends with them: a waiter, or a run
---@return string?
function M.mistake_in_names(codes, names, ended)
  local known = require("bide.text.tables").set(names)
  for _, name in ipairs(require("bide.text.option").sorted_keys(codes)) do
    if not known[name] then
      local near = require("bide.core").names.nearest(name, names)
      return ("--exit-code: no acceptor that ends %s is called %q; %s"):format(ended, name,
        near and ("did you mean %q?"):format(near) or #names > 0 and "they are called " .. table.concat(names, ", ")
        or "none of them has a name")
    end
  end
end

---Returns the exit codes of outcomes of a waiter by their names.
---@param options table of the command line
---@param waiter bide.Waiter
---@return table<string, integer>? codes nil where none is given
---@return string? mistake
function M.named(options, waiter)
  local codes, mistake = M.by_name(options)
  if codes then mistake = M.mistake_in_names(codes, waiter:outcome_names(), waiter.name) end
  if mistake then return nil, mistake end
  return codes
end

return M
