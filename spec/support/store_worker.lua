---A worker of a store as `bide worker` runs it, for specs that kill it: a process of its own with one waiter, which asks a
---service for `{"state": …}` by its token and the number of its attempt.
---
---    lua5.4 spec/support/store_worker.lua STORE SERVICE JOBS [POINT NUMBER]
---
---POINT is VERB:before, VERB:between, VERB:after or attempt:within: where the process kills itself, at the NUMBERth time.
---The verb `keep` is a settle that keeps a turn, `settle` one that keeps none.

local bide = require "bide"
local core = require "bide.core"
local http = require "bide.http"
local luv = require "luv"
local stores = require "bide.record.store.open"
local workers = require "bide.record.worker"

local loop = core.loop
local url, service, jobs, point, number = table.unpack(arg)
local verb_of_point, phase = (point or "-:-"):match "^(%a+):(%a+)$"
local store = assert(stores.open(url))
local left, worker = math.tointeger(tonumber(number or "1")), nil

local function die() luv.kill(math.tointeger(luv.os_getpid()), "sigkill") end

---Counts down, and reports whether it is time to die.
local function is_time()
  left = left - 1
  return left == 0
end

local function call()
  local wait = core.task.argument(core.task.attempt())
  if verb_of_point == "attempt" and is_time() then loop.alarm(die):start(loop.update() + 5) end
  local me = worker.me and worker.me.id or 0
  local seconds, microseconds = luv.gettimeofday()
  return http.get(("%s/%s/%d/%d/%d"):format(service, wait.input:value().token, wait:made(), me,
    seconds * 1000000 + microseconds), { timeout = 20 })
end

local waiter = bide.waiter {
  name = "Asked", operation = call, minDelay = 0.02, maxDelay = 0.4,
  acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } },
    { state = "retry", matcher = { success = false } },
  },
}

---Prints which waits the store has said have ended, and when.
local function note_ends(ids)
  local seconds, microseconds = luv.gettimeofday()
  for _, id in ipairs(ids) do io.write(("%d %d\n"):format(id, seconds * 1000000 + microseconds)) end
  io.flush()
end

---Makes a verb kill this process.
local function watch_verb(name)
  local verb = store[name]
  store[name] = function(self, me, list, ...)
    local is_keep = name == "settle" and list[1] and list[1].keep and "keep" or name
    local is_last = is_keep == verb_of_point and is_time()
    if is_last and phase == "before" then die() end
    if is_last and phase == "between" then loop.alarm(die):start(loop.update() + math.random(0, 1)) end
    local results = table.pack(verb(self, me, list, ...))
    if name == "finish" and results[1] then note_ends(results[1]) end
    if is_last then die() end
    return table.unpack(results, 1, results.n)
  end
end

for _, name in ipairs { "enter", "beat", "reap", "claim", "settle", "finish", "sync" } do watch_verb(name) end
if os.getenv "WITHOUT_SYNC" then
  function store:sync(_, held) -- luacheck: ignore 212
    local known = {}
    for _, id in ipairs(held) do known[id] = worker.hand[id] and worker.hand[id].written end
    return known
  end
end

worker = workers.new(store, {
  name = "w", queues = { { name = "default", weight = 1 } }, jobs = math.tointeger(tonumber(jobs)), version = "0",
  kind = "trusted",
  read = function(found)
    return { waiter = waiter, bundle = found.bundle_id,
      limits = { max_wait = 600000, min_delay = 20, max_delay = 400, name_option = tostring, given = "" } }
  end,
})

loop.watch_signals(function() worker:stop() end)
core.task.start(function()
  worker:run()
  store:close()
end, function(_, how, fault)
  if how == "raised" then io.stderr:write(tostring(fault), "\n") end
  os.exit(how == "returned" and 0 or 1)
end)
while loop.turn() do end
