---How a worker shares its attention between queues, by their weights, and between their lanes, 8:4:1, over many seeds.

local check = require "spec.support.check"
local fairness = require "spec.support.fairness"
local random, is_true, equal = math.random, check.is_true, check.equal

local SEEDS <const>, MANY <const> = 60, 1 << 60

---A store that has a number of turns in each lane of each queue.
local function store_of(left)
  return { ahead = 0, claim = function(_, _, want)
    local turns, here = {}, left[want.queue]
    for _, lane in ipairs(want.lanes) do
      local count = math.min(want.want - #turns, here[lane])
      for _ = 1, count do turns[#turns + 1] = { id = #turns + 1, input = ('{"lane":%d}'):format(lane) } end
      here[lane] = here[lane] - count
    end
    return 0, turns
  end }
end

local function random_queues()
  local queues, total = {}, 0
  for position = 1, random(4) do
    queues[position] = { name = "q" .. position, weight = random(3) == 1 and 13 or random(12) }
    total = total + queues[position].weight
  end
  return queues, total
end

describe("a worker", function()
  it("takes from each queue and lane by its weight and 8:4:1, if all have more", function()
    for seed = 1, SEEDS do
      math.randomseed(seed)
      local queues, total = random_queues()
      local left, jobs = {}, random(1, 700)
      for _, queue in ipairs(queues) do left[queue.name] = { MANY, MANY, MANY } end
      local shares = fairness.of(store_of(left), {}, queues, 13 * total, jobs)
      local each = math.min(jobs, 500)
      for _, queue in ipairs(queues) do
        for lane, share in ipairs(fairness.lanes) do equal(share * queue.weight * each, shares[queue.name][lane], seed) end
      end
    end
  end)

  it("takes at least that much from what has more, and all that its hands hold, if others have nothing", function()
    for seed = 1, SEEDS do
      math.randomseed(seed)
      local queues, total = random_queues()
      local left, has_any, jobs = {}, false, random(1, 500)
      for _, queue in ipairs(queues) do
        local lanes = {}
        for lane = 1, 3 do lanes[lane] = random(2) == 1 and MANY or 0 end
        left[queue.name], has_any = lanes, has_any or lanes[1] + lanes[2] + lanes[3] > 0
      end
      local shares, sum = fairness.of(store_of(left), {}, queues, 13 * total, jobs), 0
      for _, queue in ipairs(queues) do
        for lane, share in ipairs(fairness.lanes) do
          local got = shares[queue.name][lane]
          is_true(got >= (left[queue.name][lane] > 0 and share * queue.weight * jobs or 0), seed)
          sum = sum + got
        end
      end
      equal(has_any and 13 * total * jobs or 0, sum, seed)
    end
  end)
end)
