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
---@field private is_open boolean whether what comes may begin at once, if there is a place
---@field of any what its functions are called with
---@field may_pass fun(of: any): boolean asked before each attempt; where it says no, it has cut all waits
---@field is_written fun(of: any): boolean whether all that was decided is written
---@field room fun(of: any): number how many attempts may begin now, for what they may decide: none, one or any number
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
  return self.running == 0 and self.is_written(self.of) and self.alone:next() or nil
end

---Notes whether a wait may begin at once: none is before it, or is alone.
local function note(self)
  self.is_open = not (self.is_alone or self.is_admitting) and self.alone.count + self.line.count == 0
end

---Lets a wait in.
local function let_in(self, enter, wait)
  self.running = self.running + 1
  enter(wait)
  if wait.task then run_for(wait.key.id, wait.task) end
end

---Lets in as many as may pass. What begins may end at once, so this is not entered a second time. Each is asked about by
---itself: a process that was stopped since the last one may have lost its lease.
local function admit(self)
  if self.is_admitting then return end
  self.is_admitting, self.is_open = true, false
  local room = self.room(self.of)
  while room > 0 and self.alone.count + self.line.count > 0 and self.may_pass(self.of) do
    local item = next_of(self)
    if not item then break end
    item.wait.place, self.is_alone = nil, item.wait.is_alone or false
    let_in(self, item.enter, item.wait)
    if room == 1 then self.later:start(core.loop.now()) end -- once this one has had its turn of the loop
    room = room - 1
  end
  self.is_admitting = false
  note(self)
end

---@param enter fun(wait: bide.Wait)
---@param wait bide.Wait
function Gate:enter(enter, wait)
  local of <const>, is_alone <const> = self.of, wait.is_alone
  if not self.may_pass(of) then return end
  if self.is_open and not is_alone and self.running < self.size and self.room(of) > 1 then return let_in(self, enter, wait) end
  local own = is_alone and self.alone or self.line
  wait.place = { line = own, number = own:join { enter = enter, wait = wait } }
  admit(self)
end

---Removes a wait from the line.
function Gate:withdraw(wait)
  if wait.place then
    wait.place.line:leave(wait.place.number)
    note(self)
  end
  wait.place = nil
end

---Lets in what waited for something to be written or collected.
function Gate:resume()
  if not self.is_open then admit(self) end
end

---Notes that an attempt has ended.
function Gate:leave()
  self.running = self.running - 1
  if self.is_open then return end
  self.is_alone = false
  admit(self)
end

---@param size integer
---@param may_pass fun(of: any): boolean
---@param is_written fun(of: any): boolean
---@param room fun(of: any): number
---@param of? any
---@return bide.worker.Gate
function M.new(size, may_pass, is_written, room, of)
  local gate = setmetatable({ size = size, running = 0, is_alone = false, may_pass = may_pass, is_written = is_written,
    room = room, of = of, alone = line.new(), line = line.new(), is_admitting = false, is_open = true }, Gate)
  gate.later = core.loop.alarm(admit, gate)
  return gate
end

return M
