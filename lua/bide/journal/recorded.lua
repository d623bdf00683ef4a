---Waits that had ended before their run was resumed: they stand among the others, and end at once with the
---outcomes that were recorded, in the order in which they ended.

local core = require "bide.core"
local secret = require "bide.secret"

---@class bide.RecordedWait
---@field waiter bide.Waiter
---@field limits bide.Limits
---@field record table the outcome, as bide.outcome has it
---@field rank integer
---@field group bide.RecordedGroup
---@field input userdata a document
---@field attempts integer
---@field max_wait integer milliseconds
---@field resumed integer how many attempts there were
local Recorded = {}
Recorded.__index = Recorded

---The recorded waits of a run: those that were begun and are to be delivered.
---@class bide.RecordedGroup
local Group = {}
Group.__index = Group

---Members that stay documents, so that theirs keep their order.
local documents = {}
for _, name in ipairs { "input", "output", "error" } do
  documents[name] = assert(core.jmespath.compile(name))
end

local function record_of(whole)
  local record = whole:value()
  for name, expression in pairs(documents) do
    if record[name] ~= nil then record[name] = expression:query(whole) end
  end
  for position, one in ipairs(record.seen or {}) do
    one.value = assert(core.jmespath.compile(("seen[%d].value"):format(position - 1))):query(whole)
  end
  return record
end

---What bide 0.1.0 recorded in clear is shown without its secrets.
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

---@return bide.RecordedGroup
local function group()
  local new = setmetatable({ begun = {} }, Group)
  new.alarm = core.loop.alarm(deliver, new)
  return new
end

---@param prepared bide.PreparedWait in whose place it stands
---@param outcome userdata a document
---@param rank integer
---@return bide.RecordedWait
function Group:add(prepared, outcome, rank)
  local record = keep_secrets(prepared.waiter, record_of(outcome))
  return setmetatable({
    waiter = prepared.waiter, limits = prepared.limits, record = record, rank = rank, group = self, input = record.input,
    attempts = record.attempts, max_wait = math.floor(record.maxWait * 1000 + 0.5), resumed = record.attempts,
  }, Recorded)
end

---It is delivered before anything else that is due, so that what it decides needs no further request.
---@param kind bide.WaitKind
---@param key any
function Recorded:begin(kind, key)
  self.done, self.key, self.observer = kind.done, key, kind.observer
  if self.observer then self.observer:started(self, core.loop.now()) end
  table.insert(self.group.begun, self)
  if #self.group.begun == 1 then self.group.alarm:start(core.loop.now() - 1) end
  return self
end

---@param done fun(record: table, wait: bide.RecordedWait)
---@param observer? table
function Recorded:start(done, observer)
  return self:begin({ done = done, observer = observer })
end

---It has ended whatever else is decided.
function Recorded:cancel()
  local done = self.done
  self:abandon()
  if not done then return end
  if self.observer then self.observer:ended(self, self.record) end
  done(self.record, self)
end

function Recorded:abandon()
  self.done = nil
end

return { group = group }
