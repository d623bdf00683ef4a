---The ways in which workers, the server and the network between them are disturbed while a run goes on.

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

---Verbs that a worker calls once as it begins, or seldom, are not counted.
local rare = { enter = true, beat = true, reap = true, sync = true }

---Starts a worker that dies at a point.
local function doomed(self, point)
  local verb = point:match "^%a+"
  local most = verb == "attempt" and 60 or 6
  return self:work { point = point, number = rare[verb] and 1 or math.random(most) }
end

---A way to disturb a run: called again and again until the run has ended; returns whether it did something.
---@type table<string, fun(self: spec.kills.Harness, state: table): boolean?>
local disturb = {}
M.disturb = disturb

---The names, in the order in which they are run.
M.names = { "worker", "child", "program", "stopped", "server", "to_server", "to_client", "both", "standby", "synchronous" }

---Those whose workers are the program itself.
local is_of_programs = { child = true, program = true }

---Two workers that die at points, one after another; a third one that lives.
function disturb.worker(self, state)
  state.list = state.list or { self:work(), false, false }
  local has_died = false
  for position = 2, 3 do
    local worker = state.list[position]
    if not worker or worker.code then
      if worker then has_died = worker.signal == 9 or error(worker.stderr) end
      state.point = (state.point or math.random(#M.points)) % #M.points + 1
      local point = state.only or M.points[state.point]
      state.list[position] = doomed(self, point)
      state.list[position].point = point
    end
  end
  return has_died
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
    if worker.code or not child then return worker.code and error(worker.stderr) or false end
    table.insert(state.killed, { pid = child, at = harness.clock() })
    luv.kill(child, "sigkill")
    if is_whole then
      worker:kill "sigkill"
      state.list[place] = programs.work(self)
    end
    return true
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
  luv.kill(state.worker.pid, "sigstop")
  harness.turn(2 * self.lease / 1000)
  state.resumed = state.resumed or {}
  table.insert(state.resumed, harness.clock())
  luv.kill(state.worker.pid, "sigcont")
  harness.turn(0.3)
  return true
end

---The server, with kill -9 of its first process, after which the others end.
function disturb.server(self, state)
  begin_two(self, state)
  harness.turn(0.3 + math.random() * 0.5)
  self.cluster.server:stop "sigkill"
  harness.turn(0.2)
  self.cluster:begin "fsync=on"
  return true
end

for _, direction in ipairs { "to_server", "to_client", "both" } do
  ---A network that loses all packets for a time, in one direction or in both.
  disturb[direction] = function(self, state)
    begin_two(self, state, true)
    harness.turn(0.2 + math.random() * 0.5)
    self.proxy:stop(direction)
    harness.turn(self.lease / 1000 * (0.3 + 2 * math.random()))
    self.proxy:resume()
    return true
  end
end

---A server that is killed, and whose standby is promoted, once in a run.
local function fail_over(is_synchronous)
  return function(self, state)
    if state.worker then return false end
    local standby = self:add_standby(is_synchronous)
    local hosts = ("127.0.0.1:%d,127.0.0.1:%d"):format(self.cluster.port, standby.port)
    state.worker = self:work { hosts = hosts }
    self:work { hosts = hosts }
    harness.turn(0.4 + math.random() * 0.6)
    self:promote(standby)
    return true
  end
end
disturb.standby, disturb.synchronous = fail_over(false), fail_over(true)

---Runs waits to their end while they are disturbed, and checks the history.
---@param self spec.kills.Harness
---@param name string of the family
---@param waits integer
---@param seconds number within which the run ends
---@return integer disturbances
---@return table[] found
---@return spec.kills.History history
function M.round(self, name, waits, seconds, state)
  local run, count = is_of_programs[name] and programs.submit(self, waits) or self:submit(waits), 0
  state = state or {}
  local deadline = luv.hrtime() + seconds * 1e9
  local most = state.most or math.huge
  while not self:has_ended(run) and luv.hrtime() < deadline do
    if count < most and disturb[name](self, state) then
      count = count + 1
    else
      harness.turn(0.05)
    end
  end
  self:kill_all()
  local history = self:history(run, is_of_programs[name])
  history.resumed = state.resumed
  if name == "standby" then history.said = nil end -- an end that was confirmed may be lost with the server
  self:forget()
  return count, require("spec.kills.checker").check(history), history
end

return M
