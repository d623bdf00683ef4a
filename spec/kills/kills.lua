---Kills workers, servers and connections of a store in PostgreSQL, and checks the history of each run.
---
---    lua5.4 spec/kills/kills.lua KILLS [FAMILY…]
---
---Makes at least KILLS disturbances of each family, and prints one JSON object a family.

require "bide"
local checker = require "spec.kills.checker"
local core = require "bide.core"
local families = require "spec.kills.families"
local harnesses = require "spec.kills.harness"
local luv = require "luv"
local programs = require "spec.kills.programs"

local wanted = math.tointeger(tonumber(arg[1])) or 2
local names = arg[2] and { table.unpack(arg, 2) } or families.names
local LEASE, WAITS, LONGEST = 1000, math.tointeger(tonumber(os.getenv "BIDE_WAITS" or 150)), 120

math.randomseed(tonumber(os.getenv "BIDE_SEED") or os.time())
local harness, missing = harnesses.start(LEASE)
if not harness then
  print("pending: " .. missing)
  os.exit(0)
end

local has_failed = false
for _, name in ipairs(names) do
  local total, doubles, requests, rounds, began = 0, 0, 0, 0, luv.hrtime()
  local state, pauses = {}, {}
  while total < wanted do
    state = { point = state.point, only = os.getenv "BIDE_POINT" }
    local count, found, history = families.round(harness, name, WAITS, LONGEST, state)
    total, rounds = total + count, rounds + 1
    doubles, requests = doubles + checker.doubles(history), requests + #history.requests
    local paused = programs.pauses(history, state.killed or {})
    table.move(paused, 1, #paused, #pauses + 1, pauses)
    if #found > 0 then
      has_failed = true
      print(core.json.encode { family = name, round = rounds, found = checker.counts(found), first = found[1] })
    end
  end
  print(core.json.encode { family = name, kills = total, rounds = rounds, waits = rounds * WAITS, requests = requests,
    madeTwice = doubles, turnsTaken = pauses[1] and #pauses, latestTaken = pauses[1] and math.max(table.unpack(pauses)) / 1e6,
    seconds = (luv.hrtime() - began) // 1000000000 })
end
harness:stop()
os.exit(has_failed and 1 or 0)
