---A running program: its group, its pipes, its output. Closing it ends all of them, at any time.

local core = require "bide.core"
local group = require "bide.probe.exec.group"
local reach = require "bide.probe.asking.reach"
local uv = require "luv"

local loop = core.loop

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

---Starts the program, from the loop and not from the task, which its deadline may cut between any two steps. So a
---program is either not started, or its group is recorded.
local function begin(running)
  local prepared = running.prepared
  local descriptors, failure = make_pipes(running)
  if not failure then
    running.process, running.leader, failure = group.spawn(prepared.program, {
      args = prepared.arguments, env = prepared.environment, cwd = prepared.directory,
      stdio = { descriptors[1], descriptors[2], descriptors[3] },
    }, function(code, signal) ended(running, code, signal) end)
  end
  for _, descriptor in pairs(descriptors) do uv.fs_close(descriptor) end
  if failure then
    running.failure = failure:gsub("^EAGAIN", "processes")
    return running.waker()
  end
  read(running, "stdout")
  read(running, "stderr")
  write(running)
end

---Makes a program, which `start` starts at the loop's next step.
---@param prepared table
---@param waker bide.Waker
---@return bide.exec.Running
local function new(prepared, waker)
  reach.check_anywhere "start a program"
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

return { new = new }
