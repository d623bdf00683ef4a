---A running program: its group, its pipes, its output. Closing it ends all of them, at any time.

local await = require "bide.task.await"
local core = require "bide.core"
local processes = require "bide.processes"
local uv = require "luv"

local loop, process = core.loop, core.process

-- ---- process groups ---------------------------------------------------------------------------

---The process groups that bide has started, each led by its program. A group is ended by TERM at once, and by KILL
---shortly after for the rest of it. That outlasts the call, and maybe the task, that started the group.
local group = {}

local GRACE = 500     -- milliseconds between TERM and KILL
local LAST_GRACE = 40 -- likewise, when bide itself is about to end
local STEP = 5        -- milliseconds between two checks of a group that is ending

---The groups that may still have members, by the process id of their leader.
---@type table<integer, { alarm: bide.Alarm?, kill_at: integer? }>
local groups = {}

local function send_signal(leader, name)
  return uv.kill(-leader, name) ~= nil
end

local function forget(leader)
  if groups[leader].alarm then groups[leader].alarm:stop() end
  groups[leader] = nil
  process.remove_group(leader)
end

local function check_group(leader)
  local led = groups[leader]
  if loop.now() >= led.kill_at then
    send_signal(leader, "sigkill")
    return forget(leader)
  end
  if not send_signal(leader, 0) then return forget(leader) end
  led.alarm:start(loop.now() + STEP)
end

---Starts the supervisor, which must exist before a program is started, so that the program does not outlive bide.
---@type fun(): ready: true?, failure: string?
group.prepare = process.open_groups

---Records a program that was started as the leader of its own group.
---@param leader integer
function group.add(leader)
  groups[leader] = {}
  process.add_group(leader)
end

---Begins to end a group, and returns without waiting.
---@param leader integer
function group.finish(leader)
  local led = groups[leader]
  if not led or led.alarm then return end
  if not send_signal(leader, "sigterm") then return forget(leader) end
  send_signal(leader, "sigcont")
  led.kill_at = loop.update() + GRACE
  led.alarm = loop.alarm(check_group, leader)
  led.alarm:start(loop.now() + STEP)
end

local function nothing() end

---Returns the groups with members other than zombies, or nil if the system does not list processes. Zombies stay where
---no process collects them, as in a container without an init.
local function list_living()
  local living = {}
  for member in processes.each() do living[member.group] = true end
  return next(living) and living
end

local function forget_dead()
  local living = list_living()
  for leader in pairs(groups) do
    if living and not living[leader] then forget(leader) end
  end
end

---Waits until no group is left, and kills those that do not end in a moment; for the end of bide itself.
function group.settle()
  local latest = loop.update() + LAST_GRACE
  for leader, led in pairs(groups) do
    group.finish(leader)
    led.kill_at = math.min(led.kill_at or latest, latest)
  end
  while next(groups) do
    await(loop.update() + STEP, nothing)
    forget_dead()
  end
end

---Kills all groups when the state closes without group.settle, as that of plain lua5.4 does.
local function kill_all()
  for leader in pairs(groups) do process.kill_group(leader) end
end

group.at_close = setmetatable({}, { __gc = kill_all })

-- ---- a program under way ------------------------------------------------------------------------

---The milliseconds for which output is still read after the program has ended. What it wrote has arrived by then, but a
---process that it left running may hold its output open for ever.
local DRAIN = 200

---@class bide.exec.Running
---@field prepared table of bide.exec
---@field waker bide.Waker fired when there is a result
---@field code integer? once the program has ended
---@field signal integer?
---@field failure string? the system's code, if the program could not be started
---@field too_large string? "stdout" or "stderr", if that is
---@field chunks table<string, string[]>
---@field left table<string, integer> the bytes that may still come
---@field open integer the number of outputs that have not ended
local Running = {}
Running.__index = Running

local function close_handle(handle)
  if handle and not handle:is_closing() then handle:close() end
end

local function ended(running, code, signal)
  running.code, running.signal = code, signal
  close_handle(running.process)
  if running.open == 0 then return running.waker() end
  if not running.closed then running.drain:start(loop.update() + DRAIN) end
