---The row about waits over HTTP: the processor time of both processes of a worker for an attempt, beside that of
---`bide run --each` with the same recipe and waits, saturated and at 500 attempts a second, against nginx; and of
---`bide run --each --sandbox`, which has no store, but the walls and limits of a worker.

local Directory = require "spec.support.directory"
local Nginx = require "spec.support.nginx"
local Workspace = require "spec.support.workspace"
local measure = require "spec.bench.store.measure"
local process = require "spec.support.process"
local workers = require "spec.bench.store.workers"

local SECONDS <const>, WARM <const> = 3, 2

---The waits of each part, the seconds between two attempts, and the goal. Below a second, a worker keeps its turns.
local parts = {
  { "saturated", 12000, 1.1, 1.25 }, { "at 500/s", 550, 1.1, 1.5 }, { "at 500/s, kept in hand", 250, 0.5, 1.5 },
}

local blocks = [[
  server {
    listen 127.0.0.1:PORT;
    default_type application/json;
    location = /pending { return 200 '{"status":"pending","name":"foo","size":3,"id":"01234"}'; }
    location = /requests { stub_status; }
  }
]]

local function requests(url)
  local status = process.run({ "curl", "--silent", "--fail", url .. "/requests" }, { tool = true })
  return tonumber(status.stdout:match "requests%s+%d+%s+%d+%s+(%d+)")
end

---Watches a process that asks nginx, and ends it.
---@param started spec.Process
local function watch(started, url)
  measure.pass(WARM)
  local before, used, began = requests(url), measure.time_of_family(started.pid), measure.now()
  measure.pass(SECONDS)
  local made = requests(url) - before - 1
  local cost = (measure.time_of_family(started.pid) - used) / made * 1e6
  local rate = made / (measure.now() - began)
  started:kill "sigterm"
  started:wait()
  assert(made > 0, started.stderr)
  return { cost = cost, rate = rate }
end

---Runs the waits without a store.
---@param option? string
local function run(folder, url, option)
  local started = folder:start({ "run", "recipe.lua", "--each", "waits.jsonl", "--keep-going", "--max-wait", "24h", "--quiet",
    option }, { longest = 120 })
  started:hold_loop(false)
  return watch(started, url)
end

local function compare(place, folder, url, part)
  local name, count, delay, most = table.unpack(part)
  local recipe = workers.asking(url .. "/pending", delay)
  local database = place:make "http"
  workers.submit(place, database, recipe, count)
  workers.write(folder, recipe, count)
  local reached = measure.in_turns {
    bide = function() return watch(workers.start(place, database, { "--jobs", "2000" }), url) end,
    run = function() return run(folder, url) end,
    sandboxed = function() return run(folder, url, "--sandbox") end,
  }
  return measure.ratio(("an attempt over HTTP, %s, beside run --each, µs"):format(name), reached.bide.cost, reached.run.cost,
    { most = most }, {
      rate = reached.bide.rate, run_rate = reached.run.rate,
      sandboxed = reached.sandboxed.cost, ratio_to_sandboxed = reached.bide.cost / reached.sandboxed.cost,
    })
end

---@param bench bench.Bench
return function(bench)
  local directory, folder = Directory.make(), Workspace.make()
  local nginx = Nginx.start(directory, blocks)
  local url, lines = "http://127.0.0.1:" .. nginx.port, {}
  local ok, failure = pcall(function()
    for position, part in ipairs(parts) do
      lines[position] = compare(bench.place, folder, url, part)
    end
  end)
  nginx:stop()
  directory:remove()
  folder:remove()
  if not ok then error(failure, 0) end
  return lines
end
