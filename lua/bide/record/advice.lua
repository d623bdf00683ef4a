---Learns a schedule from when past waits ended: the one that finds the end soonest for no more polls than today's, and the
---one that polls least for no more lateness. Both are searched on Turnbull's estimate, by the same streams of random delays
---(src/wait/ends.h, src/wait/schedule.h); the intervals are those of a bootstrap.

local core = require "bide.core"
local limits_of = require "bide.recipe.waiter.limits"

local M = {
  ---The least waits whose end was seen that an advice rests on.
  LEAST_ENDS = 30,
  ---The samples of the bootstrap, and the part of them that an interval has.
  SAMPLES = 400, PART = 0.9,
  ---Is called now and then while it computes.
  breathe = function() end,
}

---The most streams of the search, and those of the figures; fewer are enough if a wait has many polls.
local FEW, STREAMS <const> = 16, 64

---The polls of all streams that are enough.
local ENOUGH <const> = 4000

---The least minDelay that is advised, in milliseconds, unless today's is less.
local LEAST_DELAY <const> = 50

---The part by which a schedule that changes more must be better.
local WORTH <const> = 1.01

---The share of the waits by which fewer ends may be found before the max wait, since the last poll comes minDelay before it.
local UNFOUND <const> = 0.001

---A schedule of the search. Times are milliseconds.
---@class bide.AdvisedLimits : bide.ScheduleLimits

---@class bide.Figures
---@field lateness number milliseconds, the mean of the ends that are found
---@field polls number the mean of a wait
---@field found number the share of the waits whose end is found

---@param ends bide.Ends
---@param limits bide.ScheduleLimits
---@param streams integer
---@param most number? the polls above which the figures do not matter
---@return bide.Figures
local function figures_of(ends, limits, streams, most)
  local lateness, polls, found = ends:figures(limits, streams, most)
  return { lateness = lateness, polls = polls, found = found }
end

-- ---- the aims -----------------------------------------------------------------------------------

---An aim: the figure that is made less, and the one that may not become more.
---@class bide.Aim
---@field name "sooner"|"fewer"
---@field cost "lateness"|"polls"
---@field bound "lateness"|"polls"

---@type bide.Aim[]
M.aims = {
  { name = "sooner", cost = "lateness", bound = "polls" },
  { name = "fewer", cost = "polls", bound = "lateness" },
}

---The parts of the ends by which a first delay is tried.
local PARTS <const> = 25

