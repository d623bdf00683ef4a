---Passes messages between tasks, in the order in which they were sent.

local await = require "bide.task.await"
local core = require "bide.core"
local duration = require "bide.text.duration"
local option = require "bide.text.option"
local tasks = require "bide.task.script_tasks"

---Its functions in `bide`.
---@class bide
---@field send fun(task: bide.ScriptTask, message: any)
---@field send_after fun(task: bide.ScriptTask, message: any, seconds: number): bide.ScriptTask
---@field receive_next fun(count: integer?, timeout: number?): any, any[]?

local M = {}

local DEFAULT_TIMEOUT = 0.1 -- seconds

local function check(name, task, message)
  if type(task) ~= "table" or not task.mailbox then error(("%s: %s"):format(name, option.expected("a task", task)), 3) end
  if message == nil then error(("%s: %s"):format(name, option.expected("a message", nil)), 3) end
end

local function deliver(task, message)
  table.insert(task.mailbox, message)
  local waker = task.mailbox.waker
  if waker then waker() end
end

---Sends a message, and returns without waiting until the receiver takes it.
---@param task bide.ScriptTask
---@param message any anything but nil
function M.send(task, message)
  check("bide.send", task, message)
  deliver(task, message)
end

---Sends a message after some seconds. The task that does so is a child of the caller's.
---@param task bide.ScriptTask
---@param message any anything but nil
---@param seconds number 0 or more
---@return bide.ScriptTask sending can be cancelled as long as the message was not sent
function M.send_after(task, message, seconds)
  check("bide.send_after", task, message)
  local mistake = option.mistake(seconds, option.kinds.delay)
  if mistake then error("bide.send_after: seconds: " .. mistake, 2) end
  local delay = duration.of_seconds(seconds)
  return tasks.spawn(function()
    await(core.loop.update() + delay)
    deliver(task, message)
  end)
end

---The messages that arrived, if some are missing. Their text is for assert.
local Received = {}
function Received.__tostring(self)
  return ("received %d of %d messages in %g s"):format(#self, self.wanted, self.timeout)
end

local function take(mailbox, count)
  local messages = table.move(mailbox, 1, count, 1, {})
  table.move(mailbox, count + 1, #mailbox + count, 1)
  return messages
end

---Waits until the mailbox holds `count` messages or the deadline has come; returns the number of messages.
local function wait_for(mailbox, count, deadline)
  while #mailbox < count and (not deadline or core.loop.update() < deadline) do
    await(deadline, function(waker) mailbox.waker = waker end)
    mailbox.waker = nil
  end
  return math.min(#mailbox, count)
end

---Returns the next messages that were sent to the calling task, in their order. There is a second result only if some
---are missing, so that a message `false` can be distinguished from a timeout.
---@param count integer? 1 by default
---@param timeout number? seconds for all of them, 0.1 by default; math.huge waits for ever
---@return any message the message itself if count is 1; otherwise a list
---@return any[]? received the messages that arrived, after nil, if some are missing
function M.receive_next(count, timeout)
  count, timeout = count or 1, timeout or DEFAULT_TIMEOUT
  if math.type(count) ~= "integer" or count < 1 then
    error("bide.receive_next: count: " .. option.expected("a whole number above 0", count), 2)
  end
  local mistake = option.mistake(timeout, option.kinds.delay)
  if mistake then error("bide.receive_next: timeout: " .. mistake, 2) end
  local longest = duration.of_seconds(timeout)
  local deadline = longest and core.loop.update() + longest
  local mailbox = tasks.current().mailbox
  local messages = take(mailbox, wait_for(mailbox, count, deadline))
  if #messages == count and count == 1 then return messages[1] end
  if #messages == count then return messages end
  messages.wanted, messages.timeout = count, timeout
  return nil, setmetatable(messages, Received)
end

return M
