---Connects an operation within the deadline of its wait: the getting of credentials counts towards the max wait.

local core = require "bide.core"
local retries = require "bide.task.retries"

local loop, task = core.loop, core.task

local M = {}

local function run(asking)
  return asking.connect()
end

local function ended(asking, how, ...)
  asking.waker(how, ...)
end

---The call of a wait whose deadline has come before its first attempt: it lasts until that is cut.
local function pause()
  task.pause(task.waker())
end

---Calls a function that connects an operation, and cuts it at the deadline; what was missing then is the operation's `lack`.
---Code that may not wait calls it as it is.
---@param max_wait integer milliseconds
---@param connect fun(): bide.ConnectedOperation?, string?
---@return bide.ConnectedOperation? connected
---@return string? mistake
---@return integer spent milliseconds
function M.connect(max_wait, connect)
  if task.forbidden_by() then
    local connected, mistake = connect()
    return connected, mistake, 0
  end
  local began = loop.update()
  local asking = { connect = connect, waker = task.waker() }
  local running = task.start(run, ended, began + max_wait, asking)
  local how, connected, mistake = task.pause(asking.waker)
  if how == "raised" then error(connected, 0) end
  if how == "cut" then
    local _, lack = retries.of_task(running)
    connected = { call = pause, lack = lack or "time to connect to the service" }
  end
  return connected, mistake, loop.update() - began
end

return M
