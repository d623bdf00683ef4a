---The rows about attempts a second: the verbs alone beside a bare loop in C with the same statements and batches, and beside
---peers; a recipe that does nothing beside the verbs alone; turns that are kept in hand beside those that are released.

local core = require "bide.core"
local measure = require "spec.bench.store.measure"
local peers = require "spec.bench.store.peers"
local process = require "spec.support.process"
local workers = require "spec.bench.store.workers"

local M = {}

---The turns that are always due, the jobs of a peer, and the seconds of a turn of a side.
local TURNS <const>, JOBS <const>, SECONDS <const> = 20000, 20000, 3

local function run(command)
  local done = process.run(command, { longest = 120 })
  assert(done.code == 0, table.concat(command, " ") .. ": " .. done.stderr)
  return core.json.decode(done.stdout)
end

---Works turns by the verbs alone, and returns what that took.
---@param place bench.Place
---@param database string
---@param mode string
---@param seconds number
---@param refused? integer
---@return { rate: number, server: number, client: number, claim_p99: number } the processor time is in µs an attempt
function M.verbs(place, database, mode, seconds, refused)
  local used = place:time()
  local made = run { process.lua, "spec/bench/store/verbs.lua", place:url(database), mode, tostring(seconds),
    refused and tostring(refused) or nil }
  measure.pass(0.2) -- the server counts a connection that has ended with itself
  return { rate = made.attempts / made.seconds, server = (place:time() - used) / made.attempts * 1e6,
    client = made.cpu / made.attempts * 1e6, claim_p50 = made.claim_p50, claim_p99 = made.claim_p99 }
end

local function bare(build, place, database, mode)
  local made = run { build .. "/store/bare_loop", place:conninfo(database), mode, tostring(SECONDS) }
  return { rate = made.attempts / made.seconds, client = made.cpu / made.attempts * 1e6 }
end

---@param bench bench.Bench
function M.of_verbs(bench)
  local place = bench.place
  local database = place:make "verbs"
  place:fill(database, TURNS, -1)
  local found, lines = peers.find(bench.build)
  local sides = {
    bide = function() return M.verbs(place, database, "release", SECONDS) end,
    bare = function() return bare(bench.build, place, database, "release") end,
  }
  for name, command in pairs(found) do
    local dsn = place.cluster:url("postgres", place:make("peer_" .. #name))
    sides[name] = function() return peers.measure(command, dsn, JOBS) end
  end
  local reached = measure.in_turns(sides)
  lines[#lines + 1] = measure.ratio("verbs alone beside a bare loop, attempts/s", reached.bide.rate, reached.bare.rate,
    { least = 0.8 }, { client = reached.bide.client, bare_client = reached.bare.client, server = reached.bide.server })
  local fastest
  for name in pairs(found) do
    if not fastest or reached[name].rate > reached[fastest].rate then fastest = name end
  end
  if fastest then
    local rates = {}
    for name in pairs(found) do rates[name] = reached[name].rate end
    lines[#lines + 1] = measure.ratio("verbs alone beside the fastest peer, attempts/s", reached.bide.rate,
      reached[fastest].rate, { least = 1 }, { fastest = fastest, rates = rates })
  end
  return lines
end

---@param bench bench.Bench
function M.of_kept(bench)
  local place = bench.place
  local database = place:make "kept"
  place:fill(database, TURNS, -1)
  local reached = measure.in_turns {
    kept = function() return M.verbs(place, database, "keep", SECONDS) end,
    released = function() return M.verbs(place, database, "release", SECONDS) end,
  }
  return { measure.ratio("kept in hand beside claim and settle, µs of the server an attempt", reached.kept.server,
    reached.released.server, { most = 0.4 }, { rate = reached.kept.rate, released_rate = reached.released.rate }) }
end

---@param bench bench.Bench
function M.of_recipe(bench)
  local place = bench.place
  local database, alone = place:make "recipe", place:make "alone"
  place:fill(alone, TURNS, -1)
  local run_of_waits = workers.submit(place, database, workers.constant, 2 * TURNS)
  local reached = measure.in_turns {
    bide = function()
      local made = workers.window(place, database, { jobs = 2000, warm = 2, seconds = SECONDS })
      return { rate = made.attempts / made.seconds, client = made.cpu / made.attempts * 1e6, memory = made.memory }
    end,
    verbs = function() return M.verbs(place, alone, "release", SECONDS) end,
  }
  workers.cancel(place, database, run_of_waits)
  bench.recipe_rate = reached.bide.rate
  return {
    measure.ratio("a constant recipe beside the verbs alone, attempts/s", reached.bide.rate, reached.verbs.rate,
      { least = 0.5 }, { client = reached.bide.client }),
    measure.bound("the most memory of both processes of that worker, MB", reached.bide.memory, 64),
  }
end

return M
