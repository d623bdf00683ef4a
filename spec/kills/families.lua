---The ways in which workers, the server and the network between them are disturbed while a run goes on.

local checker = require "spec.kills.checker"
local harness = require "spec.kills.harness"
local luv = require "luv"
local programs = require "spec.kills.programs"

local M = {}

---The points at which a worker kills itself: 24 around verbs, one within an attempt.
M.points = {}
for _, verb in ipairs { "enter", "beat", "reap", "claim", "keep", "settle", "finish", "sync" } do
  for _, phase in ipairs { "before", "between", "after" } do table.insert(M.points, verb .. ":" .. phase) end
end
table.insert(M.points, "attempt:within")

---Most verbs are called again and again; these once as a worker begins, or seldom.
local most_of = { enter = 1, sync = 1, reap = 2, beat = 4, attempt = 60 }

---At which time of a point a worker dies.
local function number_of(point) return math.random(most_of[point:match "^%a+"] or 6) end

---A way to disturb a run: called again and again until the run has ended; returns how often it did something.
---@type table<string, fun(self: spec.kills.Harness, state: table): integer>
local disturb = {}
M.disturb = disturb

---The names, in the order in which they are run.
M.names = { "worker", "clock", "inside", "child", "program", "stopped", "server", "to_server", "to_client", "both", "standby",
  "synchronous" }

---Those whose workers are the program itself.
local is_of_programs = { inside = true, child = true, program = true }

---How many workers die at points beside one that lives.
local DOOMED = math.tointeger(os.getenv "BIDE_DOOMED" or 3)

---A time after the end of any run.
local LATER = math.maxinteger // 2

---In seconds, between two looks at whether a run has ended.
local LOOK = 0.25

