---The tasks of scripts: functions that share one thread, each of which runs until it waits. They are structured: the
---children of a task end with it, and the error of a child that was never joined ends its parent, so that no error is
---lost.

local core = require "bide.core"
local duration = require "bide.text.duration"
local option = require "bide.text.option"
local script_error = require "bide.text.script_error"
local secret = require "bide.text.secret"
local retries = require "bide.task.retries"

---Its functions in `bide`.
---@class bide
---@field spawn fun(f: fun(...): ...): bide.ScriptTask
---@field current fun(): bide.ScriptTask
---@field timeout fun(seconds: number, f: fun(...), ...): ...

local M = {}

---@class bide.ScriptTask
---@field name string where it was spawned
---@field how "returned"|"raised"|"cancelled"|"cut"|nil nil while it runs
---@field mailbox table messages that were sent to it
---@field failed? table<bide.ScriptTask, integer> the children that raised an error and were not joined, numbered by their ends
---@field is_ending? boolean whether it was cancelled, though it may not have ended yet
---@field at_return? fun() called once its function has returned, and before its children end
---@field unbegun table<bide.ScriptTask, true> the children that have not begun
local ScriptTask = {}
local class = { __index = ScriptTask }

---The script task of each core task; the one outside of all tasks is under ROOT.
local ROOT = {}
local MAIN = "the main script"
local by_core = setmetatable({}, { __mode = "k" })

local function new(parent, name)
  return setmetatable({ parent = parent, name = name, mailbox = {}, joiners = {}, unbegun = {} }, class)
end

---Returns the task that is running. Operations and the code outside of all tasks have one too.
---@return bide.ScriptTask
function M.current()
  local key = core.task.current() or ROOT
  if not by_core[key] then by_core[key] = new(nil, MAIN) end
  return by_core[key]
end

---Adds the place where a task was spawned to the message of a script error. An operation error stays as it is.
local function explain(task, value)
  if not script_error.is(value) or value.task or task.name == MAIN then return value end
  value.task = task.name
  script_error.reword(value, ("%s (in the task of %s)"):format(value.message, task.name))
  return value
end

---Returns the first child that raised an error and was never joined.
local function lost_failure(task)
  local first, first_at
  for child, at in pairs(task.failed or {}) do
    if not first or at < first_at then first, first_at = child, at end
  end
  return first
end

---Returns the error of a task that ends before one of its children has begun: without it the child would have done nothing,
---and no word would say so.
local function unbegun_child(task)
  local child = next(task.unbegun)
  return child and script_error.of(("%s ended before the task of %s began, which has done nothing: join it"):format(
    not task.f and "the operation" or task.name == MAIN and "the script" or "the task", child.name))
end

---Returns the error of the first child of the running task that raised one and was never joined, or of one that has not begun,
---and forgets all such children. For an operation and its witness, each of which ends with that as every task does.
---@return any failure
function M.take_lost_failure()
  local task = by_core[core.task.current()]
  if not task then return nil end
  local lost, mistake = lost_failure(task), unbegun_child(task)
  task.failed = nil
  if mistake then task.unbegun = {} end
  return lost and lost.failure or mistake
end

local function run(task)
  task.parent.unbegun[task] = nil
  local results = table.pack(xpcall(task.f, script_error.explain, table.unpack(task.arguments, 1, task.arguments.n)))
  if not results[1] then return false, script_error.locate(results[2], task.f) end
  local lost = lost_failure(task)
  if lost then return false, lost.failure end
  local mistake = unbegun_child(task)
  if mistake then return false, mistake end
  if task.at_return then task.at_return() end
  return table.unpack(results, 1, results.n)
end

local function ended(task, how, ok, ...)
  task.how, task.parent.unbegun[task] = how, nil
  if how == "returned" and ok then
    task.results = table.pack(...)
  elseif how == "returned" or how == "raised" then
    task.how, task.failure = "raised", explain(task, how == "raised" and ok or ...)
    local parent = task.parent
    parent.failed, parent.failures = parent.failed or {}, (parent.failures or 0) + 1
    parent.failed[task] = parent.failures
  end
  for _, waker in ipairs(task.joiners) do waker() end
end

