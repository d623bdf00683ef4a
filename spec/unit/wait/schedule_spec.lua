---What a schedule costs and how soon it notices, beside waits that the core really decides.

local check = require "spec.support.check"
local core = require "bide.core"
local schedules = require "bide.wait.schedule"

local ipairs, math = ipairs, math

local nothing = core.json.document {}
local blank = { input = nothing, output = nothing }
local always = { { state = "retry", matcher = { success = true } } }

local function kind_of(limits)
  return core.wait.kind(core.wait.definition(limits.min_delay, limits.max_delay, always), limits)
end

---Returns the times at which the polls of a wait begin, until one of them has seen its end.
---@param ends number? infinity otherwise
local function polls_of(kind, limits, latency, seed, ends)
  local state = kind:start(seed, 0)
  local now = state:first(limits.initial_delay or 0)
  local times = {}
  while true do
    state:begin()
    times[#times + 1] = now
    local verdict, _, delay = state:observe(now + latency, blank)
    if verdict ~= "retry" or ends and now >= ends then return times end
    now = now + latency + delay
  end
end

local function random_limits(seed)
  math.randomseed(seed)
  local minimum = math.random(1, 3000)
  return {
    min_delay = minimum, max_delay = math.random(minimum, minimum * 20), max_wait = math.random(5000, 200000),
    lateness = math.random(2) == 1 and math.random(10 ^ 7 | 0, 10 ^ 9 | 0) or nil,
    initial_delay = math.random(3) == 1 and math.random(0, 9000) or nil,
    max_attempts = math.random(6) == 1 and math.random(1, 9) or nil,
  }, math.random(3) == 1 and math.random(1, 500) or 0
end

describe("a planned schedule", function()
  it("has the polls and the discovery that waits have", function()
    for seed = 1, 80 do
      local limits, latency = random_limits(seed)
      local plan, kind = schedules.of(limits, latency), kind_of(limits)
      local polls, squares, length, longest, seeds = 0, 0, 0, 0, 200
      for one = 1, seeds do
        local before = 0
        for _, at in ipairs(polls_of(kind, limits, latency, one)) do
          polls, squares, longest = polls + 1, squares + (at - before) ^ 2, math.max(longest, at - before)
          before = at
        end
        length = length + before
      end
      local label = ("seed %d"):format(seed)
      check.is_true(math.abs(polls / seeds - plan.polls.expected) <= 0.03 * plan.polls.expected + 0.1, label)
      local mean = (length > 0 and squares / 2 / length or 0) + latency
      check.is_true(math.abs(mean - plan.discovery.mean) <= 0.05 * mean + 1, label)
      check.is_true(longest + latency <= plan.discovery.worst, label)
      check.is_true(plan.polls.least <= plan.polls.expected and plan.polls.expected <= plan.polls.most, label)
    end
  end)

  it("without chance is exact", function()
    local plan = schedules.of({ min_delay = 2000, max_delay = 2000, max_wait = 61000, initial_delay = 500 }, 0)
    assert.equal(31, plan.polls.expected)
    assert.equal(2000, plan.discovery.worst)
    local plain = schedules.of({ min_delay = 1000, max_delay = 1000, max_wait = 60000 }, 250)
    assert.equal(1500, plain.discovery.worst)
    assert.near(875, plain.discovery.mean, 1)
  end)

  it("reaches its worst time, or all but", function()
    for seed = 1, 40 do
      local limits = random_limits(seed)
      limits.max_attempts, limits.lateness, limits.initial_delay = nil, nil, nil
      limits.min_delay, limits.max_delay = 10, math.random(10, 40)
      limits.max_wait = math.random(100, 400)
      local longest, kind = 0, kind_of(limits)
      for one = 1, 3000 do
        local before = 0
        for _, at in ipairs(polls_of(kind, limits, 0, one)) do
          longest, before = math.max(longest, at - before), at
        end
      end
      local worst = schedules.of(limits, 0).discovery.worst
      check.is_true(longest <= worst and longest >= worst - 1)
    end
  end)

  it("takes long waits together by their means", function()
    local function alone(limits) return core.schedule.alone(limits, 1000) end
    local polls, mean = alone { min_delay = 50, max_delay = 150, max_wait = 72000000000 }
    assert.near(720000000, polls, 720000)
    assert.near((100 ^ 2 + (101 ^ 2 - 1) / 12) / 200, mean, 0.1)
    assert.same({ 1440000000.0, 25.0 }, { alone { min_delay = 50, max_delay = 50, max_wait = 72000000000 } })
  end)
end)

describe("a schedule beside ends", function()
  it("has the polls and the lateness of waits with these ends", function()
    for seed = 1, 60 do
      local limits, latency = random_limits(seed)
      local after, until_ = {}, {}
      for position = 1, math.random(1, 12) do
        after[position] = math.random(-1, limits.max_wait)
        until_[position] = math.random(5) > 1 and after[position] + math.random(1, 30000)
      end
      local ends = core.schedule.ends(after, until_)
      local lateness, polls, found = ends:figures(setmetatable({ latency = latency }, { __index = limits }), 400)
      local made, late, seen, draws = 0, 0, 0, 4000
      local places, kind = ends:places(), kind_of(limits)
      for one = 1, draws do
        local luck, at = math.random(), math.huge
        for _, place in ipairs(places) do
          luck = luck - place[3]
          if luck <= 0 then
            local from = math.max(place[1], 0)
            at = place[2] and from + math.random() * (place[2] - from) or math.huge
            break
          end
        end
        for _, poll in ipairs(polls_of(kind, limits, latency, one, at)) do
          made = made + 1
          if poll + latency > limits.max_wait then break end
          if poll >= at then
            late, seen = late + poll + latency - at, seen + 1
            break
          end
        end
      end
      local label = ("seed %d"):format(seed)
      check.is_true(math.abs(seen / draws - found) < 0.04, label)
      check.is_true(math.abs(made / draws - polls) <= 0.06 * polls + 0.1, label)
      if seen > 500 then check.is_true(math.abs(late / seen - lateness) <= 0.1 * lateness + 5, label) end
    end
  end)

  it("is not looked at if it has more polls than matter", function()
    for seed = 1, 60 do
      local limits = random_limits(seed)
      local at = math.random(0, limits.max_wait)
      local ends = core.schedule.ends({ at, at }, { at + math.random(1, 5000), false })
      local lateness, polls, found = ends:figures(limits, 8)
      assert.same({ lateness, polls, found }, { ends:figures(limits, 8, polls * (1 + 1e-9)) })
      assert.same({ 0, math.huge, 0 }, { ends:figures(limits, 8, polls * (1 - 1e-9) - 1e-9) })
    end
  end)
end)
