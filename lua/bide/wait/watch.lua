---Runs the watches of operations: a task beside the waits that hears of events and asks them for an attempt. Waits of one
---operation share a watch if it gives them the same key. Nothing that a watch does decides a wait: the acceptors see only
---what attempts return.

local core = require "bide.core"
local duration = require "bide.text.duration"
local option = require "bide.text.option"
local policy = require "bide.probe.http.policy"
local script_error = require "bide.text.script_error"
local vocabulary = require "bide.recipe.expression.vocabulary"

local loop, task = core.loop, core.task

local M = {}

---The milliseconds after which a watch that has ended is begun again: they double, and are short again after a watch that
---has stood for the longest of them.
local SHORTEST, LONGEST = 1000, 60000

---The most watches that run at a time, since each may hold a descriptor; further waits only poll.
local MOST = 100

---A function that a watch calls: `wake()` asks for an attempt of the wait, `wake(name)` of those whose watch_name is that
---name. `wake.healthy()` says that the watch is alive: it was set up, or something came, even if it was no event.
---@class bide.Wake
---@field healthy fun()
---@overload fun(name?: string)

---The members of an operation that watch.
---@class bide.WatchedOperation
---@field watch fun(input: any, wake: bide.Wake): any may wait; runs until it is ended, or returns or raises when it has failed;
---returns false if there is nothing to hear, and is not begun again
---@field watch_key? fun(input: any): string? waits with the same key share one watch
---@field watch_name? fun(input: any): string? the name by which a shared watch wakes a wait

---@class bide.Watch
---@field of bide.WatchedOperation
---@field key string?
---@field wait bide.Wait the first of its waits, for what all have in common
---@field input userdata a document
---@field names table<bide.Wait, string|false> its waits
---@field by_name table<string, bide.Wait|table<bide.Wait, true>> mostly there is one wait for a name
---@field count integer
---@field alive_at integer|false when it was last alive; false before that, and after it has failed
---@field began_at integer
---@field backoff integer
---@field turn integer the number of its task, since what remains of an earlier one must not wake a wait
---@field task bide.Task?
---@field alarm bide.Alarm
---@field is_over boolean? whether there is nothing to hear, so that it is not begun again
---@field failure string? a sentence: why it ended last
---@field failures integer how often it has ended
local Watch = {}
Watch.__index = Watch

---Is false with --no-watch.
local is_on = true

---Lets all waits poll as if no operation had a watch.
function M.disable() is_on = false end

---@return boolean
function M.are_on() return is_on end

---The watches that may be shared, by their operation's function and their key.
---@type table<function, table<string, bide.Watch>>
local shared = {}

local function wake_some(waits)
  for wait in pairs(waits) do wait:wake() end
end

local function reschedule_some(waits)
  for wait in pairs(waits) do wait:reschedule() end
end

---Wakes the waits of a name.
local function wake_named(watch, name)
  local waits = watch.by_name[name]
  if waits and watch.names[waits] then waits:wake() elseif waits then wake_some(waits) end
end

---Adds a wait to those of its name.
local function add_name(watch, name, wait)
  local waits = watch.by_name[name]
  if not waits then
    watch.by_name[name] = wait
  elseif watch.names[waits] then
    watch.by_name[name] = { [waits] = true, [wait] = true }
  else
    waits[wait] = true
  end
end

---Takes a wait from those of its name.
local function remove_name(watch, name, wait)
  local waits = watch.by_name[name]
  if waits ~= wait then waits[wait] = nil end
  if waits == wait or not next(waits) then watch.by_name[name] = nil end
end

---Notes that a watch is alive. The first time this asks for an attempt, since what has happened before
---brought no event.
local function hear(watch, turn)
  if watch.turn ~= turn then return end
  local was_alive = watch.alive_at
  watch.alive_at = loop.now()
  if not was_alive then wake_some(watch.names) end
end

local function wake(watch, turn, name)
  if name ~= nil and type(name) ~= "string" then error("wake: name: " .. option.expected("a string", name), 3) end
  if watch.turn ~= turn then return end
  if name then wake_named(watch, name) else wake_some(watch.names) end
end

---@return bide.Wake
local function new_wake(watch)
  local turn = watch.turn
  return setmetatable({ healthy = function() hear(watch, turn) end }, {
    __call = function(_, name) wake(watch, turn, name) end,
  })
end

local function run(watch)
  local _entered <close> = vocabulary.enter(watch.wait.waiter.vocabulary)
  return watch.of.watch(watch.input:value(), new_wake(watch))
end

