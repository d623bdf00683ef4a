---Slots of a rate whose reservation was answered late were moved by as much, so that they came beside those that other workers
---had reserved behind them: 104 requests in a second at 100/s where answers took up to 60 ms, and 107 seen on a busy machine.

local process = require "spec.support.process"

---Ten workers ask a host as often as they may, each by some requests at a time, with a store that takes a while to answer. Prints
---the most requests in a second, and their number.
local script = [[
local await, core, clocks = require "bide.task.await", require "bide.core", require "bide.record.worker.clock"
local paces, rates = require "bide.record.worker.pace", require "bide.probe.http.rate"
local LONGEST, SECONDS, EPOCH = 30, 10, 1700000000000000
local loop, task, free, sent = core.loop, core.task, 0, {}
math.randomseed(SEED)
loop.use_virtual_clock()
task.argument_of_attempt = function() return { has_turns = true, key = { queue = "q" } } end

local function start(f)
  task.start(f, function(_, how, fault) if how == "raised" then error(fault) end end, nil, nil, "unlimited")
end

local store = {}
function store.closed_hosts() return {} end
function store.give_back() return false end
function store:reserve(_, what)
  await(loop.now() + math.random(LONGEST))
  local clock = EPOCH + loop.now() * 1000
  local first = math.max(free, clock + (what.lead or 0))
  local granted = math.max(math.min(what.count, (clock + 1000000 - first) // what.gap + 1), 0)
  free = first + granted * what.gap
  await(loop.now() + math.random(LONGEST))
  return { first = first, granted = granted, gap = what.gap, free = free, clock = clock }
end

for number = 1, 10 do
  local pace = paces.new { me = { id = number }, clock = clocks.new(), store = store }
  start(function() -- the first beat, whose answer is short
    local before = loop.now()
    await(before + math.random(100))
    local sent_at, clock = loop.now(), EPOCH + loop.now() * 1000
    await(loop.now() + math.random(2))
    pace.worker.clock:note(clock, sent_at, loop.now())
    pace.worker.clock.is_near = true
  end)
  start(function() pace:run() end)
  for _ = 1, 15 * RATE // 100 do
    start(function()
      local bucket = pace:bucket(assert(rates.parse "RATE/s"), "http://h:80")
      while true do
        bucket:enter()
        sent[#sent + 1] = loop.now()
        await(loop.now() + 50)
      end
    end)
  end
end
local over = loop.now() + SECONDS * 1000
while loop.now() < over do loop.turn() end
local most, first = 0, 1
for last, at in ipairs(sent) do
  while at - sent[first] >= 1000 do first = first + 1 end
  most = math.max(most, last - first + 1)
end
print(most, #sent)
]]

describe("workers that keep a rate together", function()
  it("keep it where the answers of their store come late", function()
    -- The rate and its burst; at 100/s one more, at 1,000/s those of 5 ms, by which a slot may be missed, and of 2 of the clock.
    for rate, limit in pairs { [100] = 102, [1000] = 1017 } do
      for seed = 1, 4 do
        local done = process.run({ process.lua, "-e", (script:gsub("SEED", seed):gsub("RATE", rate)) },
          { env = { LUA_PATH = package.path, LUA_CPATH = package.cpath } })
        assert.same({ 0, "" }, { done.code, done.stderr })
        local most, count = done.stdout:match "(%d+)%s+(%d+)"
        assert.is_true(tonumber(most) <= limit, most .. " requests within a second")
        assert.is_true(tonumber(count) >= 9.5 * rate, "they are much slower than the rate")
      end
    end
  end)
end)
