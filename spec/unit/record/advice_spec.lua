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

  it("has intervals with the truth in them, for most seeds", function()
    local count, covered = cover.of("exponential", 4)
    assert.is_true(covered >= 0.7 * count, ("%d of %d"):format(covered, count))
  end)

  it("has wide intervals where most ends are seen at one attempt", function()
    local count, covered = cover.of("early", 4)
    assert.is_true(covered >= 0.7 * count, ("%d of %d"):format(covered, count))
  end)
end)
