---Works turns by the verbs of a store alone, without recipes and timers, as a process of its own. Prints a JSON object: the
---attempts, the seconds, the seconds of processor time, and how long claims took, in milliseconds.
---
---    lua5.4 spec/bench/store/verbs.lua URL MODE SECONDS [REFUSED]
---
---MODE is one of
---
---    release   claim 500 turns, settle them, due at once: as fast as it goes
---    keep      hold 500 turns, and settle them without releasing them
---    paced     claim up to 100 every 20 ms and settle them, due in a second; sweep as a worker does
---
---REFUSED is a bundle that the worker refuses.

require "bide"
local await = require "bide.task.await"
local core = require "bide.core"
local measure = require "spec.bench.store.measure"
local stores = require "bide.record.store.open"
local verbs = require "bide.record.store.verbs"
local uv = require "luv"

local url, mode, seconds, refused = arg[1], arg[2], tonumber(arg[3]), math.tointeger(tonumber(arg[4]))
local BATCH <const>, FEW <const>, PAUSE <const> = 500, 100, 20

---In milliseconds, as a worker has it: between two sweeps, and the time by which other claims look back.
local SWEEP <const>, BACK <const> = 5000, 500

---As long as that of a waiter.
local STATE <const> = ("s"):rep(150)

local store = assert(stores.open(url))
local me, claims, attempts, hand = nil, {}, 0, {}

---Beats and reaps each second, as a worker does.
local function look_after()
  while true do
    await(core.loop.update() + 1000)
    assert(store:beat(me, verbs.held(hand)))
    assert(store:reap())
  end
end

local function claim(want, back)
  local began = uv.hrtime()
  local clock, turns = store:claim(me, { queue = "default", lanes = { 2 }, want = want, ahead = 0, back = back })
  assert(clock, turns.message)
  claims[#claims + 1] = (uv.hrtime() - began) / 1e6
  return clock, turns
end

local function settle(turns, due, keep)
  local results = {}
  for position, turn in ipairs(turns) do
    turn.attempts = turn.attempts + 1
    results[position] = { id = turn.id, attempts = turn.attempts, due = due, format = 1, state = STATE, keep = keep }
  end
  if #results == 0 then return end
  attempts = attempts + #assert(store:settle(me, results))
end

---@type table<string, fun(is_over: fun(): boolean)>
local modes = {
  release = function(is_over)
    while not is_over() do
      local clock, turns = claim(BATCH, math.maxinteger)
      settle(turns, clock)
    end
  end,
  keep = function(is_over)
    local clock, turns = claim(BATCH, math.maxinteger)
    for _, turn in ipairs(turns) do hand[turn.id] = turn end
    while not is_over() do
      settle(turns, clock, true)
    end
  end,
  paced = function(is_over)
    local swept, is_full = 0, false
    while not is_over() do
      local now = core.loop.update()
      local is_sweep = is_full or now - swept >= SWEEP
      if is_sweep then swept = now end
      local clock, turns = claim(FEW, is_sweep and math.maxinteger or BACK * 1000)
      is_full = #turns == FEW
      settle(turns, clock + 1000000)
      await(now + PAUSE)
    end
  end,
}

local function processor_time()
  local usage = uv.getrusage()
  return usage.utime.sec + usage.stime.sec + (usage.utime.usec + usage.stime.usec) / 1e6
end

local function fail_by(_, how, fault)
  if how ~= "raised" then return end
  io.stderr:write(tostring(fault), "\n")
  os.exit(1)
end

local function work()
  me = assert(store:enter { name = "bench", kind = "trusted", version = "0", host = "h", pid = 1, slots = BATCH,
    queues = { { name = "default", weight = 1 } }, formats = { 0, 1 } })
  if refused then assert(store:refuse(me, refused)) end
  local beside = core.task.start(look_after, fail_by)
  local began, used = measure.now(), processor_time()
  modes[mode](function() return measure.now() - began >= seconds end)
  local took = measure.now() - began
  used = processor_time() - used
  beside:cancel()
  assert(store:leave(me))
  store:close()
  print(core.json.encode { attempts = attempts, seconds = took, cpu = used, claims = #claims,
    claim_p50 = measure.quantile(claims, 0.5), claim_p99 = measure.quantile(claims, 0.99) })
end

core.task.start(work, function(...)
  fail_by(...)
  os.exit(0)
end)
while core.loop.turn() do end
