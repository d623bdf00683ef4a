---bide submit: writes waits into a store, where workers make them, and ends.

local client = require "bide.cli.store.client"
local core = require "bide.core"
local exit_code = require "bide.cli.ending.exit_code"
local groups = require "bide.cli.waits.group"
local named_secret = require "bide.recipe.input.named_secret"
local parser = require "bide.cli.words.parser"
local parts = require "bide.cli.words.parts"
local run = require "bide.cli.commands.run"
local shared = require "bide.cli.words.shared_options"
local shown = require "bide.text.shown"
local store_options = require "bide.cli.store.options"
local untrusted = require "bide.cli.words.untrusted"

local M = { summary = "write waits into a store, whose workers make them" }

---Options of a wait that no store takes. A line with one of them is refused with a reason, and the help leaves them out.
local refused = { "--rate", "--exit-code", "--bearer", "--basic", "--api-key", "--events" }

function M.new_parser()
  local command = parser.new("submit", "Write waits into a store and end; workers make them, and bide watch reports them.",
    "bide submit http localhost:8080/health --max-wait 1h --store waits.db")
  shared.add_recipe(command, "The waiter and the inputs, as for bide run."):args "?"
  store_options.add_cells(command)
  store_options.add_submission(command)
  parts.add_options(command)
  shared.add_each(command)
  groups.add_options(command)
  command:begin_section "Report"
  command:option("--output", "Print as FORMAT: text, the number of the run, or json."):argname("FORMAT")
    :one_of({ "text", "json" }):default "text"
  shared.add_events(command)
  shared.add_quiet(command)
  for _, name in ipairs(refused) do command.options[name].declared:hidden(true) end
  command:usage("Usage: bide submit RECIPE [WAITER] [KEY=VALUE ...] --max-wait DURATION\n"
    .. "                   --store URL [options] [+ RECIPE ...]")
  return command
end

function M.main(arguments)
  shared.refuse_command(arguments)
  local command = M.new_parser()
  local list = parts.parse_line(command, arguments, function(list)
    local options = list[1].options
    if #options.exit_code > 0 then return "--exit-code: the code is that of bide watch RUN --exit-code NAME=N" end
    if options.events then return "--events: the events are those of bide watch RUN --events FILE" end
    if list[1].companion then return "--while: the waits do not end with this process" end
    return run.mistake_of_parts(list) or store_options.refusal_of(options)
  end)
  local options = list[1].options
  untrusted.apply({}, { recipes = { options.recipe or options.each, table.unpack(options.with) } })
  named_secret.allow()
  local waits = run.stream_of(command, list)
  local store = client.open_for(options, waits)
  local made = client.submit(options, store, waits)
  made.store = store.url
  store:close()
  local text = options.output == "json" and assert(core.json.encode(made)) or ("%d"):format(made.run)
  return exit_code.unless_reported(exit_code.SUCCESS, shown.print_document(text, "\n"))
end

return M
