---bide plan: prints the schedule of a wait before it begins: the attempts as one seed would draw them, and the least
---and the most that any seed could.

local acceptors = require "bide.cli.acceptors"
local branch = require "bide.cli.branch"
local connection = require "bide.cli.connection"
local chart = require "bide.text.chart"
local core = require "bide.core"
local duration = require "bide.text.duration"
local input = require "bide.cli.input"
local limits_of = require "bide.recipe.limits"
local parser = require "bide.cli.parser"
local schedules = require "bide.wait.schedule"
local shown = require "bide.text.shown"
local streak = require "bide.recipe.streak"
local untrusted = require "bide.cli.untrusted"
local waiters = require "bide.wait.waiter"

local M = { summary = "show when a waiter would poll" }

local LONGEST_TABLE = 1000

---@return table parser
function M.new_parser()
  local command = parser.new("plan", "Show when a waiter would poll; nothing is sent.",
    "bide plan things.lua ThingExists --max-wait 5m --seed 1")
  command:argument("recipe", "A Lua or JSON file, or the name of a bundled recipe or of one in BIDE_PATH.")
  command:argument("WAITER, KEY=VALUE", "The waiter, which may be left out if the recipe has a default or only one, and "
    .. "inputs, which may be incomplete."):args("*"):target "words"
  command:usage "Usage: bide plan RECIPE [WAITER] [KEY=VALUE ...] --max-wait DURATION [options]"
  parser.add_limits(command)
  acceptors.add_options(command)
  acceptors.add_invert(command)
  connection.add_options(command)
  untrusted.add_options(command)
  command:begin_section "Limits and delays"
  parser.add_duration(command, "--latency", "Assume that each attempt takes DURATION. Default: 0.", duration.parse_or_zero)
  command:begin_section "Report"
  parser.restrict(command:option("--output", "Print the schedule as FORMAT, text or json."):argname("FORMAT"), "--output",
    { "text", "json" }):default "text"
  return command
end

local function seconds(milliseconds)
  return (("%.3f"):format(milliseconds / 1000):gsub("%.?0+$", ""))
end

local row = "%-18s %10s %16s %14s"

---The columns of a row of numbers, and the least that a drawing beside it has.
local NUMBERS, LEAST <const> = 61, 8

