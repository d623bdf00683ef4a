---A worker of a store as `bide worker` runs it, for specs that kill it: a process of its own with one waiter, which asks a
---service for `{"state": …}` by its token and the number of its attempt.
---
---    lua5.4 spec/support/store_worker.lua STORE SERVICE JOBS NOTES [POINT NUMBER]
---
---NOTES is a file, to which it writes for the checker; at POINT the process kills itself, the NUMBERth time
---(`spec/kills/inside.lua`).

local bide = require "bide"
local core = require "bide.core"
local http = require "bide.http"
local inside = require "spec.kills.inside"
local luv = require "luv"
local stores = require "bide.record.store.open"
local workers = require "bide.record.worker"

local loop = core.loop
local url, service, jobs, notes, point, number = table.unpack(arg)
local store = assert(stores.open(url))
local watch

local function call()
  local wait = core.task.argument_of_attempt()
  watch:attempt()
  return http.get(("%s/%s/%d/%d/%d"):format(service, wait.input:value().token, wait:made(), luv.os_getpid(), luv.hrtime()),
    { timeout = 20 })
end

local waiter = bide.waiter {
  name = "Asked", operation = call, minDelay = 0.02, maxDelay = 0.4,
  acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } },
    { state = "retry", matcher = { success = false } },
  },
}

local worker = workers.new(store, {
  name = "w", queues = { { name = "default", weight = 1 } }, jobs = math.tointeger(tonumber(jobs)), version = "0",
  kind = "trusted", secrets = { fill = function(_, document) return document end },
  read = function(found)
    return { waiter = waiter, bundle = found.bundle_id, owner = found.owner,
      limits = { max_wait = 600000, min_delay = 20, max_delay = 400, name_option = tostring, given = "" } }
  end,
})
watch = inside.watch(worker, { notes = notes, point = point, number = math.tointeger(tonumber(number or "1")) })

loop.watch_signals(function() worker:stop() end)
core.task.start(function()
  worker:run()
  store:close()
end, function(_, how, fault)
  if how == "raised" then io.stderr:write(tostring(fault), "\n") end
  os.exit(how == "returned" and 0 or 1)
end)
while loop.turn() do end
