---Process groups that bide has started, each led by its program, and how they end:
---TERM at once, KILL shortly after for whatever is left. A group that is ending
---outlives the call, and maybe the task, that started it.

local await = require "bide.tasks.await"
local core = require "bide.core"
local processes = require "bide.processes"
local uv = require "luv"

local loop, process = core.loop, core.process

local M = {}

local GRACE = 500     -- milliseconds between TERM and KILL
local LAST_GRACE = 40 -- the same where bide itself is about to end
local STEP = 5        -- milliseconds between two looks at a group that is ending

---The groups that may still have members, by the process id of their leader.
---@type table<integer, { alarm: bide.Alarm?, kill_at: integer? }>
local groups = {}

local function signal(leader, name)
  return uv.kill(-leader, name) ~= nil
end

local function forget(leader)
  if groups[leader].alarm then groups[leader].alarm:stop() end
  groups[leader] = nil
  process.remove_group(leader)
end

local function look(leader)
  local group = groups[leader]
  if loop.now() >= group.kill_at then
    signal(leader, "sigkill")
    return forget(leader)
  end
  if not signal(leader, 0) then return forget(leader) end
  group.alarm:start(loop.now() + STEP)
end

---What must be there before a program is started, so that it does not outlive bide.
---@return true?
---@return string? failure
M.prepare = process.open_groups

---Takes note of a program that was started as the leader of its own group.
---@param leader integer
function M.add(leader)
  groups[leader] = {}
  process.add_group(leader)
end

---Ends the group, and returns without waiting for that.
---@param leader integer
function M.finish(leader)
  local group = groups[leader]
  if not group or group.alarm then return end
  if not signal(leader, "sigterm") then return forget(leader) end
  signal(leader, "sigcont")
  group.kill_at = loop.update() + GRACE
  group.alarm = loop.alarm(look, leader)
  group.alarm:start(loop.now() + STEP)
end

local function nothing() end

---The groups that have members other than zombies, which stay where nobody takes note of them,
---as in a container without an init; nil where the system does not tell.
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

---Waits until no group is left; what does not end in a moment is killed. For the end of bide itself.
function M.settle()
  local latest = loop.update() + LAST_GRACE
  for leader, group in pairs(groups) do
    M.finish(leader)
    group.kill_at = math.min(group.kill_at or latest, latest)
  end
  while next(groups) do
    await(loop.update() + STEP, nothing)
    forget_dead()
  end
end

---A state that closes without M.settle, as plain lua5.4 does, leaves nothing behind either.
local function kill_all()
  for leader in pairs(groups) do
    signal(leader, "sigkill")
    process.remove_group(leader)
  end
end

M.at_close = setmetatable({}, { __gc = kill_all })

return M