---Prints the retries, each with a bar of its delay within the longest one that could have been drawn.
---@param schedule bide.Schedule
---@param columns integer of the terminal
local function print_retries(schedule, columns)
  local width, longest = columns - NUMBERS - 2, 0
  local count = math.min(#schedule.retries, LONGEST_TABLE)
  for position = 1, count do longest = math.max(longest, schedule.retries[position].ceiling) end
  shown.print(row:format("Retry", "Delay", "Cumulative time", "Remaining time"))
  for position = 1, count do
    local retry = schedule.retries[position]
    local name = retry.retry .. (retry.remaining and "" or " (last attempt)")
    local bar = width >= LEAST and "  " .. chart.bar(retry.delay, retry.ceiling, longest, width) or ""
    shown.print(row:format(name, seconds(retry.delay), seconds(retry.cumulative),
      retry.remaining and seconds(retry.remaining) or "N/A") .. bar)
  end
  if count < #schedule.retries or not schedule.complete then shown.print "… and so on" end
end

---Draws the polls of the seed over the time of the wait.
---@param schedule bide.Schedule
local function print_timeline(schedule, limits, columns)
  if not schedule.complete or #schedule.retries < 2 then return end
  local ending = " " .. duration.format(limits.max_wait)
  local counts, width = {}, math.max(columns - #"polls  0 s " - #ending, LEAST)
  for position = 1, width do counts[position] = 0 end
  local function count(at)
    local place = math.min(at * width // limits.max_wait + 1, width)
    counts[place] = counts[place] + 1
  end
  count(schedule.first)
  for _, retry in ipairs(schedule.retries) do count(retry.cumulative) end
  shown.print("", "polls  0 s " .. chart.columns(counts, 1)[1] .. ending)
end

---Prints how often the wait polls, and how soon it notices.
---@param schedule bide.Schedule
local function print_figures(schedule)
  local polls, discovery = schedule.polls, schedule.discovery
  shown.print("", ("Polls: at least %d, at most %d"):format(polls.least, polls.most))
  shown.print(("Expected: %.1f polls; a change is found after %s on average, %s at most"):format(polls.expected,
    duration.format(math.floor(discovery.mean + 0.5)), duration.format(discovery.worst)))
end

---@param schedule bide.Schedule
local function print_json(waiter, limits, latency, schedule)
  local retries = core.json.array {}
  for position, retry in ipairs(schedule.retries) do
    retries[position] = {
      retry = retry.retry, delay = retry.delay / 1000, ceiling = retry.ceiling / 1000, cumulative = retry.cumulative / 1000,
      remaining = retry.remaining and retry.remaining / 1000,
    }
  end
  local printed = {
    waiter = waiter.name, minDelay = limits.min_delay / 1000, maxDelay = limits.max_delay / 1000,
    lateness = limits.lateness and limits.lateness / limits_of.BILLIONTHS, maxWait = limits.max_wait / 1000,
    latency = latency / 1000, first = schedule.first / 1000, retries = retries, complete = schedule.complete,
    polls = schedule.polls, discovery = { mean = schedule.discovery.mean / 1000, worst = schedule.discovery.worst / 1000 },
  }
  shown.print_document(assert(core.json.encode(printed, { indent = true, escape = true })) .. "\n")
end

---Finds the waiter; ends the process if there is a mistake in the words. An input may be left out, since nothing is sent.
local function find_waiter(options)
  local waiter, words = branch.find_waiter(options)
  return waiters.for_input(waiter, branch.read_input(options, waiter, words))
end

---Prints the hold: that of the command line, or the waiter's.
local function print_hold(waiter, limits)
  local of = limits.hold_attempts and limits or waiter.beyond
  if not of.hold_attempts then return end
  local delay = math.max(limits.min_delay, limits.hold_delay or 0)
  shown.print("", ("A success must hold for %s, polled every %s"):format(streak.length(of.hold_attempts, of.hold_time),
    limits.hold_delay and duration.format(delay) or "minDelay"))
end

---Prints the promise of bounded lateness, and what it does not cover.
local function print_promise(limits)
  if not limits.lateness then return end
  shown.print(("Found late by at most %s of the time waited, or %s: for attempts of no duration, without hold, rate and "
    .. "Retry-After"):format(limits_of.percent(limits.lateness), duration.format(limits.min_delay)))
end

---@param schedule bide.Schedule
local function print_text(waiter, limits, schedule)
  local columns = core.process.window(1) or 80
  shown.print(("%s: minDelay %s, maxDelay %s%s, max wait %s; times in seconds"):format(waiter.name,
    duration.format(limits.min_delay), duration.format(limits.max_delay),
    limits.lateness and ", lateness " .. limits_of.percent(limits.lateness) or "", duration.format(limits.max_wait)), "")
  shown.print(table.unpack(acceptors.lines(waiter)))
  shown.print ""
  if schedule.first > 0 then shown.print(("First attempt at %s"):format(seconds(schedule.first)), "") end
  print_retries(schedule, columns)
  print_timeline(schedule, limits, columns)
  print_hold(waiter, limits)
  print_figures(schedule)
  print_promise(limits)
end

---@param arguments string[]
---@return integer code
function M.main(arguments)
  parser.refuse_command(arguments)
  local options = M.new_parser():parse(arguments)
  parser.require_max_wait(options)
  untrusted.apply(options, { recipes = { options.recipe, table.unpack(options.with) }, files = input.files(options) })
  local waiter = find_waiter(options)
  local limits, latency = branch.limits(options, waiter), options.latency or 0
  local schedule = schedules.of(limits, latency)
  if options.output == "json" then
    print_json(waiter, limits, latency, schedule)
  else
    print_text(waiter, limits, schedule)
  end
  return 0
end

return M