---The functions that hand something down to a task from the one that starts it.
---@type (fun(child: bide.Task))[]
local inherited = { retries.inherit, secret.inherit }

---Registers a function that is called whenever a task starts another one, within the former and with the latter.
---@param hand_down fun(child: bide.Task)
function M.at_start(hand_down)
  inherited[#inherited + 1] = hand_down
end

---@param parent bide.ScriptTask
local function start(parent, name, deadline, f, ...)
  local task = new(parent, name)
  task.f, task.arguments = f, table.pack(...)
  task.handle = core.task.start(run, ended, deadline, task, "script")
  by_core[task.handle], parent.unbegun[task] = task, true
  for _, hand_down in ipairs(inherited) do hand_down(task.handle) end
  return task
end

local function place_of_caller()
  local info = debug.getinfo(3, "Sl")
  return ("%s:%d"):format(info.short_src, info.currentline)
end

---Raises an error where waiting is forbidden: a task that started there would continue after it.
local function check_allowed()
  local forbidden_by = core.task.forbidden_by()
  if forbidden_by then error(forbidden_by .. " may not start a task", 3) end
end

---Starts f(...) as a task that runs beside the caller and is its child.
---@param f fun(...): ...
---@return bide.ScriptTask
function M.spawn(f, ...)
  if type(f) ~= "function" then error("bide.spawn: " .. option.expected("a function", f), 2) end
  check_allowed()
  return start(M.current(), place_of_caller(), nil, f, ...)
end

local function wait_for(task)
  if task.how then return end
  local waker = core.task.waker()
  table.insert(task.joiners, waker)
  core.task.pause(waker)
end

---Ends with a script error if the running task is the one to join, or below it: it would wait for itself.
local function refuse_itself(task)
  local one = M.current()
  while one and one ~= task do one = one.parent end
  if one then error("join: a task may not wait for itself, or for the task that has started it", 3) end
end

---Waits until the task has ended; then returns its results, or raises its error. A task below it, which ends with it, may not
---wait for it.
---@return any ...
function ScriptTask:join()
  if not self.how then refuse_itself(self) end
  wait_for(self)
  if self.how == "raised" and self.parent.failed then self.parent.failed[self] = nil end
  if self.how == "returned" then return table.unpack(self.results, 1, self.results.n) end
  if self.how == "raised" then error(self.failure, 0) end
  error({ type = "TaskCancelled", message = ("the task of %s was cancelled"):format(self.name) }, 0)
end

---Ends the task where it waits. Its <close> variables are closed, and its children end too.
function ScriptTask:cancel()
  if not self.handle then error("cancel: the main task, or the one of an operation, may not be cancelled", 2) end
  self.parent.unbegun[self], self.is_ending = nil, true
  self.handle:cancel()
end

---Reports whether the task, or one above it, was cancelled by the script.
---@return boolean
function ScriptTask:is_cancelled()
  local one = self
  while one and not one.is_ending do one = one.parent end
  return one ~= nil
end

---Calls f(...) and returns its results. If it takes longer than some seconds, stops it where it waits and raises the
---operation error Timeout.
---@param seconds number
---@param f fun(...): ...
---@return any ...
function M.timeout(seconds, f, ...)
  local mistake = option.mistake(seconds, option.kinds.seconds)
  if mistake then error("bide.timeout: " .. mistake, 2) end
  if type(f) ~= "function" then error("bide.timeout: " .. option.expected("a function", f), 2) end
  check_allowed()
  local longest = duration.of_seconds(seconds)
  local deadline = longest and core.loop.update() + longest
  local task = start(M.current(), place_of_caller(), deadline, f, ...)
  local _guard <close> = setmetatable({}, { __close = function() task:cancel() end })
  wait_for(task)
  if task.how == "cut" then
    error({ type = "Timeout", message = ("it took longer than %g s"):format(seconds) }, 0)
  end
  return task:join()
end

---Runs a script as the first of its tasks, for `bide exec`.
---@param f fun(...): ...
---@param done bide.Waker called once it has ended
---@return bide.ScriptTask
function M.start_script(f, done, ...)
  local task = start(M.current(), MAIN, nil, f, ...)
  task.joiners[1] = done
  return task
end

return M
