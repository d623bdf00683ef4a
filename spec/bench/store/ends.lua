---The row about a long run that opens its waits in turn: what its last ends take beside the first ones of another run, which is
---worked directly after it, since a machine is not as busy an hour later. The recipe is done at once, without an answer of a
---service and with one of nginx; one worker works the run, which has ten waits open at a time.

local Directory = require "spec.support.directory"
local Nginx = require "spec.support.nginx"
local measure = require "spec.bench.store.measure"
local workers = require "spec.bench.store.workers"

---The goal is that of 1000000, which take some half an hour; a tenth of them ask nginx.
local WAITS <const> = math.tointeger(tonumber(os.getenv "BIDE_ENDS")) or 20000

---The waits that are compared; a worker begins with as many before them.
local PART <const> = math.min(WAITS // 40, 10000)

local JOBS <const> = 10

---In seconds: between two looks at a run.
local LOOK <const> = 0.5

local constant = [[
return { Nothing = {
  input = { name = { type = "string" } },
  call = function() return { status = "done" } end,
  waitable = { Done = { acceptors = {
    { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "done" } } },
  } } },
} }
]]

local blocks = [[
  server {
    listen 127.0.0.1:PORT;
    default_type application/json;
    location / { return 200 '{"status":"done"}'; }
  }
]]

---Returns how many waits have ended, and the processor time of the server and of the worker.
local function look(place, database, worker)
  local ended = tonumber(place:sql(database, "SELECT succeeded + failed FROM bide.run"))
  return { ended = ended, server = place:time(), client = measure.time_of_family(worker.pid) }
end

---Follows a run until it has ended.
local function follow(place, database, worker, count)
  local seen = { look(place, database, worker) }
  while seen[#seen].ended < count do
    measure.pass(LOOK)
    seen[#seen + 1] = look(place, database, worker)
  end
  return seen
end

---Returns what an end took on average between two numbers of ends, in microseconds of each kind of processor time.
local function cost(seen, from, to)
  local first, last
  for _, one in ipairs(seen) do
    if one.ended <= from then first = one end
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

---Has a worker end the waits of a run, and returns what the last of them took.
local function work(place, recipe, count)
  local database = place:make "ends"
  workers.submit(place, database, recipe, count, { "--jobs", tostring(JOBS) })
  local worker, began = workers.start(place, database), measure.now()
  local seen = follow(place, database, worker, count)
  local made = cost(seen, count - PART, count)
  made.seconds, made.memory = measure.now() - began, measure.memory_of_family(worker.pid)
  made.gap = gap(place, database, count - PART, count)
  worker:stop()
  return made
end

---@return table[] lines
local function compare(place, name, recipe, count)
  local last, first = work(place, recipe, count), work(place, recipe, 2 * PART)
  name = ("%d waits by --jobs %d, %s: "):format(count, JOBS, name)
  return {
    measure.ratio(name .. "between two of the last ends beside the first, ms", last.gap, first.gap, { most = 2 },
      { seconds = last.seconds }),
    measure.ratio(name .. "µs of the server for one of the last ends beside the first", last.server, first.server, { most = 2 },
      { client = last.client, first_client = first.client }),
    measure.bound(name .. "the most memory of both processes of the worker, MB", last.memory, 64),
  }
end

---@param bench bench.Bench
return function(bench)
  local directory = Directory.make()
  local nginx = Nginx.start(directory, blocks)
  local asking = workers.asking("http://127.0.0.1:" .. nginx.port, 1)
  local ok, lines = pcall(function()
    local found = compare(bench.place, "constant", constant, WAITS)
    return table.move(compare(bench.place, "over HTTP", asking, WAITS // 10), 1, 3, 4, found)
  end)
  nginx:stop()
  directory:remove()
  if not ok then error(lines, 0) end
  return lines
end
