---Made-up past waits, whose distribution is known, and a grid of schedules: what `bide advise` is checked against.

local core = require "bide.core"

local ipairs, math = ipairs, math

local M = {}

---The schedule by which the waits were polled.
M.today = { min_delay = 2000, max_delay = 120000, max_wait = 600000, latency = 0, initial_delay = 0 }

local today = M.today

local function exponential(mean) return -mean * math.log(1 - math.random()) end

local function normal() return math.sqrt(-2 * math.log(1 - math.random())) * math.cos(2 * math.pi * math.random()) end

---Draws how long a wait takes, in milliseconds.
---@type table<string, fun(): number>
M.distributions = {
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
---@param draw fun(): number
---@param count integer
---@param seed integer
---@return integer[] after
---@return (integer|false)[] until_
function M.seen_of(draw, count, seed)
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

---Returns the shapes of schedules that brute force tries.
---@param pieces table[] of an estimate
---@return table[]
function M.grid_of(pieces)
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

---Returns the ends themselves, of many waits.
---@param draw fun(): number
---@return bide.Ends
function M.truth_of(draw)
  math.randomseed(99)
  local after, until_ = {}, {}
  for position = 1, 400000 do
    local ends = math.max(draw() // 1 | 0, 1)
    after[position], until_[position] = ends - 1, ends
  end
  return core.schedule.ends(after, until_)
end

return M
