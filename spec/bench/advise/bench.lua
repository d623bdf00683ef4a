---What an advice is worth: beside brute force over a grid on the same estimate, and how often its 90 % intervals have the
---truth. Prints one JSON object a distribution. Run by `make bench-advise`.
---
---    lua5.4 spec/bench/advise/bench.lua SEEDS [DISTRIBUTION…]

require "bide"
local advice = require "bide.record.advice"
local core = require "bide.core"
local cover = require "spec.bench.advise.cover"
local option = require "bide.text.option"
local past_waits = require "spec.support.past_waits"

local seeds = assert(math.tointeger(tonumber(arg[1])))
local names = arg[2] and { table.unpack(arg, 2) } or option.sorted_names(past_waits.distributions)

---Returns what the search finds for each aim, as a part of what brute force finds.
---@return table<string, number>
local function beside_grid(draw)
  local after, until_ = past_waits.seen_of(draw, 500, 1)
  local ends, parts = core.schedule.ends(after, until_), {}
  local shapes = past_waits.grid_of((ends:pieces()))
  local list, streams = advice.search(ends, past_waits.today, 1, false)
  for _, one in ipairs(list) do
    if one.aim then
      local lateness, polls = ends:figures(one.limits, streams)
      local cost = one.aim.cost == "polls" and polls or lateness
      parts[one.aim.name] = cost / advice.best_of_grid(after, until_, past_waits.today, one.aim, shapes)
    end
  end
  return parts
end

local function rounded(value) return value and math.floor(value * 1e4 + 0.5) / 1e4 end

---The parts of the intervals that have the truth, and the figures for which it is not 85 to 95 %.
---@return table<string, table<string, number>> parts
---@return string[] missed
local function parts_of(covers)
  local parts, missed = {}, core.json.array {}
  for schedule, figures in pairs(covers) do
    parts[schedule] = {}
    for figure, one in pairs(figures) do
      local part = one.covered / one.count
      parts[schedule][figure] = rounded(part)
      if part < 0.85 or part > 0.95 then
        missed[#missed + 1] = ("%s %s: %d of %d, %d too high, %d too low"):format(schedule, figure, one.covered, one.count,
          one.above, one.below)
      end
    end
  end
  table.sort(missed)
  return parts, missed
end

for _, name in ipairs(names) do
  local grid, began = beside_grid(past_waits.distributions[name]), os.clock()
  local parts, missed = parts_of(cover.of(name, seeds))
  print(core.json.encode {
    bench = "advise: " .. name, seeds = seeds, soonerBesideGrid = rounded(grid.sooner), fewerBesideGrid = rounded(grid.fewer),
    gridTarget = 1.02, cover = parts, coverTarget = { 0.85, 0.95 }, coverMissed = missed,
    seconds = (os.clock() - began) // 1 | 0,
  })
  io.stdout:flush()
end
