---Watches a process, of any user, until it ends: by a descriptor of the kernel, or by checking again and again where there
---is none, as on other systems than Linux.

local core = require "bide.core"
local processes = require "bide.processes"
local uv = require "luv"

local loop, process = core.loop, core.process

local INTERVAL = 100 -- milliseconds between two checks

---@class bide.exec.Watch
---@field pid integer
---@field descriptor integer? that of the process
---@field is_gone boolean? whether there was no such process
---@field poll userdata? waits for the descriptor
---@field alarm bide.Alarm? of the next check, without a descriptor
local Watch = {}
Watch.__index = Watch

local M = {}

---Opens a process. From then on no other process can be taken for it, if the system has descriptors of processes.
---@param pid integer
---@return bide.exec.Watch
function M.open(pid)
  local descriptor, _, code = process.open_process(pid)
  return setmetatable({ pid = pid, descriptor = descriptor, is_gone = code == process.ESRCH }, Watch)
end

local function check(watch)
  if processes.has_ended(watch.pid) then return watch.ended() end
  watch.alarm:start(loop.update() + INTERVAL)
end

---Begins to watch, once.
---@param ended fun() called once, from the loop
function Watch:start(ended)
  if self.descriptor then
    self.poll = uv.new_poll(self.descriptor)
    self.poll:start("r", function()
      self:close()
      ended()
    end)
    return
  end
  self.ended = ended
  self.alarm = loop.alarm(self.is_gone and ended or check, self)
  self.alarm:start(loop.now())
end

---Reports whether the process has ended or is ending, though the loop may not have noticed it yet.
---@return boolean
function Watch:is_over()
  if self.is_gone or processes.is_ending(self.pid) then return true end
  if self.descriptor then return process.has_ended(self.descriptor) end
  return processes.has_ended(self.pid)
end

---Says that it has ended.
---@return string
function Watch:words()
  return (self.is_gone and "there is no process %d" or "the process %d has ended"):format(self.pid)
end

---Ends the watching, at any time, even before it has begun.
function Watch:close()
  if self.alarm then self.alarm:stop() end
  if self.poll then self.poll:close() end
  if self.descriptor then uv.fs_close(self.descriptor) end
  self.poll, self.descriptor = nil, nil
end

return M
