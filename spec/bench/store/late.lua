---The row about lateness: by how much attempts begin after they were due, at a third of the rate that the row "recipe"
---reached, beside a bare loop in C that claims and settles as a worker does.

local core = require "bide.core"
local measure = require "spec.bench.store.measure"
local port = require "spec.support.port"
local process = require "spec.support.process"
local throughput = require "spec.bench.store.throughput"
local workers = require "spec.bench.store.workers"

local WARM <const>, SECONDS <const> = 3, 4

---Between two attempts of a wait.
local AGAIN <const> = 1.1

local MOST_P50 <const>, MOST_P99 <const> = 2, 20

---Returns the least bound, in milliseconds, that a share of the attempts between two readings kept to.
local function bound_of(before, after, share)
  local bounds = {}
  for bound in pairs(after) do bounds[#bounds + 1] = bound end
  table.sort(bounds)
  local total = after[math.huge] - before[math.huge]
  for _, bound in ipairs(bounds) do
    if after[bound] - before[bound] >= total * share then return bound * 1000 end
  end
end

local function bide(place, database, at)
  local function read()
    local done = process.run({ "curl", "--silent", "--fail", ("http://127.0.0.1:%d/metrics"):format(at) }, { tool = true })
    return workers.late(done.stdout)
  end
  local worker = workers.start(place, database, { "--jobs", "10000", "--metrics", "127.0.0.1:" .. at })
  measure.pass(WARM)
  local before = read()
  measure.pass(SECONDS)
  local after = read()
  worker:stop()
  assert(after[math.huge] > before[math.huge], "the worker made no attempts")
  return { p50 = bound_of(before, after, 0.5), p99 = bound_of(before, after, 0.99) }
end

local function bare(build, place, database)
  local done = process.run { build .. "/store/bare_late", place:conninfo(database), tostring(SECONDS) }
  assert(done.code == 0, done.stderr)
  local made = core.json.decode(done.stdout)
  return { p50 = made.p50, p99 = made.p99 }
end

---@param bench bench.Bench
return function(bench)
  local lines = bench.recipe_rate and {} or throughput.of_recipe(bench)
  local place, rate = bench.place, bench.recipe_rate / 3
  local ours, theirs = place:make "late", place:make "late_bare"
  local count = math.floor(rate * AGAIN)
  workers.submit(place, ours, workers.constant, count)
  place:fill(theirs, count, 0)
  -- As long ago and as far apart as those of a run that works already.
  for _, name in ipairs { ours, theirs } do
    place:sql(name, ("UPDATE bide.turn SET due = bide.clock() + 2000000 + (random() * %d)::int"):format(AGAIN * 1e6))
  end
  local at = port.free()
  local reached = measure.in_turns {
    bide = function() return bide(place, ours, at) end, bare = function() return bare(bench.build, place, theirs) end,
  }
  for _, part in ipairs { { "p50", MOST_P50 }, { "p99", MOST_P99 } } do
    local name, most = table.unpack(part)
    lines[#lines + 1] = measure.bound(("late at %d attempts/s, %s, ms"):format(math.floor(rate), name), reached.bide[name],
      math.max(most, 2 * reached.bare[name]), { reference = reached.bare[name] })
  end
  return lines
end
