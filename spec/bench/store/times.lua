---The row about times that a user sees: from `bide submit` to the first attempt, from `bide jobs cancel` to its end, and from
---the end of a worker to the next attempt of what it held.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local measure = require "spec.bench.store.measure"
local uv = require "luv"
local workers = require "spec.bench.store.workers"

local SUBMITS <const>, ROUNDS <const>, LONGEST <const> = 100, 3, 60

---A recipe whose server answers when it likes.
local recipe = [[
local http = require "bide.http"
return { Thing = {
  input = { name = { type = "string" } },
  call = function(input) return http.get("%s/" .. input.name, { timeout = 600 }) end,
  waitable = { Exists = { acceptors = {
    { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "done" } } },
  } } },
} }
]]

---@class bench.Scene
---@field seen table<string, number> when a request with a name came last
---@field open table<string, boolean> whether one is in flight
local Scene = {}
Scene.__index = Scene

function Scene.new(place, answer)
  local scene = setmetatable({ place = place, database = place:make "times", folder = Workspace.make(), seen = {} }, Scene)
  scene.server = Server.start(function(request)
    scene.seen[request.path:sub(2)] = measure.now()
    return answer
  end)
  scene.folder:write("recipe.lua", recipe:format(scene.server.url))
  return scene
end

function Scene:close()
  self.server:close()
  self.folder:remove()
end

---@return string run
function Scene:submit(name)
  local done = self.folder:bide { "submit", "recipe.lua", "name=" .. name, "--max-wait", "1h", "--store",
    self.place:url(self.database) }
  assert(done.code == 0, done.stderr)
  return (done.stdout:match "%d+")
end

---Turns the loop until something holds, and returns when that was.
local function await(holds, what)
  local deadline = measure.now() + LONGEST
  local ticker = uv.new_timer()
  ticker:start(5, 5, function() end)
  while not holds() do
    assert(measure.now() < deadline, what)
    uv.run "once"
  end
  ticker:close()
  return measure.now()
end

---Returns the seconds after a time until the server is asked by that name.
function Scene:asked_after(name, began)
  await(function() return self.seen[name] and self.seen[name] > began end, "no attempt was made")
  return self.seen[name] - began
end

---From when the run began, by the clock of the store: the command that submits ends later.
local function first_attempts(place)
  local scene = Scene.new(place, { body = '{"status":"done"}' })
  local worker = workers.start(place, scene.database)
  measure.pass(1)
  local late = {}
  for number = 1, SUBMITS do
    local run, name = scene:submit("n" .. number), "n" .. number
    local began = tonumber(place:sql(scene.database, "SELECT began / 1e6 FROM bide.run WHERE id = " .. run))
    scene:asked_after(name, 0)
    local seconds, microseconds = uv.gettimeofday()
    late[number] = (seconds + microseconds / 1e6 - measure.now() + scene.seen[name] - began) * 1000
  end
  worker:stop()
  scene:close()
  return late
end

---@return number seconds
local function cancelled(place)
  local scene = Scene.new(place, { silent = true })
  local worker = workers.start(place, scene.database)
  local run = scene:submit "a"
  scene:asked_after("a", 0)
  local began = measure.now()
  workers.cancel(place, scene.database, run)
  local took = await(function() return not next(scene.server.peers) end, "the attempt was not cut") - began
  worker:stop()
  scene:close()
  return took
end

---Ends a worker in a way, and returns the seconds until what it had begun is begun again.
---@param finish fun(worker: spec.Process)
local function again(place, finish)
  local scene = Scene.new(place, { silent = true })
  local first = workers.start(place, scene.database)
  scene:submit "a"
  scene:asked_after("a", 0)
  local second = workers.start(place, scene.database)
  measure.pass(1)
  local began = measure.now()
  finish(first)
  local took = scene:asked_after("a", began)
  second:stop()
  if not first.code then first:stop() end
  scene:close()
  return took
end

local function child_of(worker)
  return assert(measure.children_of(worker.pid)[1], "the worker has no child")
end

local ways = {
  { "both processes killed", 12, function(worker)
    local child = child_of(worker)
    worker:kill "sigkill"
    uv.kill(child, "sigkill")
  end },
  { "the child killed", 2, function(worker) uv.kill(child_of(worker), "sigkill") end },
  { "SIGTERM", 1, function(worker) worker:kill "sigterm" end },
}

---Returns the median of some rounds.
local function in_rounds(f)
  local values = {}
  for round = 1, ROUNDS do values[round] = f() end
  return measure.median(values)
end

---@param bench bench.Bench
return function(bench)
  local place = bench.place
  local late = first_attempts(place)
  local lines = {
    measure.bound("the first attempt after submit, p99, ms", measure.quantile(late, 0.99), 300,
      { p50 = measure.quantile(late, 0.5) }),
    measure.bound("a cancelled attempt is cut, seconds", in_rounds(function() return cancelled(place) end), 2),
  }
  for _, way in ipairs(ways) do
    lines[#lines + 1] = measure.bound("begun again, seconds: " .. way[1], in_rounds(function()
      return again(place, way[3])
    end), way[2])
  end
  return lines
end
