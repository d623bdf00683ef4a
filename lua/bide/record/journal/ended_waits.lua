---The waits of a resumed run that had ended: each takes the place of the prepared wait, and delivers its recorded outcome once
---it is begun.

local core = require "bide.core"
local secret = require "bide.text.secret"
local stored_outcome = require "bide.record.stored_outcome"

local M = {}

---@class bide.journal.EndedWait
---@field waiter bide.Waiter
---@field limits bide.Limits
---@field record table the outcome, as a record of bide.outcome
---@field rank integer
---@field group bide.journal.EndedWaits
---@field input userdata a document
---@field max_wait integer milliseconds
---@field resumed integer the number of its attempts
local Ended = {}
Ended.__index = Ended

---@return integer
function Ended:made()
  return self.resumed
end

---Those of one run. Outcomes are delivered in the order in which the waits ended.
---@class bide.journal.EndedWaits
---@field private begun bide.journal.EndedWait[] whose outcomes are still to be delivered
local Group = {}
Group.__index = Group

---Hides the secrets that bide 0.1.0 recorded in clear.
local function keep_secrets(waiter, record)
  local mask = secret.of_wait { waiter = waiter, input = record.input, output = record.output, error = record.error }
  record.message = type(record.message) == "string" and mask:text(record.message) or record.message
  secret.keep(record, mask)
  return record
end

local function deliver(group)
  local begun = group.begun
  group.begun = {}
  table.sort(begun, function(one, other) return one.rank < other.rank end)
  for _, wait in ipairs(begun) do wait:cancel() end
end

---@param prepared bide.PreparedWait in whose place it is
---@param outcome userdata a document
---@param rank integer
---@return bide.journal.EndedWait
function Group:add(prepared, outcome, rank)
  local record = keep_secrets(prepared.waiter, stored_outcome.decode(outcome))
  return setmetatable({
    waiter = prepared.waiter, limits = prepared.limits, record = record, rank = rank, group = self, input = record.input,
    max_wait = math.floor(record.maxWait * 1000 + 0.5), resumed = record.attempts,
  }, Ended)
end

---Begins the wait: delivers its outcome before anything else that is due, since it may make further requests needless.
---@param kind bide.WaitKind
---@param key any
function Ended:begin(kind, key)
  self.done, self.key, self.observer = kind.done, key, kind.observer
  if self.observer then self.observer:started(self, core.loop.now()) end
  table.insert(self.group.begun, self)
  if #self.group.begun == 1 then self.group.alarm:start(core.loop.now() - 1) end
  return self
end

---Does nothing: the time is that of the wait, which has ended already.
function Ended.count() end

---Delivers the outcome, once.
function Ended:cancel()
  local done = self.done
  self:abandon()
  if not done then return end
  if self.observer then self.observer:ended(self, self.record) end
  done(self.record, self)
end

function Ended:abandon()
  self.done = nil
end

---@return bide.journal.EndedWaits
function M.new()
  local group = setmetatable({ begun = {} }, Group)
  group.alarm = core.loop.alarm(deliver, group)
  return group
end

return M
