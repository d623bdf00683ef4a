---The process groups that bide has started, each led by its program. A group is ended by TERM at once, and by KILL later
---for the rest of it. That outlasts the call, and maybe the task, that started the group. None outlives bide.

local await = require "bide.task.await"
local core = require "bide.core"
local processes = require "bide.processes"
local uv = require "luv"

local loop, process = core.loop, core.process

local M = {}

local GRACE = 500           -- milliseconds between TERM and KILL
local GENTLE_GRACE = 10000  -- of the gentle group
local LAST_GRACE = 40       -- of all others when bide itself is about to end
local STEP, SLOW_STEP = 5, 50 -- milliseconds between two checks of a group that is ending: at first, and later

---@class bide.exec.Group
---@field is_gentle boolean? whether it has time to end by itself
---@field alarm bide.Alarm? once it is ending
---@field began integer? when that began
---@field kill_at integer? also before that, if it is to have no time

---The groups that may still have members, by the process id of their leader.
---@type table<integer, bide.exec.Group>
local groups = {}

local function send_signal(leader, name)
  return uv.kill(-leader, name) ~= nil
end

local function forget(leader)
  local led = groups[leader]
  if led.alarm then led.alarm:stop() end
  groups[leader] = nil
  if led.is_gentle then process.set_gentle_group(nil) else process.remove_group(leader) end
end

---Returns when a group that began to end is checked again.
local function next_check(began)
  local now = loop.now()
  return now + (now - began < GRACE and STEP or SLOW_STEP)
end

local function check_group(leader)
  local led = groups[leader]
  if loop.now() >= led.kill_at then
    send_signal(leader, "sigkill")
    return forget(leader)
  end
  if not send_signal(leader, 0) then return forget(leader) end
  led.alarm:start(next_check(led.began))
end

---Starts a program as the leader of its own group, without the descriptors that libraries have open, such as libcurl's pairs
---of sockets, and so that it ends with bide even before its group is recorded.
---@param program string
---@param options table of uv.spawn
---@param ended fun(code: integer, signal: integer)
---@param is_gentle? boolean whether the group has 10 s to end; only one is that at a time
---@return userdata? handle
---@return integer? leader
---@return string? failure the words of the system
function M.spawn(program, options, ended, is_gentle)
  local ready, failure = process.open_groups() -- the supervisor must exist before the program
  if not ready then return nil, nil, failure end
  options.detached = true
  process.prepare_child(is_gentle and "gentle" or "leader")
  local handle, leader = uv.spawn(program, options, ended)
  if not handle then -- the child may have entered itself
    if is_gentle then process.set_gentle_group(nil) else process.add_group(nil) end
    return nil, nil, leader
  end
  groups[leader] = { is_gentle = is_gentle }
  if is_gentle then process.set_gentle_group(leader) else process.add_group(leader) end
  return handle, leader
end

---Forgets a group whose leader has ended, if it has no other member: its number may then be that of another one.
---@param leader integer
function M.release(leader)
  if groups[leader] and not send_signal(leader, 0) then forget(leader) end
end

---Begins to end a group, and returns without waiting.
---@param leader integer
function M.finish(leader)
  local led = groups[leader]
  if not led or led.alarm then return end
  if not send_signal(leader, "sigterm") then return forget(leader) end
  send_signal(leader, "sigcont")
  led.began = loop.update()
  led.kill_at = led.kill_at or led.began + (led.is_gentle and GENTLE_GRACE or GRACE)
  led.alarm = loop.alarm(check_group, leader)
  led.alarm:start(loop.now() + STEP)
end

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

---Waits until no group is left, and kills those that do not end in time; for the end of bide itself.
function M.settle()
  local began = loop.update()
  for leader, led in pairs(groups) do
    M.finish(leader)
    if not led.is_gentle then led.kill_at = math.min(led.kill_at or math.huge, began + LAST_GRACE) end
  end
  while next(groups) do
    loop.update()
    await(next_check(began))
    forget_dead()
  end
end

---Lets the groups that are ending, and those that will, have no more time.
function M.hurry()
  for _, led in pairs(groups) do led.kill_at = loop.update() end
end

---Kills all groups when the state closes without M.settle, as that of plain lua5.4 does.
local function kill_all()
  for leader in pairs(groups) do process.kill_group(leader) end
end

M.at_close = setmetatable({}, { __gc = kill_all })

return M
