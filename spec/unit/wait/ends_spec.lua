---Turnbull's estimate of when waits ended: the pieces are those of its definition, and the masses the most likely ones.

local check = require "spec.support.check"
local core = require "bide.core"

local ipairs, math = ipairs, math

local schedule = core.schedule

---The innermost intervals by their definition: an `after` and the next `until`, with no other bound between them.
local function innermost(after, until_)
  local pieces = {}
  for _, low in ipairs(after) do
    local high = math.huge
    for _, bound in ipairs(until_) do
      if bound == false then bound = math.huge end
      if bound > low and bound < high then high = bound end
    end
    local is_innermost = true
    for _, other in ipairs(after) do is_innermost = is_innermost and not (other > low and other < high) end
    if is_innermost then pieces[low] = high end
  end
  return pieces
end

local function likelihood(after, until_, pieces, masses)
  local sum = 0
  for position, low in ipairs(after) do
    local chance, high = 0, until_[position] or math.huge
    for index, piece in ipairs(pieces) do
      if piece[1] >= low and (piece[2] or math.huge) <= high then chance = chance + masses[index] end
    end
    sum = sum + math.log(chance)
  end
  return sum
end

---Draws some intervals; of a seed with few times many bounds are the same.
local function intervals(seed, count)
  math.randomseed(seed)
  local after, until_, times = {}, {}, math.random(3, 30)
  for position = 1, count do
    after[position] = math.random(-1, times)
    until_[position] = math.random(4) > 1 and after[position] + math.random(1, times)
  end
  return after, until_
end

