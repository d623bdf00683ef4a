---The exit codes: one for each cause, so that a script can distinguish them, and those that the user gives to named
---outcomes: `--exit-code Complete=0 --exit-code Failed=1`.

local M = {
  SUCCESS = 0,
  FAILURE = 1,
  USAGE = 2,
  UNMATCHED_ERROR = 3,
  MAX_ATTEMPTS = 4,
  SCRIPT_ERROR = 5,
  FAULT = 70, -- of bide itself, or memory that ran out
  MAX_WAIT = 124,
  NO_COMMAND = 127,
  SIGNAL = 128, -- and the signal's number
}

---The meaning of each code, for people.
---@type bide.cli.Row[]
M.meanings = {
  { "0", "success; with -- COMMAND, the code of COMMAND" },
  { "1", "failure: an acceptor decided so, or the output of a success cannot be written" },
  { "2", "a mistake on the command line or in the recipe; nothing was sent" },
  { "3", "an error that no acceptor matched" },
  { "4", "all attempts were used up" },
  { "5", "a bug in the recipe" },
  { "70", "a fault of bide itself, or memory ran out" },
  { "124", "the deadline passed" },
  { "127", "the wait succeeded, and COMMAND cannot be run" },
  { "129, 130, 131, 143", "SIGHUP, SIGINT, SIGQUIT or SIGTERM ended bide" },
}

local by_reason = {
  unmatchedError = M.UNMATCHED_ERROR, maxAttempts = M.MAX_ATTEMPTS,
  maxWait = M.MAX_WAIT, scriptError = M.SCRIPT_ERROR,
}

---@param record table an outcome
---@param signal integer? the number of the signal that ended it
---@param named table<string, integer>? codes of outcomes that have a name
---@return integer
function M.of(record, signal, named)
  if record.fault then return M.FAULT end
  if named and named[record.name] then return named[record.name] end
  if record.reason == "cancelled" then return M.SIGNAL + (signal or 2) end
  if record.state == "success" then return M.SUCCESS end
  return by_reason[record.reason] or M.FAILURE
end

---The exit code of an outcome that may not have been written. A success that could not be reported is a failure.
---@param code integer
---@param reported boolean
---@return integer
function M.unless_reported(code, reported)
  return code == M.SUCCESS and not reported and M.FAILURE or code
end

---The causes that end single waits, the worst first. FAULT comes before all of them, and before the signal that ended
---the fleet.
local worst_first = {
  M.SCRIPT_ERROR, M.UNMATCHED_ERROR, M.FAILURE, M.MAX_ATTEMPTS, M.MAX_WAIT, M.SUCCESS,
}

local rank_of = {}
for rank, code in ipairs(worst_first) do rank_of[code] = rank end

---The exit code of a fleet: that of its worst wait, by the cause of its end, with its own code if the outcome has one. A
---wait whose code is 0 is not a failure. Waits that were cancelled because the fleet was already decided do not count, and
---if enough waits succeeded, neither do those that failed.
---@param fleet bide.FleetRecord
---@param signal integer? the number of the signal that ended it
---@param named? table<any, table<string, integer>> codes of outcomes that have a name, by the key of the wait
---@return integer
function M.of_fleet(fleet, signal, named)
  local worst, least = fleet.state == "success" and M.SUCCESS or M.FAILURE, math.huge
  for key, record in pairs(fleet.records) do
    local cause, code = M.of(record), M.of(record, nil, named and named[key])
    if cause == M.FAULT and fleet.state ~= "success" then return M.FAULT end
    local rank = code == M.SUCCESS and rank_of[M.SUCCESS] or rank_of[cause]
    local counts = record.reason ~= "cancelled" and (fleet.state ~= "success" or record.state == "success")
    if counts and (rank < least or rank == least and code > worst) then worst, least = code, rank end
  end
  return fleet.interrupted and M.SIGNAL + (signal or 2) or worst
end

-- ---- --exit-code ----------------------------------------------------------------------------

local function read(text)
  local name, number = text:match("^([^=]+)=(%d+)$")
  local code = tonumber(number)
  if code and code <= 255 then return { name = name, code = code } end
  return nil, "--exit-code: " .. require("bide.option").expected("NAME=N with N from 0 to 255", text)
end

---Adds `--exit-code`. The user may give any code, also one that bide uses itself.
---@param command table
function M.add_option(command)
  command:begin_section "Acceptors"
  command:option("--exit-code", "Exit with N if the acceptor that ended the wait is called NAME. May be repeated.")
    :argname("NAME=N"):count("*"):convert(read)
end

local function mistake_of(waiter, name, names)
  local near = require("bide.core").names.nearest(name, names)
  return ("--exit-code: no acceptor that ends %s is called %q; %s"):format(waiter.name, name,
    near and ("did you mean %q?"):format(near) or #names > 0 and "they are called " .. table.concat(names, ", ")
    or "none of them has a name")
end

---@param options table of the command line
---@param waiter bide.Waiter
---@return table<string, integer>? codes by name; nil where none is given
---@return string? mistake
function M.named(options, waiter)
  if #options.exit_code == 0 then return nil end
  local names, known = waiter:outcome_names()
  local codes = {}
  for _, given in ipairs(options.exit_code) do
    if not known[given.name] then return nil, mistake_of(waiter, given.name, names) end
    if codes[given.name] then return nil, ("--exit-code: %s is given twice"):format(given.name) end
    codes[given.name] = given.code
  end
  return codes
end

return M
