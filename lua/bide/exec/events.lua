---Hears that processes end, of whichever user and whichever parent, for the `watch` of an operation. The system does not say
---when a process begins.
---
---    local events = require "bide.exec.events"
---    events.await_end { 4711 }

local core = require "bide.core"
local watching = require "bide.probe.exec.watch"

local M = {}

local Watches = { __close = core.task.whole(function(list)
  for _, one in ipairs(list) do one:close() end
end) }

local add = core.task.whole(function(watches, pid, ended)
  watches[#watches + 1] = watching.open(pid)
  watches[#watches]:start(ended)
end)

---Waits until one of some processes has ended; returns at once if one of them is not there.
---@param pids integer[] at least one
function M.await_end(pids)
  local waker = core.task.waker()
  local watches <close> = setmetatable({}, Watches)
  for _, pid in ipairs(pids) do add(watches, pid, function() waker() end) end
  core.task.pause(waker)
end

return M