---Where the masses are spread, by the definition in src/wait/ends.h.
local function places_of(after, until_, pieces)
  local looks, own = {}, {}
  for position, time in ipairs(after) do
    looks[#looks + 1], looks[#looks + 2] = time, until_[position] or math.huge
  end
  table.sort(looks)
  for _, piece in ipairs(pieces) do
    if piece[3] * #after >= 1e-3 then own[#own + 1] = piece end
  end
  local function first_look(time)
    for position, look in ipairs(looks) do
      if look >= time then return position end
    end
  end
  local places = {}
  for position, piece in ipairs(own) do
    local before, following, reach = own[position - 1], own[position + 1], math.max(piece[1], 0)
    local low, high = piece[1], piece[2] or math.huge
    if before then reach = math.min(reach, math.max(piece[1], 0) - before[2]) end
    if following then reach = math.min(reach, following[1] - high) end
    if piece[2] and (before or following) then low, high = low - reach, high + reach end
    if piece[2] and before and following then
      low = math.min(low, math.max(looks[first_look(piece[1]) - 5] or before[2], before[2]))
      high = math.max(high, math.min(looks[first_look(piece[2]) + 5] or math.huge, following[1]))
    end
    places[position] = { low, high < math.huge and high | 0 }
  end
  return places
end

---Returns places without their masses.
local function bare(places)
  local list = {}
  for position, place in ipairs(places) do list[position] = { place[1], place[2] } end
  return list
end

describe("the ends of waits", function()
  it("are in the innermost intervals, and their shares sum to 1", function()
    for seed = 1, 500 do
      local after, until_ = intervals(seed, math.random(1, 25))
      local pieces, expected, sum, count = schedule.ends(after, until_):pieces(), innermost(after, until_), 0, 0
      for _, piece in ipairs(pieces) do
        check.equal(expected[piece[1]], piece[2] or math.huge)
        check.is_true(piece[3] >= 0)
        sum = sum + piece[3]
      end
      for _ in pairs(expected) do count = count + 1 end
      check.equal(count, #pieces)
      check.is_true(math.abs(sum - 1) < 1e-9)
    end
  end)

  it("have no likelier shares, near or far", function()
    for seed = 1, 300 do
      local after, until_ = intervals(seed, math.random(2, 40))
      local pieces, excess = schedule.ends(after, until_):pieces()
      check.is_true(excess <= 1e-3)
      local masses = {}
      for index, piece in ipairs(pieces) do masses[index] = piece[3] end
      local best = likelihood(after, until_, pieces, masses)
      for _ = 1, 20 do
        local others, sum, part = {}, 0, math.random() ^ 4
        for index = 1, #pieces do
          others[index] = -math.log(1 - math.random())
          sum = sum + others[index]
        end
        for index = 1, #pieces do others[index] = (1 - part) * masses[index] + part * others[index] / sum end
        check.is_true(likelihood(after, until_, pieces, others) <= best + 1e-3)
      end
    end
  end)

  it("are by brute force on two pieces what they are here", function()
    for seed = 1, 100 do
      math.randomseed(seed)
      local first, second, both = math.random(0, 9), math.random(0, 9), math.random(0, 9)
      local after, until_ = { 0, 10 }, { 10, 20 }
      for _ = 1, first do after[#after + 1], until_[#until_ + 1] = 0, 10 end
      for _ = 1, second do after[#after + 1], until_[#until_ + 1] = 10, 20 end
      for _ = 1, both do after[#after + 1], until_[#until_ + 1] = 0, 20 end
      local pieces = schedule.ends(after, until_):pieces()
      check.is_true(math.abs(pieces[1][3] - (first + 1) / (first + second + 2)) < 0.01)
    end
  end)

  it("are the empirical distribution where each is known to the millisecond", function()
    for seed = 1, 50 do
      math.randomseed(seed)
      local after, until_, counts = {}, {}, {}
      for position = 1, 60 do
        local at = math.random(1, 40)
        after[position], until_[position], counts[at] = at - 1, at, (counts[at] or 0) + 1
      end
      for _, piece in ipairs(schedule.ends(after, until_):pieces()) do
        check.is_true(math.abs(piece[3] - (counts[piece[2]] or 0) / 60) < 1e-3)
      end
    end
  end)

  it("are nowhere where no wait has ended", function()
    local pieces = schedule.ends({ 5, 9, 3 }, { false, false, false }):pieces()
    assert.same({ { 9, false, 1.0 } }, pieces)
    local lateness, polls, found = schedule.ends({ 5, 9, 3 }, { false, false, false })
      :figures({ min_delay = 1, max_delay = 1, max_wait = 10 }, 1)
    assert.same({ 0, 10, 0 }, { lateness, polls, found })
  end)

  it("are spread evenly to both sides, by the smaller gap, and by five looks", function()
    for seed = 1, 300 do
      local after, until_ = intervals(seed, math.random(1, 25))
      local ends = schedule.ends(after, until_)
      assert.same(places_of(after, until_, ends:pieces()), bare(ends:places()))
    end
  end)

  it("are spread over the one piece that has them", function()
    assert.same({ { 3, 9, 1.0 } }, schedule.ends({ 3, 0 }, { 9, 12 }):places())
    assert.same({ { -1, 0, 1.0 } }, schedule.ends({ -1 }, { 0 }):places())
  end)

  -- An advice that polls first where the last piece ends had exactly one poll, with an interval from 1.00 to 1.00.
  it("may be later than the last piece, by its distance from the one before", function()
    local ends = schedule.ends({ 50, 100 }, { 60, 110 })
    local places = ends:places()
    assert.same({ { 10, 100 }, { 60, 150 } }, { { places[1][1], places[1][2] }, { places[2][1], places[2][2] } })
    local limits = { min_delay = 10, max_delay = 10, initial_delay = 110, max_wait = 1000 }
    local _, polls = ends:figures(limits, 1)
    check.is_true(math.abs(polls - (1 + 0.5 * (40 + 30 + 20 + 10) / 90)) < 1e-3, polls)
  end)

  it("of a drawn sample are those of the sample, in every run the same", function()
    local after, until_ = intervals(7, 200)
    local one, other = schedule.ends(after, until_), schedule.ends(after, until_)
    other:resample(1)
    for seed = 1, 20 do
      one:resample(seed)
      other:resample(seed)
      local pieces, excess = one:pieces()
      check.is_true(excess <= 1e-3)
      local limits = { min_delay = 3, max_delay = 3, max_wait = 60 }
      check.is_true(math.abs(one:figures(limits, 1) - other:figures(limits, 1)) < 0.1)
      check.is_true(#pieces > 0)
    end
  end)

  it("of a drawn sample are in parts of the places, but for one that is where an end may have been", function()
    for seed = 1, 300 do
      local after, until_ = intervals(seed, math.random(1, 25))
      local ends = schedule.ends(after, until_)
      ends:resample(seed)
      local whole, sum, last, strangers = places_of(after, until_, ends:pieces()), 0, 0, 0
      for _, place in ipairs(ends:places()) do
        local is_part = false
        for _, one in ipairs(whole) do
          is_part = is_part or place[1] >= one[1] and (place[2] or math.huge) <= (one[2] or math.huge)
        end
        strangers, sum = strangers + (is_part and 0 or 1), sum + place[3]
        check.is_true((place[2] or math.huge) >= last and place[1] < (place[2] or math.huge))
        last = place[2] or math.huge
      end
      check.is_true(strangers <= 1)
      check.equal(#whole + 1, #ends:places())
      check.is_true(math.abs(sum - 1) < 1e-9)
    end
  end)

  -- The samples never had a later end than the waits: 1.00 polls was 1.00 to 1.00.
  it("of drawn samples are also where no mass of the estimate is", function()
    local after, until_ = {}, {}
    for position = 1, 40 do after[position], until_[position] = 50, 60 end
    after[41], until_[41] = 0, 500
    local ends, later = schedule.ends(after, until_), 0
    local limits = { min_delay = 10, max_delay = 10, initial_delay = 60, max_wait = 1000 }
    local _, polls = ends:figures(limits, 1)
    check.equal(1, polls)
    for seed = 1, 200 do
      ends:resample(seed)
      local _, drawn = ends:figures(limits, 1)
      if drawn > 1.001 then later = later + 1 end
    end
    -- Of the drawn ends of 41 waits one in six is after 60, and nearly all of the last wait.
    check.is_true(later > 5 and later < 80, later)
  end)

  it("that make no sense are refused", function()
    for _, wrong in ipairs {
      { {}, {} }, { { 1 }, { 1 } }, { { -2 }, { 1 } }, { { 1 }, {} }, { { "x" }, { 2 } }, { { 1.5 }, { 2 } },
      { { 1 }, { 2 ^ 60 | 0 } },
    } do
      assert.has_error(function() schedule.ends(table.unpack(wrong)) end)
    end
    local ends = schedule.ends({ 1 }, { 2 })
    for _, limits in ipairs { {}, { min_delay = 1, max_delay = 1, max_wait = 1 << 62 },
      { min_delay = 1, max_delay = 1, max_wait = 5, latency = -1 }, { min_delay = 2, max_delay = 1, max_wait = 5 } } do
      assert.has_error(function() ends:figures(limits, 1) end)
    end
    assert.has_error(function() ends:figures({ min_delay = 1, max_delay = 1, max_wait = 5 }, 0) end)
    assert.has_error(function() schedule.alone({ min_delay = 1, max_delay = 1, max_wait = 5 }, 1 << 40) end)
  end)
end)
