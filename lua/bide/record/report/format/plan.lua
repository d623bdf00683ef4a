---Writes the schedule of a wait as one HTML page that loads nothing and has no script.

local duration = require "bide.text.duration"
local markup = require "bide.record.report.format.markup"
local timeline = require "bide.record.report.format.timeline"
local version = require "bide.version"

local M = {}

local template = markup.open "plan.html"
local style = markup.read "page.css"
local escape = markup.escape

---The most retries that have a row in the table.
local MOST_ROWS <const> = 1000

---The most bytes of a text.
local LONGEST <const> = 8192

---A plan, as `bide plan` has it. Times are milliseconds.
---@class bide.Plan
---@field waiter string
---@field message string the limits in words
---@field acceptors string[] a line for each
---@field seed integer?
---@field max_wait integer
---@field schedule bide.Schedule

---@param milliseconds integer
---@param span integer
---@return integer
local function x_of(milliseconds, span)
  return math.floor(math.min(milliseconds / span, 1) * timeline.WIDTH + 0.5)
end

---Draws a mark for each poll; polls that would have the same place share one.
---@param plan bide.Plan
---@return string path
local function marks_of(plan)
  local parts, last = {}, nil
  local function mark(at)
    local x = x_of(at, plan.max_wait)
    if x ~= last then parts[#parts + 1] = ("M%d 4v16"):format(x) end
    last = x
  end
  mark(plan.schedule.first)
  for _, retry in ipairs(plan.schedule.retries) do mark(retry.cumulative) end
  return table.concat(parts)
end

---Draws the delays over the time, and below them the area of those that could have been drawn.
---@param plan bide.Plan
---@return string delays
---@return string ceilings
---@return integer longest
local function course_of(plan)
  local longest, delays, ceilings, last = 1, {}, { "M0 100" }, nil
  for _, retry in ipairs(plan.schedule.retries) do longest = math.max(longest, retry.ceiling) end
  for _, retry in ipairs(plan.schedule.retries) do
    local x = x_of(retry.cumulative - retry.delay, plan.max_wait)
    if x ~= last then
      delays[#delays + 1] = ("M%d 100V%d"):format(x, 100 - math.floor(retry.delay / longest * 94 + 0.5))
      ceilings[#ceilings + 1] = ("L%d %d"):format(x, 100 - math.floor(retry.ceiling / longest * 94 + 0.5))
    end
    last = x
  end
  ceilings[#ceilings + 1] = ("H%dV100Z"):format(timeline.WIDTH)
  return table.concat(delays), table.concat(ceilings), longest
end

---@param plan bide.Plan
---@return string
local function rows_of(plan)
  local rows = {}
  for position, retry in ipairs(plan.schedule.retries) do
    if position > MOST_ROWS then break end
    rows[position] = template.fill("row", {
      retry = retry.retry, delay = duration.format(retry.delay), at = duration.format(retry.cumulative),
      remaining = retry.remaining and duration.format(retry.remaining) or "the last attempt",
    })
  end
  return table.concat(rows)
end

---@param plan bide.Plan
---@return string
local function figures_of(plan)
  local polls, discovery, figures = plan.schedule.polls, plan.schedule.discovery, {}
  local function add(name, value) figures[#figures + 1] = template.fill("figure", { name = name, value = value }) end
  add("Polls, expected", ("%.1f"):format(polls.expected))
  add("at least", polls.least)
  add("at most", polls.most)
  add("A change is found after, on average", duration.format(math.floor(discovery.mean + 0.5)))
  add("at most", duration.format(discovery.worst))
  return table.concat(figures)
end

---@param plan bide.Plan
---@return string document
function M.document(plan)
  local schedule, lines = plan.schedule, {}
  local delays, ceilings, longest = course_of(plan)
  for position, line in ipairs(plan.acceptors) do lines[position] = escape(line, LONGEST) end
  local shown_rows = math.min(#schedule.retries, MOST_ROWS)
  local has_more = shown_rows < #schedule.retries or not schedule.complete
  return template.fill("page", {
    style = style, style_hash = markup.hash(style), version = version, title = escape(plan.waiter, 300),
    message = escape(plan.message, LONGEST), figures = figures_of(plan), ticks = timeline.axis(plan.max_wait / 1000, template),
    polls = marks_of(plan), polls_words = ("%.1f polls are expected"):format(schedule.polls.expected),
    delays = delays, ceilings = ceilings, longest = duration.format(longest), max_wait = duration.format(plan.max_wait),
    delays_words = ("Delays up to %s over %s"):format(duration.format(longest), duration.format(plan.max_wait)),
    acceptors = table.concat(lines, "\n"), seed = plan.seed or "chosen at random",
    notice = has_more and template.fill("notice", { words = ("The first %d retries are shown here."):format(shown_rows) }) or "",
    rows = rows_of(plan),
  })
end

return M
