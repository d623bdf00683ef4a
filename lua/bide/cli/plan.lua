---bide plan: prints the schedule of a wait.

local duration = require "bide.duration"
local parser = require "bide.cli.parser"
local plan = require "bide.plan"
local shown = require "bide.shown"
local span = require "bide.wait.span"
local untrusted = require "bide.cli.untrusted"
local wait = require "bide.cli.wait"

local M = { summary = "show when a waiter would poll" }

local LONGEST_TABLE = 1000

local function new_parser()
  local command = parser.new("plan", "Show when a waiter would poll; nothing is sent.",
    "bide plan things.lua ThingExists --max-wait 5m --seed 1")
  command:argument("recipe", "A Lua or JSON file, or the name of a bundled recipe or of one in BIDE_PATH.")
  command:argument("waiter", "The waiter. It may be left out if the recipe has a default or only one."):args("?")
  parser.add_limits(command)
  untrusted.add_options(command)
  parser.add_duration(command, "--latency", "Assume that each attempt takes DURATION. Default: 0.", duration.parse_or_zero)
  return command
end

local function seconds(milliseconds)
  return (("%.3f"):format(milliseconds / 1000):gsub("%.?0+$", ""))
end

local row = "%-18s %10s %16s %14s"

local function print_retry(retry)
  local name = tostring(retry.retry)
  if not retry.remaining then name = name .. " (last attempt)" end
  shown.print(row:format(name, seconds(retry.delay), seconds(retry.cumulative),
    retry.remaining and seconds(retry.remaining) or "N/A"))
end

---@param arguments string[]
---@return integer code
function M.main(arguments)
  local options = new_parser():parse(arguments)
  parser.require_max_wait(options)
  untrusted.apply(options, { recipes = { options.recipe, table.unpack(options.with) } })
  local waiter = wait.find_waiter(options, options.waiter)
  local limits, latency = wait.limits(options, waiter), options.latency or 0
  shown.print(("%s: minDelay %s, maxDelay %s, max wait %s; times in seconds"):format(waiter.name,
    duration.format(limits.min_delay), duration.format(limits.max_delay), duration.format(limits.max_wait)), "")
  local first = plan.first(limits)
  if first > 0 then shown.print(("First attempt at %s"):format(seconds(first)), "") end
  shown.print(row:format("Retry", "Delay", "Cumulative time", "Remaining time"))
  local complete = plan.walk(limits, latency, function(retry)
    print_retry(retry)
    return retry.retry < LONGEST_TABLE
  end)
  if not complete then shown.print "… and so on" end
  local hold = waiter.beyond.hold_attempts and span.describe(waiter.beyond.hold_attempts, waiter.beyond.hold_time)
  if hold then shown.print("", ("A success must hold for %s, polled every minDelay"):format(hold)) end
  shown.print("", ("Polls: at least %d, at most %d"):format(plan.polls(limits, latency)))
  return 0
end

return M