---Returns the times by which parts of the ends have come, the first and the last few included.
---@param ends bide.Ends
---@return number[]
local function quantiles_of(ends)
  local places, times, sum, position = ends:places(), { 0 }, 0, 1
  for part = 0, PARTS do
    local share = math.min(math.max(part / PARTS, 0.005), 0.995)
    while position < #places and sum + places[position][3] < share do
      sum, position = sum + places[position][3], position + 1
    end
    if not places[position][2] then break end
    times[#times + 1] = places[position][2]
  end
  return times
end

---A search for one aim.
---@class bide.AdviceSearch
---@field ends bide.Ends
---@field aim bide.Aim
---@field today bide.ScheduleLimits
---@field base bide.Figures those of today, by as many streams
---@field streams integer
---@field least integer the least minDelay
---@field times number[] by which parts of the ends have come
---@field unit integer delays are multiples of it
local Search = {}
Search.__index = Search

---Returns how many streams are taken.
---@param polls number of a wait
local function streams_for(polls, most)
  return math.max(math.min(math.ceil(ENOUGH / math.max(polls, 1)), most), most // 16)
end

---@return bide.AdviceSearch
local function new_search(ends, aim, today, unit, streams)
  return setmetatable({
    ends = ends, aim = aim, today = today, streams = streams, unit = unit, base = figures_of(ends, today, streams),
    times = quantiles_of(ends), least = unit > 1 and unit or math.min(LEAST_DELAY, today.min_delay),
  }, Search)
end

---The numbers that the search changes: delays in milliseconds, the ratio of maxDelay to minDelay, and lateness.
---@class bide.ScheduleShape
---@field initial number
---@field min number
---@field ratio number at least 1
---@field lateness number?

---A schedule that is allowed, with its cost.
---@class bide.Tried
---@field limits bide.AdvisedLimits
---@field shape bide.ScheduleShape
---@field cost number

local function whole(value, unit)
  return math.floor(value / unit + 0.5) * unit | 0
end

---Tries a schedule. One with more polls than today's is for neither aim.
---@param shape bide.ScheduleShape
---@return bide.Tried? tried nil if it is not allowed
function Search:try(shape)
  local today, unit = self.today, self.unit
  local min_delay = math.max(whole(math.min(shape.min, today.max_wait), unit), self.least)
  local limits = {
    min_delay = min_delay, max_delay = math.max(whole(math.min(shape.min * shape.ratio, today.max_wait), unit), min_delay),
    lateness = shape.lateness and math.min(math.max(whole(shape.lateness * limits_of.BILLIONTHS, 1), 1), limits_of.BILLIONTHS),
    initial_delay = whole(shape.initial, unit), max_wait = today.max_wait, latency = today.latency,
  }
  local figures = figures_of(self.ends, limits, self.streams, self.base.polls * (1 + 1e-9))
  local is_allowed = figures[self.aim.bound] <= self.base[self.aim.bound] * (1 + 1e-9)
    and figures.found >= self.base.found - UNFOUND
  return is_allowed and { limits = limits, shape = shape, cost = figures[self.aim.cost] } or nil
end

local function better(one, other)
  if not one or other and other.cost <= one.cost then return other end
  return one
end

---The scales of a shape that are tried at first, those of one without chance, for which one stream is all, and the steps
---between two of them after that.
local SCALES, FINE_SCALES, STEPS <const> = 20, 80, 5

---Finds the best scale of a shape: neither figure need rise or fall with it everywhere.
---@param make fun(scale: number): bide.ScheduleShape
---@return bide.Tried?
function Search:solve(make, low, high)
  local best, best_scale
  local scales = make(1).ratio == 1 and FINE_SCALES or SCALES
  local function try(scale)
    local tried = self:try(make(scale))
    if tried and better(tried, best) == tried then best, best_scale = tried, scale end
  end
  local step = (high / low) ^ (1 / (scales - 1))
  for position = 0, scales - 1 do try(low * step ^ position) end
  for _ = 1, best and STEPS or 0 do
    local middle = best_scale
    step = step ^ 0.5
    try(middle * step)
    try(middle / step)
  end
  return best
end

-- ---- the families -------------------------------------------------------------------------------

local RATIOS <const> = { 1, 1.4, 2, 4, 10, 60 }

---The best schedule of exponential backoff with a first delay, and of a second poll where parts of the ends have come.
---@return bide.Tried?
function Search:best_backoff(initial)
  local best
  for _, time in ipairs(self.times) do
    best = better(time > initial and self:try { initial = initial, min = time - initial, ratio = 1 } or nil, best)
  end
  for _, ratio in ipairs(RATIOS) do
    best = better(self:solve(function(scale) return { initial = initial, min = scale, ratio = ratio } end, self.least,
      self.today.max_wait), best)
  end
  return best
end

---The best schedule of bounded lateness with a first delay. Its delays are measured by that of the best schedule that has
---only one.
---@return bide.Tried?
function Search:best_lateness(initial)
  local plain = self:solve(function(scale) return { initial = initial, min = scale, ratio = 1 } end, self.least,
    self.today.max_wait)
  local delay, best = plain and plain.limits.min_delay or self.today.max_delay, nil
  for _, least in ipairs { 0.03, 0.15, 0.5 } do
    for _, most in ipairs { 1.5, 4, 1000 } do
      best = better(self:solve(function(scale)
        return { initial = initial, min = delay * least, ratio = most / least, lateness = scale }
      end, 1e-3, 1), best)
    end
  end
  return best
end

---The changes by which a schedule is improved: of one number, or of two in opposite directions.
local moves = {
  { "initial" }, { "min" }, { "ratio" }, { "lateness" }, { "initial", "min" }, { "initial", "ratio" }, { "min", "ratio" },
  { "initial", "lateness" }, { "min", "lateness" }, { "ratio", "lateness" },
}

---@param shape bide.ScheduleShape
---@return bide.ScheduleShape
local function moved(shape, move, factor)
  local copy = { initial = shape.initial, min = shape.min, ratio = shape.ratio, lateness = shape.lateness }
  copy[move[1]] = copy[move[1]] * factor
  if move[2] then copy[move[2]] = copy[move[2]] / factor end
  copy.ratio = math.max(copy.ratio, 1)
  return copy
end

---Goes from a schedule to better ones beside it, by ever smaller steps.
---@param best bide.Tried
---@param is_fixed boolean whether the first delay stays
---@return bide.Tried
function Search:polish(best, is_fixed)
  local step = 0.3
  while step > 0.002 do
    local before = best
    for _, move in ipairs(moves) do
      local shape = best.shape
      if shape[move[1]] and (not move[2] or shape[move[2]]) and not (is_fixed and move[1] == "initial") then
        best = better(self:try(moved(shape, move, 1 + step)), best)
        best = better(self:try(moved(shape, move, 1 / (1 + step))), best)
      end
    end
    if best == before then step = step / 2 end
  end
  return best
end

---The schedules of a family that are polished.
local MOST_POLISHED <const> = 5

---Returns the best schedules with one of the first delays and of one kind, the best first.
---@return bide.Tried[]
function Search:best_of(initials, is_late)
  local list = {}
  for _, initial in ipairs(initials) do
    M.breathe()
    list[#list + 1] = (is_late and self.best_lateness or self.best_backoff)(self, initial)
  end
  table.sort(list, function(one, other) return one.cost < other.cost end)
  return table.move(list, 1, MOST_POLISHED, 1, {})
end

-- ---- the advice ---------------------------------------------------------------------------------

---Rounds to four digits, downward and upward.
local function near(value, unit)
  local digits = math.max(10 ^ (math.floor(math.log(math.max(value, 1), 10)) - 3), 1) | 0
  digits = (math.max(digits, unit) + unit - 1) // unit * unit
  return { value // digits * digits, (value + digits - 1) // digits * digits }
end

---Returns the best allowed schedule whose numbers have four digits; the given one if there is none.
---@param tried bide.Tried
---@return bide.Tried
function Search:round(tried)
  local from, best = tried.limits, nil
  for _, initial in ipairs(near(from.initial_delay, self.unit)) do
    for _, min in ipairs(near(from.min_delay, self.unit)) do
      local longest = from.max_delay == from.min_delay and { min } or near(from.max_delay, self.unit)
      for _, max in ipairs(longest) do
        for _, lateness in ipairs(from.lateness and near(from.lateness, 1) or { false }) do
          best = better(self:try {
            initial = initial, min = min, ratio = math.max(max / min, 1),
            lateness = lateness and lateness / limits_of.BILLIONTHS or nil,
          }, best)
        end
      end
    end
  end
  return best or tried
end

---Returns the best schedule of a family whose numbers have four digits. The streams of the figures are more than those of
---the search, and may allow a little less.
---@return bide.Tried?
local function best_in(coarse, fine, initials, is_late, is_fixed)
  local best
  for _, found in ipairs(coarse:best_of(initials, is_late)) do
    local shape = found.shape
    local tried = fine:try(shape) or fine:solve(function(scale) return moved(shape, { "min" }, scale) end, 0.7, 1.5)
    best = better(tried and fine:round(fine:polish(tried, is_fixed)), best)
  end
  return best
end

---Returns the best schedule for an aim. One that changes more than the delays of today must be better by a percent.
---@param is_plain boolean whether only minDelay and maxDelay may be advised
---@return bide.Tried?
local function best_for(ends, aim, today, unit, is_plain, streams)
  local few = math.min(streams, FEW)
  local coarse, fine = new_search(ends, aim, today, unit, few), new_search(ends, aim, today, unit, streams)
  local own, any, is_late = { today.initial_delay or 0 }, fine.times, today.lateness ~= nil
  local families = { { own, is_late }, { any, is_late }, { own, not is_late }, { any, not is_late } }
  local candidates, least = {}, math.huge
  for position = 1, is_plain and 1 or #families do
    local initials = families[position][1]
    local best = best_in(coarse, fine, initials, families[position][2], initials == own)
    candidates[#candidates + 1], least = best, math.min(least, best and best.cost or math.huge)
  end
  for _, candidate in ipairs(candidates) do
    if candidate.cost <= least * WORTH then return candidate end
  end
end

---@class bide.Interval
---@field [1] number
---@field [2] number

local function interval(values)
  table.sort(values)
  local cut = math.floor(#values * (1 - M.PART) / 2)
  return { values[cut + 1], values[#values - cut] }
end

---Returns intervals of the figures of schedules, of how much less the cost of each is than that of the first, and of how
---much more the figure is that may not become more.
---@param ends bide.Ends that are drawn anew
---@param list bide.AdvisedSchedule[]
---@return table<string, bide.Interval>[]
local function intervals_of(ends, list, streams)
  local drawn = {}
  for position in ipairs(list) do drawn[position] = { lateness = {}, polls = {}, gain = {}, excess = {} } end
  for sample = 1, M.SAMPLES do
    M.breathe()
    ends:resample(sample)
    local first
    for position, one in ipairs(list) do
      local figures, of, aim = figures_of(ends, one.limits, streams), drawn[position], one.aim or M.aims[1]
      first = first or figures
      of.lateness[sample], of.polls[sample] = figures.lateness, figures.polls
      of.gain[sample], of.excess[sample] = first[aim.cost] - figures[aim.cost], figures[aim.bound] - first[aim.bound]
    end
  end
  for _, of in ipairs(drawn) do
    for name, values in pairs(of) do of[name] = interval(values) end
  end
  return drawn
end

---@class bide.AdvisedSchedule
---@field aim bide.Aim? nil for today's
---@field limits bide.ScheduleLimits
---@field figures bide.Figures
---@field intervals { lateness: bide.Interval, polls: bide.Interval, gain: bide.Interval, excess: bide.Interval }
---@field gains boolean whether the interval is all a gain, and that of the other figure not all a loss

---Searches the schedules for an estimate.
---@param ends bide.Ends
---@param today bide.ScheduleLimits
---@param unit integer milliseconds: delays are multiples of it
---@param is_plain boolean whether only minDelay and maxDelay may be advised
---@return bide.AdvisedSchedule[] list the first is today's; of an aim for which none is allowed there is none
---@return integer streams that were taken
function M.search(ends, today, unit, is_plain)
  local list = { { limits = today } }
  local streams = streams_for(figures_of(ends, today, STREAMS // 16).polls, STREAMS)
  for _, aim in ipairs(M.aims) do
    local best = best_for(ends, aim, today, unit, is_plain, streams)
    if best then list[#list + 1] = { aim = aim, limits = best.limits } end
  end
  return list, streams
end

---Returns one half of the waits: by the golden ratio, whatever the order of the waits.
---@param which 0|1
local function half_of(after, until_, which)
  local some_after, some_until = {}, {}
  for position, time in ipairs(after) do
    if position * 0x9E3779B97F4A7C15 >> 63 == which then
      some_after[#some_after + 1], some_until[#some_until + 1] = time, until_[position]
    end
  end
  return some_after, some_until
end

---Advises schedules, which are searched on one half of the waits. The figures and their intervals are those of the other
---half: on the first one the schedules that were chosen would look better than they are.
---@param after integer[]
---@param until_ (integer|false)[]
---@param today bide.ScheduleLimits
---@param unit integer
---@param is_plain boolean
---@return bide.AdvisedSchedule[] list the first is today's
function M.of(after, until_, today, unit, is_plain)
  local list, streams = M.search(core.schedule.ends(half_of(after, until_, 0)), today, unit, is_plain)
  local ends = core.schedule.ends(half_of(after, until_, 1))
  for _, one in ipairs(list) do one.figures = figures_of(ends, one.limits, streams) end
  local intervals = intervals_of(ends, list, streams)
  for position, one in ipairs(list) do
    local of = intervals[position]
    one.intervals, one.gains = of, one.aim ~= nil and of.gain[1] > 0 and of.excess[1] <= 0
  end
  return list
end

---Returns the schedule of an aim that a grid has; for specs, which compare it with what the search finds.
---@param shapes table[]
---@return number? cost
function M.best_of_grid(after, until_, today, aim, shapes)
  local search, best = new_search(core.schedule.ends(after, until_), aim, today, 1, STREAMS), nil
  for _, shape in ipairs(shapes) do best = better(search:try(shape), best) end
  return best and best.cost
end

return M
