---The row about a long run that opens its waits in turn: what its last ends take beside its first ones. A recipe that is done
---at once is worked by one worker, and the run has ten waits open at a time.

local measure = require "spec.bench.store.measure"
local workers = require "spec.bench.store.workers"

---The goal is that of 1000000, which take some ten minutes.
local WAITS <const> = math.tointeger(tonumber(os.getenv "BIDE_ENDS")) or 20000

---The waits at the beginning and at the end that are compared, behind as many that a worker begins with.
local PART <const> = math.min(WAITS // 4, 10000)

local JOBS <const> = 10

---In seconds: between two looks at a run.
local LOOK <const> = 0.5

local recipe = [[
return { Nothing = {
  input = { name = { type = "string" } },
  call = function() return { status = "done" } end,
  waitable = { Done = { acceptors = {
    { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "done" } } },
  } } },
} }
]]

---Returns how many waits have ended, and the processor time of the server and of the worker.
local function look(place, database, worker)
  local ended = tonumber(place:sql(database, "SELECT succeeded + failed FROM bide.run"))
  return { ended = ended, server = place:time(), client = measure.time_of_family(worker.pid), at = measure.now() }
end

---Follows a run until it has ended.
local function follow(place, database, worker)
  local seen = {}
  repeat
    measure.pass(LOOK)
    seen[#seen + 1] = look(place, database, worker)
  until seen[#seen].ended == WAITS
  return seen
end

---Returns what an end took on average between two numbers of ends, in microseconds of each kind of time.
local function cost(seen, from, to)
  local first, last
  for _, one in ipairs(seen) do
    if one.ended <= from or not first then first = one end
    last = one
    if one.ended >= to then break end
  end
  local count = last.ended - first.ended
  return { server = (last.server - first.server) / count * 1e6, client = (last.client - first.client) / count * 1e6 }
end

---Returns the milliseconds between two ends, on average.
local function gap(place, database, from, to)
  return tonumber(place:sql(database, ("SELECT (max(ended) - min(ended)) / 1e3 / %d FROM bide.wait WHERE rank BETWEEN %d AND %d")
    :format(to - from, from, to)))
end

---@param bench bench.Bench
return function(bench)
  local place = bench.place
  local database = place:make "ends"
  workers.submit(place, database, recipe, WAITS, { "--jobs", tostring(JOBS) })
  local worker, began = workers.start(place, database), measure.now()
  local seen = follow(place, database, worker)
  local took, memory = measure.now() - began, measure.memory_of_family(worker.pid)
  worker:stop()
  local first, last = cost(seen, PART, 2 * PART), cost(seen, WAITS - PART, WAITS)
  local name = ("%d waits by --jobs %d: "):format(WAITS, JOBS)
  return {
    measure.ratio(name .. "between two of the last ends beside the first, ms", gap(place, database, WAITS - PART, WAITS),
      gap(place, database, PART, 2 * PART), { most = 2 }, { seconds = took }),
    measure.ratio(name .. "µs of the server for one of the last ends beside the first", last.server, first.server, { most = 2 },
      { client = last.client, first_client = first.client }),
    measure.bound(name .. "the most memory of both processes of the worker, MB", memory, 64),
  }
end
