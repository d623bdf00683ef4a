---The gate before the attempts of a worker: as many as it has jobs at a time, and alone what has a strike, once all that was
---decided before is written: its code may end the process. While much is to be written, none begins. While the worker cannot be
---sure of its lease, nothing passes.

local core = require "bide.core"
local line = require "bide.task.line"

local run_for = core.task.run_for

---@class bide.worker.Gate : bide.Gate
---@field private size integer
---@field private running integer
---@field private is_alone boolean whether what is running lets nothing else begin
---@field may_pass fun(): boolean asked before each attempt; where it says no, it has cut all waits
---@field is_written fun(): boolean whether all that was decided is written
---@field room fun(): number how many attempts may begin now, for what they may decide: none, one or any number
---@field private later bide.Alarm lets in the next one
---@field private alone bide.Line of waits that have a strike
---@field private line bide.Line of all others
local Gate = {}
Gate.__index = Gate

local M = {}

---Returns the next wait that may begin; those that begin alone wait until no other is under way, and come first.
local function next_of(self)
  if self.is_alone or self.running >= self.size then return nil end
  if self.alone.count == 0 then return self.line:next() end
  return self.running == 0 and self.is_written() and self.alone:next() or nil
end

---Lets a wait in.
local function let_in(self, enter, wait)
  self.running, self.is_alone = self.running + 1, wait.is_alone or false
  enter(wait)
  if wait.task then run_for(wait.key.id, wait.task) end
end

---Lets in as many as may pass. What begins may end at once, so this is not entered a second time. Each is asked about by
---itself: a process that was stopped since the last one may have lost its lease.
local function admit(self)
  if self.is_admitting then return end
  self.is_admitting = true
  local room = self.room()
  while room > 0 and self.alone.count + self.line.count > 0 and self.may_pass() do
    local item = next_of(self)
    if not item then break end
    item.wait.place = nil
    let_in(self, item.enter, item.wait)
    if room == 1 then self.later:start(core.loop.now()) end -- once this one has had its turn of the loop
    room = room - 1
  end
  self.is_admitting = false
end

---Reports whether a wait may begin now, before all others.
local function is_free(self, wait)
  return not (self.is_admitting or self.is_alone or wait.is_alone) and self.running < self.size
    and self.alone.count + self.line.count == 0 and self.room() > 1
end

---@param enter fun(wait: bide.Wait)
---@param wait bide.Wait
function Gate:enter(enter, wait)
  if not self.may_pass() then return end
  if is_free(self, wait) then return let_in(self, enter, wait) end
  local own = wait.is_alone and self.alone or self.line
  wait.place = { line = own, number = own:join { enter = enter, wait = wait } }
  admit(self)
end

---Removes a wait from the line.
function Gate.withdraw(_, wait)
  if wait.place then wait.place.line:leave(wait.place.number) end
  wait.place = nil
end

---Lets in what waited for something to be written or collected.
function Gate:resume()
  if self.alone.count + self.line.count > 0 then admit(self) end
end

---Notes that an attempt has ended.
function Gate:leave()
  self.running, self.is_alone = self.running - 1, false
  if self.alone.count + self.line.count > 0 then admit(self) end
end

---@param size integer
---@param may_pass fun(): boolean
---@param is_written fun(): boolean
---@param room fun(): number
---@return bide.worker.Gate
function M.new(size, may_pass, is_written, room)
  local gate = setmetatable({ size = size, running = 0, is_alone = false, may_pass = may_pass, is_written = is_written,
    room = room, alone = line.new(), line = line.new() }, Gate)
  gate.later = core.loop.alarm(admit, gate)
  return gate
end

return M
