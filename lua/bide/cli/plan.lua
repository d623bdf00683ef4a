---bide plan: prints the schedule of a wait before it begins: the attempts as one seed would draw them, and the least
---and the most that any seed could.

local acceptors = require "bide.cli.acceptors"
local branch = require "bide.cli.branch"
local connection = require "bide.cli.connection"
local core = require "bide.core"
local duration = require "bide.text.duration"
local input = require "bide.cli.input"
local limits_of = require "bide.recipe.limits"
local parser = require "bide.cli.parser"
local shown = require "bide.text.shown"
local streak = require "bide.recipe.streak"
local untrusted = require "bide.cli.untrusted"
local waiters = require "bide.wait.waiter"

local M = { summary = "show when a waiter would poll" }

local LONGEST_TABLE = 1000

local nothing = assert(core.json.document {})

---The observation of every attempt of a plan.
local seen = { input = nothing, output = nothing }

---A wait, from 0 on, whose waiter always retries.
local function start(limits)
  local always = { { state = "retry", matcher = { success = true } } }
  local compiled = core.wait.definition(limits.min_delay, limits.max_delay, always)
  return core.wait.kind(compiled, limits):start(limits.seed or core.wait.random_seed(), 0)
end

---When the first attempt begins.
---@param limits bide.Limits
---@return integer milliseconds
local function first_attempt(limits)
  return start(limits):first(limits.initial_delay or 0)
end

---@class bide.PlannedRetry
---@field retry integer from 1
---@field delay integer milliseconds before it
---@field cumulative integer milliseconds from the beginning of the wait to its beginning
---@field remaining integer? milliseconds; nil for the last attempt

---Calls `visit` for each retry; stops early where that returns false. All times are milliseconds.
---@param limits bide.Limits
---@param latency integer how long each attempt takes
---@param visit fun(retry: bide.PlannedRetry): boolean?
---@return "maxWait"|"maxAttempts"|nil reason nil where it was stopped
local function walk(limits, latency, visit)
  local state, now = start(limits), first_attempt(limits)
  state:begin()
  while true do
    local verdict, _, detail = state:observe(now + latency, seen)
    if verdict ~= "retry" then return detail end
    now = now + latency + detail
    local retry = state:begin() - 1
    local remaining = limits.max_wait - now
    local is_last = remaining - latency <= limits.min_delay or retry + 1 == limits.max_attempts
    if visit { retry = retry, delay = detail, cumulative = now, remaining = not is_last and remaining or nil } == false then
      return nil
    end
  end
end

local function steps(distance, step)
  return distance <= 0 and 0 or (distance + step - 1) // step
end

---Polls from where every delay is `delay`, given what remains after an attempt.
local function constant(remaining, delay, limits, latency)
  local count = steps(remaining - delay - limits.min_delay, delay + latency)
  remaining = remaining - count * (delay + latency)
  return count + (remaining > limits.min_delay and 1 or 0)
end

---Returns the earliest time at which bounded lateness allows a delay above `delay`; nil if it never does.
local function end_of_delay(limits, delay)
  if delay >= limits.max_delay then return nil end
  local whole = (delay + 1) * limits_of.BILLIONTHS
  return (whole + limits.lateness - 1) // limits.lateness
end

---The polls of bounded lateness whose delays are all drawn as the shortest, or all as the longest. Goes over the times at
---which the bound is one millisecond longer, and not over the polls, which may be many more.
---@param elapsed integer the time when the first attempt ends
---@param which 1|2 the shortest, or the longest
local function of_lateness(elapsed, limits, latency, which)
  local polls = 1
  while limits.max_wait - elapsed > limits.min_delay do
    local range = { core.wait.late_range(limits.min_delay, limits.max_delay, limits.lateness, elapsed) }
    local delay, remaining = range[which], limits.max_wait - elapsed
    local changes_at = end_of_delay(limits, range[2])
    if not changes_at or changes_at >= limits.max_wait then return polls + constant(remaining, delay, limits, latency) end
    local count = math.max(steps(changes_at - elapsed, delay + latency), 1)
    local fitting = steps(remaining - delay - limits.min_delay, delay + latency)
    if fitting < count then return polls + constant(remaining, delay, limits, latency) end
    polls, elapsed = polls + count, elapsed + count * (delay + latency)
  end
  return polls
end

---The most polls: every delay is drawn as the shortest.
local function most(remaining, limits, latency)
  return 1 + constant(remaining, limits.min_delay, limits, latency)
end

---The least: every delay is drawn as the longest.
local function least(remaining, limits, latency)
  local polls = 1
  while true do
    local delay = core.wait.ceiling(limits.min_delay, limits.max_delay, polls)
    local last = core.wait.ceiling(limits.min_delay, limits.max_delay, polls + 1) == delay
    if last then return polls + constant(remaining, delay, limits, latency) end
    if remaining <= limits.min_delay then return polls end
    polls = polls + 1
    if remaining - delay <= limits.min_delay then return polls end
    remaining = remaining - delay - latency
  end
end

---@param limits bide.Limits
---@param latency integer milliseconds
---@return integer least
---@return integer most
local function polls(limits, latency)
  local bound = limits.max_attempts or math.maxinteger
  local ended = first_attempt(limits) + latency
  if limits.lateness then
    return math.min(of_lateness(ended, limits, latency, 2), bound), math.min(of_lateness(ended, limits, latency, 1), bound)
  end
  local remaining = limits.max_wait - ended
  return math.min(least(remaining, limits, latency), bound), math.min(most(remaining, limits, latency), bound)
end

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

---@param arguments string[]
---@return integer code
function M.main(arguments)
  parser.refuse_command(arguments)
  local options = M.new_parser():parse(arguments)
  parser.require_max_wait(options)
  untrusted.apply(options, { recipes = { options.recipe, table.unpack(options.with) }, files = input.files(options) })
  local waiter = find_waiter(options)
  local limits, latency = branch.limits(options, waiter), options.latency or 0
  shown.print(("%s: minDelay %s, maxDelay %s%s, max wait %s; times in seconds"):format(waiter.name,
    duration.format(limits.min_delay), duration.format(limits.max_delay),
    limits.lateness and ", lateness " .. limits_of.percent(limits.lateness) or "", duration.format(limits.max_wait)), "")
  shown.print(table.unpack(acceptors.lines(waiter)))
  shown.print ""
  local first = first_attempt(limits)
  if first > 0 then shown.print(("First attempt at %s"):format(seconds(first)), "") end
  shown.print(row:format("Retry", "Delay", "Cumulative time", "Remaining time"))
  local complete = walk(limits, latency, function(retry)
    print_retry(retry)
    return retry.retry < LONGEST_TABLE
  end)
  if not complete then shown.print "… and so on" end
  print_hold(waiter, limits)
  shown.print("", ("Polls: at least %d, at most %d"):format(polls(limits, latency)))
  print_promise(limits)
  return 0
end

return M
