---The bench of the store: what its parts cost, each beside a named reference. Run by `make bench-store`.
---
---    lua5.4 spec/bench/store/bench.lua BUILD [ROW …]
---
---Without rows, all of them. Each prints one JSON object a line.

local Place = require "spec.bench.store.place"
local of_ends = require "spec.bench.store.ends"
local of_late = require "spec.bench.store.late"
local measure = require "spec.bench.store.measure"
local of_http = require "spec.bench.store.http"
local of_rates = require "spec.bench.store.rates"
local of_session = require "spec.bench.store.session"
local of_times = require "spec.bench.store.times"
local sleeping = require "spec.bench.store.sleeping"
local throughput = require "spec.bench.store.throughput"

---@class bench.Bench
---@field build string
---@field place bench.Place
---@field recipe_rate number? of the row "recipe"

---@type { [1]: string, [2]: fun(bench: bench.Bench): table[] }[]
local rows = {
  { "verbs", throughput.of_verbs }, { "recipe", throughput.of_recipe }, { "late", of_late }, { "kept", throughput.of_kept },
  { "http", of_http }, { "sleeping", sleeping.of_many }, { "refused", sleeping.of_refused }, { "disk", sleeping.of_disk },
  { "snapshot", sleeping.of_snapshot }, { "memory", sleeping.of_memory }, { "times", of_times },
  { "session", of_session }, { "ends", of_ends }, { "rates", of_rates },
}

local bench = { build = arg[1] }
local wanted, names = {}, {}
for position, row in ipairs(rows) do names[position], names[row[1]] = row[1], true end
for position = 2, #arg do
  assert(names[arg[position]], ("found no row %s, expected one of %s"):format(arg[position], table.concat(names, ", ")))
  wanted[arg[position]] = true
end
bench.place = Place.start()
local ok, failure = xpcall(function()
  for _, row in ipairs(rows) do
    if not next(wanted) or wanted[row[1]] then measure.run(row[1], function() return row[2](bench) end) end
  end
end, debug.traceback)
bench.place:stop()
if not ok then error(failure, 0) end
