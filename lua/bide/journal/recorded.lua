---A wait that had ended before its run was resumed: it stands among the others, and ends at once with
---the outcome that was recorded.

local core = require "bide.core"
local secret = require "bide.secret"

---@class bide.RecordedWait
---@field outcome userdata a document
local Recorded = {}
Recorded.__index = Recorded

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
  return record
end

---What bide 0.1.0 recorded in clear is shown without its secrets.
local function keep_secrets(waiter, record)
  local mask = secret.of_wait { waiter = waiter, input = record.input, output = record.output, error = record.error }
  record.message = type(record.message) == "string" and mask:text(record.message) or record.message
  secret.keep(record, mask)
  return record
end

---@param prepared bide.PreparedWait in whose place it stands
---@param outcome userdata a document
---@return bide.RecordedWait
local function new(prepared, outcome)
  return setmetatable({ waiter = prepared.waiter, limits = prepared.limits, outcome = outcome }, Recorded)
end

---@param kind bide.WaitKind
---@param key any
function Recorded:begin(kind, key)
  self.done, self.key = kind.done, key
  self.alarm = core.loop.alarm(function() self:cancel() end)
  self.alarm:start(core.loop.now())
  return self
end

---@param done fun(record: table, wait: bide.RecordedWait)
function Recorded:start(done)
  return self:begin { done = done }
end

---It has ended whatever else is decided.
function Recorded:cancel()
  local done = self.done
  self:abandon()
  if done then done(keep_secrets(self.waiter, record_of(self.outcome)), self) end
end

function Recorded:abandon()
  self.done = nil
  self.alarm:stop()
end

return { new = new }
