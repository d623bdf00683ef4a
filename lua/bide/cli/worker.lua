---bide worker: makes the attempts of a store's waits, until a signal ends it.

local core = require "bide.core"
local duration = require "bide.text.duration"
local exit_code = require "bide.cli.exit_code"
local option = require "bide.text.option"
local parser = require "bide.cli.parser"
local process = require "bide.cli.process"
local shown = require "bide.text.shown"
local storing = require "bide.cli.storing"
local untrusted = require "bide.cli.untrusted"
local verbs = require "bide.record.store.verbs"
local working = require "bide.cli.working"

local M = { summary = "make the attempts of a store's waits" }

---Reads `Q` or `Q=WEIGHT`.
local function read_queue(text)
  local name, weight = text:match "^([^=]*)=?(.*)$"
  local mistake = verbs.mistake_of_name(name)
  local number = weight == "" and not text:find "=" and 1 or math.tointeger(tonumber(weight))
  if not mistake and not (number and number >= 1 and number <= 1000) then
    mistake = option.expected("Q or Q=WEIGHT, with a weight from 1 to 1000", text)
  end
  if mistake then return nil, "--queue: " .. mistake end
  return { name = name, weight = number }
end

---@return table parser
function M.new_parser()
  local command = parser.new("worker", "Make the attempts of a store's waits, until SIGTERM or SIGINT; other workers make those "
    .. "of the same store. Recipes run without a sandbox, as bide run runs them.", "bide worker --store waits.db")
  storing.add_store(command)
  command:option("--queue", "Serve this queue; with several, each gets turns by its WEIGHT. Default: default.")
    :argname("Q[=WEIGHT]"):count("*"):convert(read_queue)
  parser.add_count(command, "--jobs", ("Hold at most N waits at a time. Default: %d."):format(working.JOBS))
  parser.add_duration(command, "--drain", "At a signal, let running attempts end for DURATION. Default: cut them.",
    duration.parse_or_zero)
  parser.add_quiet(command)
  return command
end

---Ends the worker at the first signal, and the process at the second one.
---@param worker bide.Worker
local function obey_signals(worker)
  local count = 0
  core.loop.watch_signals(function(number)
    count = count + 1
    if count > 1 then process.leave(exit_code.SIGNAL + number) end
    worker:stop()
  end)
end

---@param arguments string[]
---@return integer code
function M.main(arguments)
  parser.refuse_command(arguments)
  local options = M.new_parser():parse(arguments)
  local store = storing.open(options)
  untrusted.apply({}, { recipes = { "the recipes of " .. store.url } })
  local queues = #options.queue > 0 and options.queue or { { name = "default", weight = 1 } }
  local worker = working.new(store, { queues = queues, jobs = options.jobs, drain = options.drain })
  obey_signals(worker)
  if not options.quiet then
    local names = {}
    for position, queue in ipairs(queues) do names[position] = queue.name end
    shown.complain(("serving %s of %s"):format(table.concat(names, ", "), store.url))
  end
  worker:run()
  store:close()
  process.settle()
  process.leave(exit_code.SUCCESS) -- a signal is how a worker ends
  return exit_code.SUCCESS
end

return M
