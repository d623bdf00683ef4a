---Events of waits as JSON Lines, written as they happen.

local core = require "bide.core"
local report = require "bide.report"
local secret = require "bide.secret"
local shown = require "bide.shown"

---@class bide.Events
---@field handle file*
local Events = {}
Events.__index = Events

---The moment, as RFC 3339 in UTC, with milliseconds. Under the virtual clock it is when the event would have been.
local function timestamp()
  local milliseconds = core.loop.wall()
  return ("%s.%03dZ"):format(os.date("!%Y-%m-%dT%H:%M:%S", milliseconds // 1000), milliseconds % 1000)
end

---Writes to `handle`.
---@param handle file*
---@return bide.Events
local function new(handle)
  handle:setvbuf("full") -- and flushed after each line, since only then a failure is told
  return setmetatable({ handle = handle, ids = {} }, Events)
end

local function identifier()
  return ("%016x"):format(core.wait.random_seed())
end

function Events:write(event, wait, record)
  local id = self.ids[wait] or identifier()
  self.ids[wait] = id
  local line = report.event(event, id, timestamp(), record)
  local written, mistake = self.handle:write(line, "\n")
  if written then written, mistake = self.handle:flush() end
  if written or self.mistake then return end
  self.mistake = mistake
  shown.complain("the events cannot be written: " .. mistake)
end

function Events:started(wait)
  local record = {
    waiter = wait.waiter.name, operation = wait.waiter.operation,
    maxWait = math.tointeger(wait.max_wait / 1000) or wait.max_wait / 1000, input = wait.input,
    resumed = wait.resumed,
  }
  secret.keep(record, secret.of_wait(wait))
  self:write("start", wait, record)
end

function Events:attempted(wait, entry)
  secret.of_entry(wait, entry)
  self:write("attempt", wait, entry)
end

function Events:ended(wait, record)
  self:write("end", wait, record)
  self.ids[wait] = nil
end

---Lets go of the file, which a COMMAND that runs in place of bide would hold on to.
function Events:close()
  if self.handle ~= io.stdout then self.handle:close() end
end

return { new = new }
