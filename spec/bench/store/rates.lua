---The row about rates: the most requests of ten workers to a host in any second, while one of them is killed, against nginx, and
---by how much they use their slots too late.

local Directory = require "spec.support.directory"
local Nginx = require "spec.support.nginx"
local measure = require "spec.bench.store.measure"
local process = require "spec.support.process"
local workers = require "spec.bench.store.workers"

local WORKERS <const>, SECONDS <const> = 10, 10

---The rate, the waits, and how many each worker holds; the burst, which the last one of its grammar has for itself; and how
---many requests more than that may come in a second, of a rate at which lateness does not count.
local parts = {
  { rate = 100, waits = 400, jobs = "15", burst = 1, more = 1 }, { rate = 1000, waits = 3000, jobs = "200", burst = 10 },
}

local blocks = [[
  log_format time '$msec';
  server {
    listen 127.0.0.1:PORT;
    access_log requests time;
    default_type application/json;
    location / { return 200 '{"status":"pending"}'; }
  }
]]

---@return number[] of the lines of a file
local function numbers_of(path)
  local list = {}
  for line in io.lines(path) do list[#list + 1] = tonumber(line) end
  return list
end

---Returns the most of some times within a second.
---@param times number[] in seconds, which this sorts
local function most_in_a_second(times)
  table.sort(times)
  local most, first = 0, 1
  for last, at in ipairs(times) do
    while at - times[first] >= 1 do first = first + 1 end
    most = math.max(most, last - first + 1)
  end
  return most
end

---Works at a rate for a while, halfway through which a worker is killed.
local function work(place, database, directory, jobs)
  local list = {}
  for number = 1, WORKERS do
    list[number] = process.start({ process.lua, "spec/bench/store/paced.lua", place:url(database), jobs,
      ("%s/late%d"):format(directory.path, number) }, { longest = 300 })
    list[number]:hold_loop(false)
  end
  measure.pass(SECONDS / 2)
  list[1]:kill "sigkill"
  measure.pass(SECONDS / 2)
  for number, worker in ipairs(list) do
    if number > 1 then worker:stop() end
  end
end

local function of_rate(bench, part)
  local place, directory = bench.place, Directory.make()
  local nginx = Nginx.start(directory, blocks)
  local ok, found = pcall(function()
    local database = place:make "rates"
    local recipe = workers.asking(("http://127.0.0.1:%d"):format(nginx.port), 0.05, ("%d/s"):format(part.rate))
    workers.submit(place, database, recipe, part.waits)
    work(place, database, directory, part.jobs)
    local late = {}
    for number = 1, WORKERS do
      local list = numbers_of(("%s/late%d"):format(directory.path, number))
      table.move(list, 1, #list, #late + 1, late)
    end
    local requests = numbers_of(directory.path .. "/requests")
    local p99 = measure.quantile(late, 0.99)
    local most = part.rate + part.burst + (part.more or part.rate * p99 / 1000)
    return measure.bound(("requests of %d workers in a second, at %d/s"):format(WORKERS, part.rate), most_in_a_second(requests),
      most, { late_p99 = p99, rate = #requests / (requests[#requests] - requests[1]) })
  end)
  nginx:stop()
  directory:remove()
  if not ok then error(found, 0) end
  return found
end

---@param bench bench.Bench
return function(bench)
  local lines = {}
  for position, part in ipairs(parts) do lines[position] = of_rate(bench, part) end
  return lines
end
