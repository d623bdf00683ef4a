---bide watch: follows a run of a store, and reports it as bide run would.

local await = require "bide.task.await"
local client = require "bide.cli.store.client"
local core = require "bide.core"
local exit_code = require "bide.cli.ending.exit_code"
local output = require "bide.cli.report.output"
local parser = require "bide.cli.words.parser"
local process = require "bide.cli.ending.process"
local shared = require "bide.cli.words.shared_options"
local shown = require "bide.text.shown"
local store_options = require "bide.cli.store.options"
local store_watch = require "bide.cli.store.watch"
local telemetry = require "bide.cli.report.telemetry"
local uses = require "bide.cli.files.uses"

local M = { summary = "follow a run of a store to its end" }

function M.new_parser()
  local command = parser.new("watch", "Follow a run of a store, and report its outcome as bide run would, with its exit code.",
    "bide watch 1 --store waits.db")
  command:argument("run", "The number of the run, as bide submit has printed it."):reads(store_options.read_run, "RUN")
  store_options.add_cells(command)
  shared.add_duration(command, "--for", "End after DURATION with 75 if the run has not ended; the run continues.")
  command:option("--exit-code", "Exit with N if the acceptor that ended the one wait is called NAME. May be repeated.")
    :argname("NAME=N"):count("*"):reads(exit_code.read)
  output.add_option(command)
  shared.add_events(command, " Attempts that the store has not kept are not among them.")
  shared.add_silent(command)
  command:flag("-v --verbose", "List every wait of a fleet at the end.")
  command:list_codes(exit_code.of_watch)
  command:usage "Usage: bide watch RUN --store URL [options]"
  return command
end

---Ends the watching after a time.
---@param watch bide.cli.Watch
---@param milliseconds integer
local function stop_later(watch, milliseconds)
  core.task.start(function()
    await(core.loop.update() + milliseconds)
    watch.is_late = true
    watch:stop()
  end, function() end)
end

function M.main(arguments)
  local options = shared.parse(M.new_parser(), arguments)
  local codes, mistake = exit_code.by_name(options)
  if mistake then parser.fail(mistake) end
  uses.check(options)
  output.open(options)
  telemetry.begin(options)
  local store = client.store_of(options, client.open_cells(options, { must_exist = true }), options.run)
  local watch = store_watch.new(options, store, options.run, codes)
  if options["for"] then stop_later(watch, options["for"]) end
  local ended = store_watch.report(watch)
  store:close()
  telemetry.start(options, ended.result)()
  process.settle()
  shown.flush()
  local code = exit_code.decide(ended, core.loop.release_signals())
  process.leave(code) -- a task may still sleep until the end of --for
  return code
end

return M
