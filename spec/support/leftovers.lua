---What a spec may not leave behind: timers, tasks, and handles that keep the loop alive.

local uv = require "luv"
local core = require "bide.core"

local M = {}

---How many files the process has open.
function M.descriptors()
  local count = 0
  local scan = uv.fs_scandir("/proc/self/fd")
  while uv.fs_scandir_next(scan) do count = count + 1 end
  return count
end

---How many of each thing there are that a wait may hold.
---@return { timers: integer, tasks: integer, handles: integer, descriptors: integer }
function M.count()
  uv.run("nowait") -- lets handles close
  return {
    timers = core.loop.timer_count(), tasks = core.task.count(), handles = core.loop.handle_count(),
    descriptors = M.descriptors(),
  }
end

---Returns what is left, in words; nil where nothing is.
---@return string?
function M.find()
  uv.run("nowait")
  local timers, tasks = core.loop.timer_count(), core.task.count()
  if timers > 0 then return timers .. " timers" end
  if tasks > 0 then return tasks .. " tasks" end
  if uv.loop_alive() then return "handles that keep the loop alive" end
end

return M
