---Workers as users run them, for the bench: what they submit, and what an attempt costs them while they are watched.

local Workspace = require "spec.support.workspace"
local measure = require "spec.bench.store.measure"
local process = require "spec.support.process"

local M = {}

---The seconds for which a program may run.
local LONGEST <const> = 1800

---A recipe that does nothing, and is asked for again in a while.
---@param delay number seconds
---@return string
function M.pending(delay)
  return ([[
return { Nothing = {
  input = { name = { type = "string" }, list = { type = "list" } },
  call = function() return { status = "pending" } end,
  waitable = { Done = { minDelay = %g, maxDelay = %g, acceptors = {
    { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "done" } } },
  } } },
} }
]]):format(delay, delay)
end

---Its turns are released.
M.constant = M.pending(1.1)

---A recipe that asks a server.
---@param url string
---@param delay number seconds
---@param rate? string
---@return string
function M.asking(url, delay, rate)
  return ([[
local http = require "bide.http"
return { Thing = {
  rate = %s,
  input = { name = { type = "string" } },
  prepare = function() return http.prepare { url = %q } end,
  waitable = { Exists = { minDelay = %g, maxDelay = %g, acceptors = {
    { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "done" } } },
  } } },
} }
]]):format(rate and ("%q"):format(rate) or "nil", url, delay, delay)
end

---Writes a recipe, and a list of waits.
---@param folder spec.Workspace
---@param input? string of each; one of 180 bytes if it is nil
function M.write(folder, recipe, count, input)
  local lines = {}
  for number = 1, count do lines[number] = input or ('{"name":"%s"}'):format(("x"):rep(163) .. ("%06d"):format(number)) end
  folder:write("recipe.lua", recipe)
  folder:write("waits.jsonl", table.concat(lines, "\n") .. "\n")
end

---Submits waits, and returns their run and the seconds that it took.
---@param words? string[] further options
---@param input? string of each
---@return string run
---@return number seconds
function M.submit(place, database, recipe, count, words, input)
  local folder = Workspace.make()
  M.write(folder, recipe, count, input)
  local began = measure.now()
  local command = { "submit", "recipe.lua", "--each", "waits.jsonl", "--keep-going", "--history", "none", "--max-wait", "24h",
    "--store", place:url(database) }
  local done = folder:bide(table.move(words or {}, 1, 20, #command + 1, command), { longest = LONGEST })
  local took = measure.now() - began
  folder:remove()
  assert(done.code == 0, done.stderr)
  return done.stdout:match "%d+", took
end

---Cancels a run, and waits until nothing is left of it.
function M.cancel(place, database, run)
  local done = process.run { process.bide, "jobs", "cancel", run, "--store", place:url(database) }
  assert(done.code == 0, done.stderr)
end

---@param words? string[] further options
---@return spec.Process
function M.start(place, database, words)
  local command = { process.bide, "worker", "--store", place:url(database), "--quiet", "--allow-net", "127.0.0.1" }
  local worker = process.start(table.move(words or {}, 1, 20, #command + 1, command), { longest = LONGEST })
  worker:hold_loop(false)
  return worker
end

---Returns the attempts that the store knows.
local function attempts(place, database)
  return tonumber(place:sql(database, "SELECT coalesce(sum(attempts), 0) FROM bide.turn"))
end

---Watches a worker for some seconds, once it has worked for others.
---@param way { jobs: integer, warm: number, seconds: number, words: string[]? }
---@return { attempts: number, seconds: number, cpu: number, server: number, memory: number }
function M.window(place, database, way)
  local worker = M.start(place, database, table.move(way.words or {}, 1, 20, 3, { "--jobs", tostring(way.jobs) }))
  measure.pass(way.warm)
  local before, began = attempts(place, database), measure.now()
  local used, of_server = measure.time_of_family(worker.pid), place:time()
  measure.pass(way.seconds)
  local made = {
    attempts = attempts(place, database) - before, cpu = measure.time_of_family(worker.pid) - used,
    server = place:time() - of_server, seconds = measure.now() - began, memory = measure.memory_of_family(worker.pid),
  }
  worker:stop()
  assert(made.attempts > 0, "the worker made no attempts")
  return made
end

---Returns the numbers of a worker's histogram of lateness, by bound.
---@param text string of OpenMetrics
---@return table<number, integer>
function M.late(text)
  local counts = {}
  for bound, count in text:gmatch 'bide_late_seconds_bucket{le="([^"]*)"} (%d+)' do
    counts[tonumber(bound) or math.huge] = tonumber(count)
  end
  return counts
end


return M
