---What `bide advise` finds, beside brute force over a grid on the same estimate; and how often its intervals have the truth.
---`BIDE_COVER=200` tries as many seeds of each distribution, by default a few.

local advice = require "bide.record.advice"
local check = require "spec.support.check"
local core = require "bide.core"

local ipairs, math = ipairs, math

local today = { min_delay = 2000, max_delay = 120000, max_wait = 600000, latency = 0, initial_delay = 0 }

local function exponential(mean) return -mean * math.log(1 - math.random()) end

local function normal() return math.sqrt(-2 * math.log(1 - math.random())) * math.cos(2 * math.pi * math.random()) end

---Draws how long a wait takes, in milliseconds.
local distributions = {
  exponential = function() return exponential(60000) end,
  uniform = function() return 10000 + 110000 * math.random() end,
  normal = function() return 90000 + 10000 * normal() end,
  lognormal = function() return 40000 * math.exp(0.8 * normal()) end,
  weibull = function() return 80000 * exponential(1) ^ (1 / 3) end,
  ["two peaks"] = function() return math.random(2) == 1 and 15000 + 2000 * normal() or 150000 + 10000 * normal() end,
  pareto = function() return 10000 / (1 - math.random()) ^ (1 / 1.3) end,
  early = function() return exponential(1500) end,
  gamma = function() return exponential(20000) + exponential(20000) + exponential(20000) end,
  ["a peak and a tail"] = function() return math.random() < 0.8 and 30000 + 200 * normal() or 300000 * math.random() end,
}

---Returns what today's schedule sees of some waits.
local function seen_of(draw, count, seed)
  math.randomseed(seed)
  local after, until_ = {}, {}
  for position = 1, count do
    local ends, at, before, attempt = math.max(draw() // 1, 0), 0, -1, 1
    while ends > at and today.max_wait - at > today.min_delay do
      local ceiling = core.wait.ceiling(today.min_delay, today.max_delay, attempt)
      before, attempt = at, attempt + 1
      at = at + core.wait.delay(today.min_delay, math.random(today.min_delay, ceiling), today.max_wait - at)
    end
    after[position], until_[position] = ends > at and at or before, ends <= at and at
  end
  return after, until_
end

---The time by which a part of the ends has come.
local function time_of(pieces, part)
  local sum = 0
  for _, piece in ipairs(pieces) do
    sum = sum + piece[3]
    if sum >= part then return piece[2] or today.max_wait end
  end
  return today.max_wait
end

local function grid_of(pieces)
  local shapes, initials = {}, { 0 }
  for _, part in ipairs { 0.001, 0.03, 0.1, 0.3, 0.5, 0.7, 0.85 } do initials[#initials + 1] = time_of(pieces, part) end
  for _, initial in ipairs(initials) do
    for step = 0, 30 do
      for _, ratio in ipairs { 1, 1.5, 3, 8 } do
        shapes[#shapes + 1] = { initial = initial, min = 50 * 6000 ^ (step / 30), ratio = ratio }
      end
    end
    for step = 0, 5 do
      for _, lateness in ipairs { 0.01, 0.03, 0.07, 0.15, 0.3, 0.6, 1 } do
        shapes[#shapes + 1] = { initial = initial, min = 50 * 1200 ^ (step / 5), ratio = 20, lateness = lateness }
      end
    end
  end
  return shapes
end

describe("an advice", function()
  for name, draw in pairs(distributions) do
    it("is within 2 % of brute force: " .. name, function()
      local after, until_ = seen_of(draw, 500, 1)
      local ends = core.schedule.ends(after, until_)
      local shapes = grid_of((ends:pieces()))
      local list, streams = advice.search(ends, today, 1, false)
      check.equal(3, #list)
      for position = 2, 3 do
        local aim, lateness, polls = list[position].aim, ends:figures(list[position].limits, streams)
        local cost = aim.cost == "polls" and polls or lateness
        local best = advice.best_of_grid(after, until_, today, aim, shapes)
        check.is_true(cost <= best * 1.02, ("%s %s: %f, grid %f"):format(name, aim.name, cost, best))
      end
    end)
  end

  it("has intervals with the truth in them, for most seeds", function()
    local draw, seeds = distributions.exponential, tonumber(os.getenv "BIDE_COVER" or 4)
    math.randomseed(99)
    local after, until_ = {}, {}
    for position = 1, 40000 do
      local ends = draw() // 1 | 0
      after[position], until_[position] = ends - 1, ends
    end
    local truth, count, covered = core.schedule.ends(after, until_), 0, 0
    local function note(value, interval)
      count, covered = count + 1, covered + (value >= interval[1] and value <= interval[2] and 1 or 0)
    end
    for seed = 1, seeds do
      local some_after, some_until = seen_of(draw, 2000, seed)
      for _, one in ipairs(advice.of(some_after, some_until, today, 1, false)) do
        local lateness, polls = truth:figures(one.limits, 64)
        note(lateness, one.intervals.lateness)
        note(polls, one.intervals.polls)
      end
    end
    local part = covered / count
    assert.is_true(part >= (seeds < 100 and 0.7 or 0.85), ("%d of %d"):format(covered, count))
    if seeds >= 100 then assert.is_true(part <= 0.95) end
  end)
end)
