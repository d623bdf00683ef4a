---Kills workers, servers and connections of a store in PostgreSQL, and checks the history of each run.
---
---    lua5.4 spec/kills/kills.lua KILLS [FAMILY…]
---
---Makes at least KILLS disturbances of each family, and prints one JSON object a family. BIDE_HISTORY names a file for the
---history of a run in which something is wrong; BIDE_POINT lets workers die at that point only. A machine that is too busy for
---beats within a second needs more than BIDE_LEASE=1000 milliseconds.

require "bide"
local checker = require "spec.kills.checker"
local core = require "bide.core"
local families = require "spec.kills.families"
local harnesses = require "spec.kills.harness"
local luv = require "luv"
local programs = require "spec.kills.programs"

local wanted = math.tointeger(tonumber(arg[1])) or 2
local names = arg[2] and { table.unpack(arg, 2) } or families.names
local LEASE = math.tointeger(os.getenv "BIDE_LEASE" or 1000)
local WAITS, LONGEST = math.tointeger(tonumber(os.getenv "BIDE_WAITS" or 150)), 120

math.randomseed(tonumber(os.getenv "BIDE_SEED") or os.time())
local harness, missing = harnesses.start(LEASE)
if not harness then
  print("pending: " .. missing)
  os.exit(0)
end

---Writes a history in which something is wrong to a file, as JSON.
local function write_history(round, path)
  local file <close> = assert(io.open(path, "w"))
  local history = round.history
  file:write(core.json.encode { found = round.found, waits = history.waits, recorded = history.recorded, owned = history.owned,
    requests = history.requests, causes = history.causes, said = history.said })
end

local has_failed = false
for _, name in ipairs(names) do
  local total, doubles, requests, rounds, began = 0, 0, 0, 0, luv.hrtime()
  local state, pauses, deaths = {}, {}, {}
  while total < wanted do
    state = { point = state.point, only = os.getenv "BIDE_POINT" }
    local round = families.round(harness, name, WAITS, LONGEST, state)
    total, rounds = total + round.count, rounds + 1
    doubles, requests = doubles + checker.doubles(round.history), requests + #round.history.requests
    for point, count in pairs(round.deaths) do deaths[point] = (deaths[point] or 0) + count end
    local paused = programs.pauses(round.history, state.killed or {})
    table.move(paused, 1, #paused, #pauses + 1, pauses)
    if #round.found > 0 then
      has_failed = true
      if os.getenv "BIDE_HISTORY" then write_history(round, os.getenv "BIDE_HISTORY") end
      print(core.json.encode { family = name, round = rounds, found = checker.counts(round.found), first = round.found[1] })
    end
  end
  local points, least = 0, math.maxinteger
  for _, point in ipairs(families.points) do
    points, least = points + (deaths[point] and 1 or 0), math.min(least, deaths[point] or 0)
  end
  print(core.json.encode { family = name, kills = total, rounds = rounds, waits = rounds * WAITS, requests = requests,
    madeTwice = doubles, turnsTaken = pauses[1] and #pauses, latestTaken = pauses[1] and math.max(table.unpack(pauses)) / 1e6,
    points = points > 0 and points or nil, leastAtAPoint = points > 0 and least or nil, deaths = next(deaths) and deaths,
    seconds = (luv.hrtime() - began) // 1000000000 })
end
harness:stop()
os.exit(has_failed and 1 or 0)