---Returns the reason why a watch has ended, in one line.
local function reason_of(how, failure)
  if how == "returned" then return "it ended" end
  if how == "cut" then return "a wait of it ended" end
  if script_error.is_operation_error(failure) then
    local plain = script_error.plain_operation_error(failure)
    return plain.message and ("%s: %s"):format(plain.type, plain.message) or plain.type
  end
  return tostring(script_error.of(failure).message or failure)
end

local begin

---The number of watches that run.
local running = 0

local function ended(watch, how, failure)
  running = running - 1
  watch.task, watch.alive_at, watch.turn = nil, false, watch.turn + 1
  if how == "cancelled" or watch.count == 0 then return end
  if how == "returned" and failure == false then
    watch.is_over = true
    return reschedule_some(watch.names)
  end
  watch.wait = next(watch.names)
  local now = loop.update()
  if now - watch.began_at >= LONGEST then watch.backoff = SHORTEST end
  watch.failures = watch.failures + 1
  watch.failure = ("the watch failed: %s; it begins again in %s"):format(reason_of(how, failure),
    duration.format(watch.backoff))
  watch.alarm:start(now + watch.backoff)
  watch.backoff = math.min(2 * watch.backoff, LONGEST)
  reschedule_some(watch.names)
end

function begin(watch)
  watch.began_at, running = loop.now(), running + 1
  watch.task = task.start(run, ended, watch.wait.state:deadline(), watch, "script")
  local how = watch.wait.waiter.policy
  if how then policy.set(watch.task, how) end
end

---Calls a function of an operation that may not wait. A failure means that there is no value.
local function ask(f, input)
  local ok, value = pcall(task.without_waiting, "a function that names a watch", f, input:value())
  if ok then return type(value) == "string" and value or nil end
  script_error.pass_out_of_memory(value)
  return nil
end

---@param wait bide.Wait
---@return bide.Watch
local function new(of, key, wait)
  local watch = setmetatable({
    of = of, key = key, wait = wait, input = wait.input, names = {}, by_name = {}, count = 0, alive_at = false, began_at = 0,
    backoff = SHORTEST, turn = 0, failures = 0,
  }, Watch)
  watch.alarm = loop.alarm(begin, watch)
  if key then
    shared[of.watch] = shared[of.watch] or {}
    shared[of.watch][key] = watch
  end
  return watch
end

---Returns the key of a wait, and the watch that has it already.
---@return string? key
---@return bide.Watch?
local function find(of, wait)
  local key = of.watch_key and ask(of.watch_key, wait.input)
  return key, key and (shared[of.watch] or {})[key] or nil
end

---Adds a wait to a watch.
local function add(watch, wait)
  local name = watch.of.watch_name and ask(watch.of.watch_name, wait.input) or false
  watch.names[wait], watch.count = name, watch.count + 1
  if name then add_name(watch, name, wait) end
end

---Joins a wait that has made an attempt to the watch that has its key already, or to a new one.
---@param of bide.WatchedOperation
---@param wait bide.Wait
---@return bide.Watch? watch nil if watches are off, or many run already
function M.join(of, wait)
  if not is_on then return nil end
  local key, watch = find(of, wait)
  if not watch and running >= MOST then return nil end
  watch = watch or new(of, key, wait)
  add(watch, wait)
  if watch.count == 1 then begin(watch) elseif watch.alive_at then wait:wake() end
  return watch
end

---Joins a wait that is about to make its first attempt to the watch that has its key, if that is alive: the attempt sees
---what was before, and the watch reports what comes after, so that no second attempt has to look for what came in between.
---@param of bide.WatchedOperation
---@param wait bide.Wait
---@return bide.Watch?
function M.join_alive(of, wait)
  if not shared[of.watch] then return nil end
  local _, watch = find(of, wait)
  if not watch or not watch.alive_at then return nil end
  add(watch, wait)
  return watch
end

---Ends the watching for a wait; the last one ends the watch.
---@param wait bide.Wait
function Watch:leave(wait)
  local name = self.names[wait]
  if name == nil then return end
  if name then remove_name(self, name, wait) end
  self.names[wait], self.count = nil, self.count - 1
  if self.count > 0 then return end
  if self.key and shared[self.of.watch][self.key] == self then shared[self.of.watch][self.key] = nil end
  self.alarm:stop()
  self.turn = self.turn + 1
  if self.task then self.task:cancel() end
end

---Reports whether it may still wake its waits: it runs, or begins again later.
---@return boolean
function Watch:may_hear()
  return not self.is_over
end

---Returns what has gone wrong, for the note of an attempt.
---@param since integer the number of failures that are known already
---@return string? note
---@return integer failures
function Watch:trouble(since)
  return self.failures > since and self.failure or nil, self.failures
end

return M
