---How often the intervals of an advice have the truth.

local advice = require "bide.record.advice"
local past_waits = require "spec.support.past_waits"

local M = {}

---The past waits of which an advice is made.
local WAITS <const> = 2000

---Advises for a distribution, by as many seeds, and compares the intervals with what the schedules really cost.
---@param name string of the distribution
---@param seeds integer
---@return integer count of intervals
---@return integer covered how many have the truth
---@return table<string, integer> by_figure how many, of the lateness and of the polls
function M.of(name, seeds)
  local draw = past_waits.distributions[name]
  local truth, count, covered = past_waits.truth_of(draw), 0, { lateness = 0, polls = 0 }
  for seed = 1, seeds do
    local after, until_ = past_waits.seen_of(draw, WAITS, seed)
    for _, one in ipairs(advice.of(after, until_, past_waits.today, 1, false)) do
      local figures = {}
      figures.lateness, figures.polls = truth:figures(one.limits, 64)
      for figure, value in pairs(figures) do
        local interval = one.intervals[figure]
        count = count + 1
        if value >= interval[1] and value <= interval[2] then covered[figure] = covered[figure] + 1 end
      end
    end
  end
  return count, covered.lateness + covered.polls, covered
end

return M
