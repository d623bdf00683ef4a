---bide plan: shows the schedule of a wait before it begins: the attempts as one seed would draw them, and the least
---and the most that any seed could.

local acceptors = require "bide.cli.words.acceptors"
local branch = require "bide.cli.waits.branch"
local connection = require "bide.cli.words.connection"
local chart = require "bide.text.chart"
local core = require "bide.core"
local duration = require "bide.text.duration"
local input = require "bide.cli.words.input"
local limits_of = require "bide.recipe.waiter.limits"
local output = require "bide.cli.report.output"
local parser = require "bide.cli.words.parser"
local schedules = require "bide.wait.schedule"
local shared = require "bide.cli.words.shared_options"
local shown = require "bide.text.shown"
local streak = require "bide.recipe.waiter.streak"
local untrusted = require "bide.cli.words.untrusted"
local uses = require "bide.cli.files.uses"
local waiters = require "bide.wait.waiter"

local M = { summary = "show when a waiter would poll" }

local LONGEST_TABLE = 1000

function M.new_parser()
  local command = parser.new("plan", "Show when a waiter would poll; nothing is sent.",
    "bide plan things.lua ThingExists --max-wait 5m --seed 1")
  shared.add_recipe(command)
  command:usage "Usage: bide plan RECIPE [WAITER] [KEY=VALUE ...] --max-wait DURATION [options]"
  acceptors.add_decisions(command)
  connection.add_options(command)
  untrusted.add_options(command)
  command:begin_section "Limits and delays"
  shared.add_duration(command, "--latency", "Assume that each attempt takes DURATION. Default: 0.", duration.parse_or_zero)
  command:begin_section "Report"
  command:option("--output", "Print the schedule as FORMAT: text, json, or html, a page of its own, on standard output or in "
    .. "FILE."):argname("FORMAT[=FILE]"):convert(output.read_plan):default "text"
  return command
end

local function seconds(milliseconds)
  return (("%.3f"):format(milliseconds / 1000):gsub("%.?0+$", ""))
end

local row = "%-18s %10s %16s %14s"

---The columns of a row of numbers, and the least that a drawing beside it has.
local NUMBERS, LEAST <const> = 61, 8

---@param lines string[]
local function add(lines, ...)
  for _, line in ipairs { ... } do lines[#lines + 1] = line end
end

---Adds the retries, each with a bar of its delay within the longest one that could have been drawn.
---@param schedule bide.Schedule
---@param columns integer of the terminal
local function add_retries(lines, schedule, columns)
  local width, longest = columns - NUMBERS - 2, 0
  local count = math.min(#schedule.retries, LONGEST_TABLE)
  for position = 1, count do longest = math.max(longest, schedule.retries[position].ceiling) end
  add(lines, row:format("Retry", "Delay", "Cumulative time", "Remaining time"))
  for position = 1, count do
    local retry = schedule.retries[position]
    local name = retry.retry .. (retry.remaining and "" or " (last attempt)")
    local bar = width >= LEAST and "  " .. chart.bar(retry.delay, retry.ceiling, longest, width) or ""
    add(lines, row:format(name, seconds(retry.delay), seconds(retry.cumulative),
      retry.remaining and seconds(retry.remaining) or "N/A") .. bar)
  end
  if count < #schedule.retries or not schedule.complete then add(lines, "… and so on") end
end

---Draws the polls of the seed over the time of the wait.
---@param schedule bide.Schedule
local function add_timeline(lines, schedule, limits, columns)
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
  add(lines, "", "polls  0 s " .. chart.columns(counts, 1)[1] .. ending)
end

---Adds how often the wait polls, and how soon it notices.
---@param schedule bide.Schedule
local function add_figures(lines, schedule)
  local polls, discovery = schedule.polls, schedule.discovery
  add(lines, "", ("Polls: at least %d, at most %d"):format(polls.least, polls.most))
  add(lines, ("Expected: %.1f polls; a change is found after %s on average, %s at most"):format(polls.expected,
    duration.format(math.floor(discovery.mean + 0.5)), duration.format(discovery.worst)))
end

---@param schedule bide.Schedule
---@return string
local function json_of(waiter, limits, latency, schedule)
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
  return assert(core.json.encode(printed, { indent = true, escape = true })) .. "\n"
end

---Finds the waiter; ends the process if there is a mistake in the words. An input may be left out, since nothing is sent.
local function find_waiter(options)
  local waiter, words = branch.find_waiter(options)
  return waiters.for_input(waiter, branch.read_input(options, waiter, words))
end

---Adds the hold: that of the command line, or the waiter's.
local function add_hold(lines, waiter, limits)
  local of = limits.hold_attempts and limits or waiter.beyond
  if not of.hold_attempts then return end
  local delay = math.max(limits.min_delay, limits.hold_delay or 0)
  add(lines, "", ("A success must hold for %s, polled every %s"):format(streak.length(of.hold_attempts, of.hold_time),
    limits.hold_delay and duration.format(delay) or "minDelay"))
end

---Adds the promise of bounded lateness, and what it does not cover.
local function add_promise(lines, limits)
  if not limits.lateness then return end
  add(lines, ("Found late by at most %s of the time waited, or %s: for attempts of no duration, without hold, rate and "
    .. "Retry-After"):format(limits_of.percent(limits.lateness), duration.format(limits.min_delay)))
end

local function limits_in_words(limits)
  return ("minDelay %s, maxDelay %s%s, max wait %s"):format(duration.format(limits.min_delay), duration.format(limits.max_delay),
    limits.lateness and ", lateness " .. limits_of.percent(limits.lateness) or "", duration.format(limits.max_wait))
end

---@param schedule bide.Schedule
---@return string
local function text_of(waiter, limits, schedule)
  local columns, lines = core.process.window(1) or 80, {}
  add(lines, ("%s: %s; times in seconds"):format(waiter.name, limits_in_words(limits)), "")
  add(lines, table.unpack(acceptors.lines(waiter)))
  add(lines, "")
  if schedule.first > 0 then add(lines, ("First attempt at %s"):format(seconds(schedule.first)), "") end
  add_retries(lines, schedule, columns)
  add_timeline(lines, schedule, limits, columns)
  add_hold(lines, waiter, limits)
  add_figures(lines, schedule)
  add_promise(lines, limits)
  return shown.document(lines)
end

---@param schedule bide.Schedule
---@return string
local function html_of(waiter, limits, schedule)
  local notes = {}
  add_hold(notes, waiter, limits)
  add_promise(notes, limits)
  local message = limits_in_words(limits) .. ". " .. table.concat(notes, ". ")
  return require("bide.record.report.format.plan").document {
    waiter = waiter.name, message = message, acceptors = acceptors.lines(waiter), seed = limits.seed,
    max_wait = limits.max_wait, schedule = schedule,
  }
end

function M.main(arguments)
  local options = shared.parse(M.new_parser(), arguments)
  shared.require_max_wait(options)
  local named = { recipes = { options.recipe, table.unpack(options.with) }, files = input.files(options) }
  uses.check({ output = { options.output } }, named)
  untrusted.apply(options, named)
  local waiter = find_waiter(options)
  local limits, latency = branch.limits(options, waiter), options.latency or 0
  local schedule = schedules.of(limits, latency)
  local text_as = options.output.format == "html" and html_of or text_of
  local text = options.output.format == "json" and json_of(waiter, limits, latency, schedule)
    or text_as(waiter, limits, schedule)
  return output.deliver(options.output, text)
end

return M
