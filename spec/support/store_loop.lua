---Works the waits of a store by its verbs alone, with an attempt that does nothing: run as a process of its own, to be killed.
---
---    lua5.4 spec/support/store_loop.lua URL ATTEMPTS
---
---A wait succeeds at its attempt number ATTEMPTS. Every other attempt is kept in hand.

require "bide"
local loop = require("bide.core").loop
local await = require "bide.task.await"
local stores = require "bide.record.store.open"
local verbs = require "bide.record.store.verbs"

local url, attempts = arg[1], math.tointeger(tonumber(arg[2]))
local store = assert(stores.open(url))

---What is in hand, and what waits to be written, until the store has answered.
local me, hand, results, outcomes, beaten, has_lost = nil, {}, {}, {}, 0, false

---Handles the failure of a verb.
local function on_failure(failure)
  if failure.kind == "expired" then me, hand, results, outcomes = nil, {}, {}, {} else has_lost = true end
  assert(failure.kind == "expired" or failure.kind == "away", failure.message)
  await(loop.update() + 100)
end

local function enter()
  local failure
  me, failure = store:enter { name = "loop", kind = "trusted", version = "0", host = "h", pid = 1, slots = 100,
    queues = { { name = "default", weight = 1 } }, formats = { 0, 1 } }
  if not me then return on_failure(failure) end
  beaten, has_lost = 0, false
end

local function beat()
  if loop.update() - beaten < 200 then return end
  local cancelled, differs = store:beat(me, verbs.held(hand))
  if not cancelled then return on_failure(differs) end
  beaten = loop.update()
  if not differs and not has_lost then return end
  local ids = {}
  for id in pairs(hand) do ids[#ids + 1] = id end
  local still, failure = store:sync(me, ids)
  if not still then return on_failure(failure) end
  has_lost = false
  local kept = {}
  for id in pairs(still) do kept[id] = hand[id] end
  hand = kept
end

local function attempt(turn, now)
  local number = turn.attempts + 1
  local entry = ('{"attempt": %d}'):format(number)
  if number >= attempts then
    outcomes[#outcomes + 1] = { id = turn.id, attempts = number, outcome = "{}", state = "success", entry = entry }
    return
  end
  results[#results + 1] = { id = turn.id, attempts = number, due = now + 20000, format = 1, state = "s", entry = entry,
    keep = number % 2 == 1 }
end

---Writes what was decided. What was not written belongs to another worker now.
local function write(verb, list)
  if #list == 0 then return list end
  local written, failure = store[verb](store, me, list)
  if not written then
    on_failure(failure)
    return me and list or {}
  end
  local is_written = {}
  for _, id in ipairs(written) do is_written[id] = true end
  for _, one in ipairs(list) do
    local turn = hand[one.id]
    if turn and is_written[one.id] and one.keep then turn.attempts = one.attempts else hand[one.id] = nil end
  end
  return {}
end

local function work()
  local clock, turns = store:claim(me, { queue = "default", lanes = { 2 }, want = 100, ahead = 100000, back = math.maxinteger })
  if not clock then return on_failure(turns) end
  for _, turn in ipairs(turns) do hand[turn.id] = turn end
  for _, turn in pairs(hand) do attempt(turn, clock) end
  results = write("settle", results)
  outcomes = me and write("finish", outcomes) or {}
end

while true do
  if not me then enter() end
  if me then beat() end
  if me and #results + #outcomes == 0 then work() end
  if me and #results > 0 then results = write("settle", results) end
  if me and #outcomes > 0 then outcomes = write("finish", outcomes) end
  if me then
    local reaped, failure = store:reap()
    if not reaped then on_failure(failure) end
  end
  await(loop.update() + 10)
end
