---The command line of one command: lua-argparse with bide's exit code for usage,
---and with what all commands share.

local argparse = require "argparse"
local duration = require "bide.duration"
local exit = require "bide.cli.exit"
local exit_code = require "bide.exit_code"

local M = {}

---Says what is wrong and ends the process: nothing was sent yet.
---@param message string
function M.fail(message)
  io.stderr:write("bide: ", message, "\n")
  exit.now(exit_code.USAGE)
end

---@param name string
---@param summary string
---@param example string
---@return table parser
function M.new(name, summary, example)
  local parser = argparse("bide " .. name, summary):epilog("Example:\n  " .. example)
  function parser.error(_, message)
    M.fail(("%s (see bide %s --help)"):format(message, name))
  end
  return parser
end

---A duration as argparse converts it.
function M.duration(text)
  return duration.parse(text)
end

local function whole(least)
  return function(text)
    local number = math.tointeger(tonumber(text))
    if number and number >= least then return number end
    return nil, ("found %q, wanted a whole number%s"):format(text, least > math.mininteger and " above 0" or "")
  end
end

M.count, M.integer = whole(1), whole(math.mininteger)

---The options that every wait takes. `--max-wait` is checked by hand, to say why it is wanted.
function M.add_limits(parser)
  parser:option("--max-wait", "How long to wait at most: 300, 300s, 5m, 1h30m. Required."):argname("DURATION"):convert(M.duration)
  parser:option("--max-attempts", "How many attempts at most."):argname("N"):convert(M.count)
  parser:option("--min-delay", "The shortest delay, in place of the waiter's."):argname("DURATION"):convert(M.duration)
  parser:option("--max-delay", "The longest delay, in place of the waiter's."):argname("DURATION"):convert(M.duration)
  parser:option("--seed", "The same seed gives the same delays."):argname("N"):convert(M.integer)
  parser:option("--with", "A Lua file with operations for waiters that come without."):argname("FILE")
end

function M.add_reporting(parser)
  parser:option("--output", "How the outcome is printed."):argname("FORMAT"):choices { "text", "json" }:default "text"
  parser:option("--events", "Write the events as JSON Lines; - is standard output."):argname("FILE")
  parser:flag("-q --quiet", "No progress; errors and the outcome stay.")
  parser:flag("-v --verbose", "A line of progress for every attempt.")
end

---@param options table
function M.require_max_wait(options)
  if options.max_wait then return end
  M.fail("--max-wait is missing: the specification of waiters requires the caller to say how long to wait,\n"
    .. "so that no wait takes longer than you expect; say for example --max-wait 5m")
end

return M