---One worker that lives, and others that die at points, one after another.
---@param work fun(point?: string): spec.Process starts one
local function doom(state, work)
  state.list = state.list or { work() }
  local deaths = 0
  for place = 2, 1 + DOOMED do
    local worker = state.list[place]
    if not worker or worker.code then
      if worker and worker.signal ~= 9 then error(worker.stderr) end
      deaths = deaths + (worker and 1 or 0)
      state.point = (state.point or math.random(#M.points)) % #M.points + 1
      state.list[place] = work(state.only or M.points[state.point])
    end
  end
  return deaths
end

function disturb.worker(self, state)
  return doom(state, function(point) return self:work { point = point, number = point and number_of(point) } end)
end

---The same with a wrong wall clock in each worker: an hour off, and set again and again.
function disturb.clock(self, state)
  local count = doom(state, function(point)
    return self:work { point = point, number = point and number_of(point), env = self:moved_clock() }
  end)
  self:move_clock(({ 3600, 0, -3600 })[math.random(3)])
  return count
end

---Lets workers that are to die as they enter stand still, once they have code that can kill them, until their lease is over
---and they have to enter anew.
local function stop_for_enter(self, worker)
  local now, lease = harness.clock(), self.lease * 1000
  if worker.code or not worker.enters then return end
  if not worker.stopped and now > worker.begins + 700000 then
    worker.stopped, worker.child = now, programs.child_of(worker)
    worker.stop = { worker = worker.child, from = now, to = LATER, is_stop = true } -- the run may end before it continues
    self:note(worker.stop)
    luv.kill(worker.child, "sigstop")
  elseif worker.stopped and not worker.has_resumed and now > worker.stopped + lease * 3 // 2 then
    worker.has_resumed, worker.stop.to = true, now
    luv.kill(worker.child, "sigcont")
  end
end

---The same within the program, of which both processes die.
function disturb.inside(self, state)
  local count = doom(state, function(point)
    local worker = programs.work(self, { point = point, number = point and number_of(point), is_whole = true })
    worker.begins, worker.enters = harness.clock(), point and point:find "^enter"
    return worker
  end)
  for _, worker in ipairs(state.list) do stop_for_enter(self, worker) end
  return count
end

---Kills one of two workers that are the program, once it has begun its second process.
---@param is_whole boolean whether both processes are killed, after which another worker is started
local function kill_program(is_whole)
  return function(self, state)
    state.list, state.killed = state.list or { programs.work(self), programs.work(self) }, state.killed or {}
    harness.turn(0.4 + math.random() * 0.8)
    local place = math.random(2)
    local worker = state.list[place]
    local child = programs.child_of(worker)
    if worker.code then error(worker.stderr) end
    if not child then return 0 end
    local now = harness.clock()
    table.insert(state.killed, { pid = child, at = now })
    self:note { worker = child, from = now, to = now }
    luv.kill(child, "sigkill")
    if is_whole then
      worker:kill "sigkill"
      state.list[place] = programs.work(self)
    end
    return 1
  end
end
disturb.child, disturb.program = kill_program(false), kill_program(true)

---Starts two workers once, one of them beyond the proxy where that is disturbed.
local function begin_two(self, state, by_proxy)
  if state.worker then return end
  state.worker = self:work { by_proxy = by_proxy }
  self:work()
end

---One that stands still for twice its lease, and goes on.
function disturb.stopped(self, state)
  begin_two(self, state)
  harness.turn(math.random() * 0.5)
  local from = harness.clock()
  luv.kill(state.worker.pid, "sigstop")
  harness.turn(2 * self.lease / 1000)
  self:note { worker = state.worker.pid, from = from, to = harness.clock(), is_stop = true }
  luv.kill(state.worker.pid, "sigcont")
  harness.turn(0.3)
  return 1
end

---The server, with kill -9 of its first process, after which the others end; again once attempts are made again.
function disturb.server(self, state)
  begin_two(self, state)
  local before <const> = #self.requests
  harness.turn(10, function() return #self.requests > before end)
  harness.turn(math.random() * 0.8)
  self:lose_server(function()
    harness.turn(0.2)
    self.cluster:begin "fsync=on"
  end)
  return 1
end

for _, direction in ipairs { "to_server", "to_client", "both" } do
  ---A network that loses all packets for a time, in one direction or in both.
  disturb[direction] = function(self, state)
    begin_two(self, state, true)
    harness.turn(0.2 + math.random() * 0.5)
    local from = harness.clock()
    self.proxy:stop(direction)
    harness.turn(self.lease / 1000 * (0.3 + 2 * math.random()))
    self.proxy:resume()
    self:note { worker = state.worker.pid, from = from, to = harness.clock() + self.lease * 1000 }
    return 1
  end
end

---A server that is killed, and whose standby is promoted, once in a run.
local function fail_over(is_synchronous)
  return function(self, state)
    if state.worker then return 0 end
    local standby = self:add_standby(is_synchronous)
    local hosts = ("127.0.0.1:%d,127.0.0.1:%d"):format(self.cluster.port, standby.port)
    state.worker = self:work { hosts = hosts }
    self:work { hosts = hosts }
    harness.turn(0.4 + math.random() * 0.6)
    self:promote(standby)
    return 1
  end
end
disturb.standby, disturb.synchronous = fail_over(false), fail_over(true)

---What came of a run that was disturbed.
---@class spec.kills.Round
---@field count integer of disturbances
---@field found table[] what is wrong
---@field history spec.kills.History
---@field deaths table<string, integer> of workers at each point

---Runs waits to their end while they are disturbed, and checks the history.
---@param self spec.kills.Harness
---@param name string of the family
---@param waits integer
---@param seconds number within which the run ends
---@return spec.kills.Round
function M.round(self, name, waits, seconds, state)
  local run, count = is_of_programs[name] and programs.submit(self, waits) or self:submit(waits), 0
  state = state or {}
  local deadline = luv.hrtime() + seconds * 1e9
  while not self:has_ended(run) and luv.hrtime() < deadline do
    local looked = luv.hrtime()
    for _, worker in ipairs(self.workers) do assert(not worker.code or worker.signal == 9, worker.stderr) end
    repeat
      local done = disturb[name](self, state)
      count = count + done
      if done == 0 then harness.turn(0.02) end
    until luv.hrtime() - looked > LOOK * 1e9
  end
  self:kill_all()
  local history, deaths = self:history(run)
  if name == "standby" then history.said = nil end -- an end that was confirmed may be lost with the server
  self:forget()
  if not self:has_ended(run) then self.cluster:empty() end -- the next run shall not find the waits of this one
  return { count = count, found = checker.check(history), history = history, deaths = deaths }
end

return M
