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

for _, name in ipairs(names) do
  local grid, began = beside_grid(past_waits.distributions[name]), os.clock()
  local count, covered, by_figure = cover.of(name, seeds)
  print(core.json.encode {
    bench = "advise: " .. name, seeds = seeds, soonerBesideGrid = rounded(grid.sooner), fewerBesideGrid = rounded(grid.fewer),
    gridTarget = 1.02, cover = rounded(covered / count), coverOfLateness = rounded(2 * by_figure.lateness / count),
    coverOfPolls = rounded(2 * by_figure.polls / count), coverTarget = { 0.85, 0.95 },
    seconds = (os.clock() - began) // 1 | 0,
  })
  io.stdout:flush()
end
