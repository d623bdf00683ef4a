---How often the intervals of an advice have the truth. For a lateness that depends on when in a gap of all past looks the ends
---came, that is always or never: no number of waits tells, so the interval has nearly the whole gap, and the cover is 100 %
---("early", of which three quarters of the ends are before the first look).

local advice = require "bide.record.advice"
local past_waits = require "spec.support.past_waits"

local M = {}

---The past waits of which an advice is made.
local WAITS <const> = 2000

---How often an interval was compared with the truth, and how often it was too high, too low, or had the truth.
---@class bide.Cover
---@field count integer
---@field above integer
---@field below integer
---@field covered integer

---Advises for a distribution, by as many seeds, and compares each interval with what the schedule really costs.
---@param name string of the distribution
---@param seeds integer
---@return table<"today"|"sooner"|"fewer", table<"lateness"|"polls", bide.Cover>>
function M.of(name, seeds)
  local draw, covers = past_waits.distributions[name], {}
  local truth = past_waits.truth_of(draw)
  for _, schedule in ipairs { "today", "sooner", "fewer" } do
    covers[schedule] = {}
    for _, figure in ipairs { "lateness", "polls" } do
      covers[schedule][figure] = { count = 0, above = 0, below = 0, covered = 0 }
    end
  end
  for seed = 1, seeds do
    local after, until_ = past_waits.seen_of(draw, WAITS, seed)
    for _, one in ipairs(advice.of(after, until_, past_waits.today, 1, false)) do
      local figures = {}
      figures.lateness, figures.polls = truth:figures(one.limits, 64)
      for figure, value in pairs(figures) do
        local cover, interval = covers[one.aim and one.aim.name or "today"][figure], one.intervals[figure]
        local outcome = value < interval[1] and "above" or value > interval[2] and "below" or "covered"
        cover.count, cover[outcome] = cover.count + 1, cover[outcome] + 1
      end
    end
  end
  return covers
end

return M
