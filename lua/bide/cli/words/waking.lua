---The options for what brings attempts forward: `--no-watch`, and `--wake-on SIGNAL`.

local begun = require "bide.wait.begun"
local uv = require "luv"

local M = {}

---The signals that have no other meaning for bide.
local names = { USR1 = "sigusr1", USR2 = "sigusr2" }

local function read_signal(text)
  local name = names[text:upper():gsub("^SIG", "")]
  return name, not name and ("expected USR1 or USR2, found %q"):format(text) or nil
end

---@param command table
function M.add_options(command)
  command:begin_section "Limits and delays"
  command:flag("--no-watch", "Only poll: do not listen for events of files, processes, ports and services, which bring "
    .. "the next attempt forward.")
  command:option("--wake-on", "Make the next attempt of every wait at once when SIGNAL comes: USR1 or USR2.")
    :argname("SIGNAL"):reads(read_signal)
end

---Handles the signal from now on. Until then it has its usual effect: it ends the process.
---@param options table of the command line
function M.apply(options)
  if options.no_watch or options.record then require("bide.wait.watch").disable() end
  if not options.wake_on then return end
  local handle = assert(uv.new_signal())
  assert(handle:start(options.wake_on, begun.wake))
  handle:unref()
  begun.expect(1)
end

return M
