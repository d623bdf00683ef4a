---The rows about what the number of waits costs: many that sleep beside few, many overdue ones that the worker refuses beside
---none, what a sleeping wait takes on the disk, a snapshot that is held for long, and the memory of a worker.

local measure = require "spec.bench.store.measure"
local throughput = require "spec.bench.store.throughput"
local workers = require "spec.bench.store.workers"

local M = {}

local function number_of(name, otherwise)
  return math.tointeger(tonumber(os.getenv(name))) or otherwise
end

---What sleeps, what is refused, and how long a snapshot is held, in seconds. The goals are those of 1000000, 500000 and 60,
---with which these rows take some minutes more.
local SLEEPING, REFUSED, HELD = number_of("BIDE_SLEEPING", 200000), number_of("BIDE_REFUSED", 100000),
  number_of("BIDE_HELD", 15)

---The waits that work meanwhile, those that sleep for comparison, and the seconds of a turn of a side.
local ACTIVE <const>, FEW <const>, SECONDS <const> = 3000, 10000, 3

local HOUR <const> = 3600

---The seconds in which what is refused is set aside.
local LONGEST <const> = 180

---@param bench bench.Bench
function M.of_many(bench)
  local place = bench.place
  local sides = {}
  for name, count in pairs { few = FEW, many = SLEEPING } do
    local database = place:make("sleeping_" .. name)
    place:fill(database, count, HOUR)
    place:fill(database, ACTIVE, -1)
    sides[name] = function() return throughput.verbs(place, database, "release", SECONDS) end
  end
  local reached = measure.in_turns(sides)
  local function compare(what, member, most)
    return measure.ratio(("%d sleeping beside %d: %s"):format(SLEEPING, FEW, what), reached.many[member], reached.few[member],
      { most = most })
  end
  return { compare("p99 of a claim, ms", "claim_p99", 2), compare("µs of the server an attempt", "server", 1.2) }
end

---Has a worker set aside what it refuses, and returns the seconds that this took.
local function set_aside(place, database, refused)
  local began = measure.now()
  local left
  repeat
    throughput.verbs(place, database, "paced", SECONDS, refused)
    left = tonumber(place:sql(database, "SELECT count(*) FROM bide.turn WHERE lane < 4 AND bundle = " .. refused))
  until left == 0 or measure.now() - began > LONGEST
  place:sql(database, "VACUUM ANALYZE")
  return measure.now() - began
end

---@param bench bench.Bench
function M.of_refused(bench)
  local place = bench.place
  local sides, took = {}, nil
  for name, count in pairs { none = 0, many = REFUSED } do
    local database = place:make("refused_" .. name)
    if count > 0 then place:fill(database, count, -HOUR) end
    place:fill(database, ACTIVE, -1, 2)
    local refused = tonumber(place:sql(database,
      "SELECT coalesce(max(id), 99) FROM bide.bundle WHERE digest = decode(md5('1'), 'hex')"))
    if count > 0 then took = set_aside(place, database, refused) end
    sides[name] = function() return throughput.verbs(place, database, "paced", 6, refused) end
  end
  local reached = measure.in_turns(sides)
  return { measure.ratio(("%d overdue waits that the worker refuses: p99 of a claim, ms"):format(REFUSED),
    reached.many.claim_p99, reached.none.claim_p99, { most = 2 },
    { p50 = reached.many.claim_p50, none_p50 = reached.none.claim_p50, set_aside_in = took }) }
end

---Returns the bytes of the turns and the waits, all indices included.
local function bytes(place, database)
  return tonumber(place:sql(database, "SELECT pg_total_relation_size('bide.turn') + pg_total_relation_size('bide.wait')"))
end

---An hour of a million waits in fast motion: half of the waits make an attempt, a tenth at a time, and what is dead then is
---removed, as autovacuum does at 20,000 rows.
---@param bench bench.Bench
function M.of_disk(bench)
  local place, count = bench.place, 100000
  local database = place:make "disk"
  local _, seconds = workers.submit(place, database, workers.constant, count)
  local fresh = bytes(place, database) / count
  place:sql(database, "UPDATE bide.turn SET due = due + (random() * 3600e6)::bigint; VACUUM bide.turn")
  for part = 0, 19 do
    place:sql(database, ([[BEGIN; SET LOCAL synchronous_commit = off;
UPDATE bide.turn SET worker = 1 WHERE id %% 20 = %d;
UPDATE bide.turn SET worker = NULL, due = due + (random() * 3600e6)::bigint, attempts = attempts + 1, format = 1,
  state = decode(repeat('73', 150), 'hex') WHERE id %% 20 = %d; COMMIT; VACUUM bide.turn;]]):format(part, part))
  end
  return {
    measure.bound(("submit of %d waits, seconds"):format(count), seconds, 5),
    measure.bound("a sleeping wait on the disk, fresh, bytes", fresh, 850),
    measure.bound("a sleeping wait on the disk, after attempts, bytes", bytes(place, database) / count, 1100),
  }
end

---The inputs whose waits a worker has memory for, beside those of usual size: texts, and short values.
local large = {
  { "text", ('{"name":"%s"}'):format(("x"):rep(250000)), 400 },
  { "short values", ('{"name":"x","list":[%s1]}'):format(("1,"):rep(125000)), 60 },
}

---@param bench bench.Bench
function M.of_memory(bench)
  local place, lines = bench.place, {}
  for _, delay in ipairs { 0.5, 1.1 } do
    for _, input in ipairs(large) do
      local database = place:make "memory"
      workers.submit(place, database, workers.pending(delay), input[3], nil, input[2])
      local made = workers.window(place, database, { jobs = 2000, warm = 3, seconds = 8 })
      local name = ("memory of a worker, %d inputs of 250 KB of %s, each %g s, MB"):format(input[3], input[1], delay)
      lines[#lines + 1] = measure.bound(name, made.memory, 64, { rate = made.attempts / made.seconds })
    end
  end
  return lines
end

---@param bench bench.Bench
function M.of_snapshot(bench)
  local place = bench.place
  local database = place:make "snapshot"
  place:fill(database, ACTIVE, -1)
  local function size() return tonumber(place:sql(database, "SELECT pg_total_relation_size('bide.turn')")) end
  local without = throughput.verbs(place, database, "paced", HELD)
  local release = place:hold(database, "SELECT count(*) FROM bide.turn")
  local with = throughput.verbs(place, database, "paced", HELD)
  release()
  local peak = size()
  throughput.verbs(place, database, "paced", HELD)
  return {
    measure.ratio(("a snapshot held for %d s: p99 of a claim beside without, ms"):format(HELD), with.claim_p99,
      without.claim_p99, { most = 10 }, { p50 = with.claim_p50, without_p50 = without.claim_p50 }),
    measure.ratio(("a snapshot held for %d s: bytes of the turns as long after it beside its end"):format(HELD), size(), peak,
      { most = 1.1 }),
  }
end

return M
