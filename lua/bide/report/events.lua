---Events of waits as JSON Lines, written as they happen.

local core = require "bide.core"
local lines = require "bide.report.lines"
local report = require "bide.report"
local secret = require "bide.secret"
local shown = require "bide.shown"

---@class bide.Events
---@field handle file*
---@field lines bide.Lines
---@field is_written? boolean whether all events were written; set by close
local Events = {}
Events.__index = Events

---Returns the time as RFC 3339 in UTC, with milliseconds. On the virtual clock it is the virtual time.
local function timestamp()
  local milliseconds = core.loop.wall()
  return ("%s.%03dZ"):format(os.date("!%Y-%m-%dT%H:%M:%S", milliseconds // 1000), milliseconds % 1000)
end

---Writes to `handle`.
---@param handle file*
---@return bide.Events
local function new(handle)
  local function complain(message) shown.complain("the events " .. message) end
  return setmetatable({ handle = handle, lines = lines.new(handle, complain), ids = {} }, Events)
end

local function identifier()
  return ("%016x"):format(core.wait.random_seed())
end

function Events:write(event, wait, record)
  local id = self.ids[wait] or identifier()
  self.ids[wait] = id
  self.lines:write(report.event(event, id, timestamp(), record))
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

---Writes the pending lines and closes the file.
function Events:close()
  self.lines:finish()
  self.is_written = not self.lines.mistake
  if self.handle ~= io.stdout then self.handle:close() end
end

return { new = new }
