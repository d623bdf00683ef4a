---What `bide advise` finds, beside brute force over a grid on the same estimate; and how often its intervals have the truth,
---of which `make bench-advise` tries more.

local advice = require "bide.record.advice"
local check = require "spec.support.check"
local core = require "bide.core"
local cover = require "spec.bench.advise.cover"
local past_waits = require "spec.support.past_waits"

local today = past_waits.today

describe("an advice", function()
  for name, draw in pairs(past_waits.distributions) do
    it("is within 2 % of brute force: " .. name, function()
      local after, until_ = past_waits.seen_of(draw, 500, 1)
      local ends = core.schedule.ends(after, until_)
      local shapes = past_waits.grid_of((ends:pieces()))
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

  -- The fewest polls of "normal" had an interval of 1.00 to 1.00 for every second seed; the polls of "early" one that was
  -- too high.
  for _, name in ipairs { "exponential", "early", "normal" } do
    it("has intervals with the truth in them, for most seeds: " .. name, function()
      for schedule, figures in pairs(cover.of(name, 6)) do
        for figure, one in pairs(figures) do
          check.equal(6, one.count)
          check.is_true(one.covered >= 4, ("%s %s: %d of %d"):format(schedule, figure, one.covered, one.count))
        end
      end
    end)
  end
end)