end

local function take(running, name, bytes)
  running.left[name] = running.left[name] - #bytes
  if running.left[name] >= 0 then
    table.insert(running.chunks[name], bytes)
    return
  end
  running.too_large = running.too_large or name
  running.pipes[name]:read_stop()
  running.waker()
end

local function read(running, name)
  local pipe = running.pipes[name]
  pipe:read_start(function(_, bytes)
    if bytes then return take(running, name, bytes) end
    close_handle(pipe)
    running.open = running.open - 1
    if running.open == 0 and running.code then running.waker() end
  end)
end

local function write(running)
  local pipe = running.pipes.stdin
  if not pipe then return end
  pipe:write(running.prepared.stdin, function() close_handle(pipe) end)
end

---Makes a pipe and keeps bide's end of it. It is a pipe of the system, not libuv's pair of sockets, since a program
---cannot open /dev/stdout or /dev/stderr if that is a socket.
---@return integer? descriptor the program's end
---@return string? failure
local function make_pipe(running, name)
  local is_input = name == "stdin"
  local ends, failure = uv.pipe({ nonblock = not is_input }, { nonblock = is_input })
  if not ends then return nil, failure end
  local pipe = uv.new_pipe(false)
  running.pipes[name] = pipe
  pipe:open(is_input and ends.write or ends.read)
  return is_input and ends.read or ends.write
end

---@return table<integer, integer> descriptors the program's ends, by their numbers from 1
---@return string? failure
local function make_pipes(running)
  local descriptors, failure = {}, nil
  for number, name in ipairs { "stdin", "stdout", "stderr" } do
    if not failure and (name ~= "stdin" or running.prepared.stdin) then
      descriptors[number], failure = make_pipe(running, name)
    end
  end
  return descriptors, failure
end

---Starts the program without the descriptors that libraries have open, such as libcurl's pairs of sockets, and so that it
---dies with bide even before its group is recorded.
local function spawn(running, descriptors)
  local prepared = running.prepared
  core.process.prepare_child()
  return uv.spawn(prepared.program, {
    args = prepared.arguments, env = prepared.environment, cwd = prepared.directory, detached = true,
    stdio = { descriptors[1], descriptors[2], descriptors[3] },
  }, function(code, signal) ended(running, code, signal) end)
end

---Starts the program, from the loop and not from the task, which its deadline may cut between any two steps. So a
---program is either not started, or its group is recorded.
local function begin(running)
  local descriptors = {}
  local ready, failure = group.prepare()
  if ready then descriptors, failure = make_pipes(running) end
  if not failure then
    running.process, running.leader = spawn(running, descriptors)
    failure = not running.process and running.leader
  end
  for _, descriptor in pairs(descriptors) do uv.fs_close(descriptor) end
  if failure then
    running.failure, running.leader = failure:gsub("^EAGAIN", "processes"), nil
    return running.waker()
  end
  group.add(running.leader)
  read(running, "stdout")
  read(running, "stderr")
  write(running)
end

---Makes a program, which `start` starts at the loop's next step.
---@param prepared table
---@param waker bide.Waker
---@return bide.exec.Running
local function new(prepared, waker)
  local limit = prepared.output_limit
  local running = setmetatable({
    prepared = prepared, waker = waker, pipes = {}, open = 2,
    chunks = { stdout = {}, stderr = {} }, left = { stdout = limit, stderr = limit },
  }, Running)
  running.starter = loop.alarm(begin, running)
  running.drain = loop.alarm(waker)
  return running
end

function Running:start()
  self.starter:start(loop.now())
end

---Returns what was read from an output.
---@param name "stdout"|"stderr"
---@return string
function Running:text(name)
  return table.concat(self.chunks[name])
end

---Ends the group, even if its leader has ended, so that nothing of it stays.
Running.__close = core.task.whole(function(self)
  self.closed = true
  self.starter:stop()
  self.drain:stop()
  for _, pipe in pairs(self.pipes) do close_handle(pipe) end
  if self.leader then group.finish(self.leader) end
  loop.settle()
end)

return { new = new, settle = group.settle }
