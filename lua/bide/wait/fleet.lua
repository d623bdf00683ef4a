---Runs many waits at once, until all, any or some of them have succeeded. When that is decided, cancels the others, unless
---they are to continue after a failure. The result has the outcome of every branch.

local begun = require "bide.wait.begun"
local core = require "bide.core"
local option = require "bide.text.option"
local outcome = require "bide.wait.outcome"
local prepared_wait = require "bide.wait.prepared"
local waiter = require "bide.wait.waiter"
local Wait = require "bide.wait.run"

---Its functions in `bide`.
---@class bide
---@field all fun(waits: table<any, bide.PreparedWait>): bide.FleetResult?, bide.FleetResult?
---@field any fun(waits: table<any, bide.PreparedWait>): bide.FleetResult?, bide.FleetResult?
---@field some fun(count: integer, waits: table<any, bide.PreparedWait>): bide.FleetResult?, bide.FleetResult?

local M = {}

---@class bide.FleetRecord
---@field state "success"|"failure"
---@field needed integer the number that had to succeed
---@field count integer the number of waits
---@field succeeded integer
---@field failed integer
---@field cancelled integer the number of cancelled waits
---@field message string
---@field records table<any, table> the record of each branch, under its key
---@field interrupted boolean whether the fleet itself was cancelled
---@field first_failed? any the key of the wait that failed first, if one did

---@class bide.Fleet
---@field running table<any, bide.Wait>
---@field left integer the number of waits that have not ended
---@field spared integer how many of the failed ones do not count as failures
---@field keeps_going boolean whether the others continue after a failure
---@field spares fun(key: any, record: table): boolean
local Fleet = {}
Fleet.__index = Fleet

---Returns the counts of a fleet in words, without the reason of a failure.
---@param fleet bide.FleetRecord|bide.Fleet
---@return string
function M.counts(fleet)
  return ("%d of %d waits succeeded, %d failed, %d cancelled; %d needed"):format(fleet.succeeded, fleet.count,
    fleet.failed, fleet.cancelled, fleet.needed)
end

local function sentence(fleet)
  local text = M.counts(fleet)
  if not fleet.first_failure or fleet.state == "success" then return text end
  return ("%s; first failure: %s"):format(text, fleet.first_failure)
end

local function finish(fleet)
  begun.fleets[fleet.running] = nil
  fleet.state = not fleet.interrupted and fleet.succeeded >= fleet.needed and "success" or "failure"
  fleet.done {
    state = fleet.state, needed = fleet.needed, count = fleet.count, succeeded = fleet.succeeded,
    failed = fleet.failed, cancelled = fleet.cancelled, message = sentence(fleet), records = fleet.records,
    interrupted = fleet.interrupted, first_failed = fleet.first_failed,
  }
end

---Names the wait of a failure, if the fleet has names for its waits.
local function named(fleet, wait, message)
  return fleet.label and ("%s: %s"):format(fleet.label(wait, wait.key), message) or message
end

local function count(fleet, record, wait)
  if record.state == "success" then
    fleet.succeeded = fleet.succeeded + 1
  elseif record.reason == "cancelled" then
    fleet.cancelled = fleet.cancelled + 1
  else
    fleet.failed = fleet.failed + 1
    if fleet.spares(wait.key, record) then
      fleet.spared = fleet.spared + 1
    elseif fleet.first_failed == nil then
      fleet.first_failed, fleet.first_failure = wait.key, named(fleet, wait, record.message)
    end
  end
end

---Reports whether the result is known: enough have succeeded, or too few are left that can.
local function is_decided(fleet)
  if fleet.succeeded >= fleet.needed then return true end
  return not fleet.keeps_going and fleet.count - fleet.failed + fleet.spared - fleet.cancelled < fleet.needed
end

---@param cause? string why they fail, if they do
local function cancel_rest(fleet, cause)
  if fleet.ending then return end
  fleet.ending = true
  local rest = {}
  for _, wait in pairs(fleet.running) do rest[#rest + 1] = wait end
  for _, wait in ipairs(rest) do wait:cancel(cause) end
end

local function branch_ended(fleet, record, wait)
  fleet.running[wait.key], fleet.records[wait.key] = nil, record
  fleet.left = fleet.left - 1
  count(fleet, record, wait)
  if wait.cause or is_decided(fleet) then cancel_rest(fleet, wait.cause or nil) end
  if fleet.left == 0 and fleet.begun then finish(fleet) end
end

---Returns the keys of a list in its order, and those of any other table sorted by name.
local function keys_of(prepared)
  local keys, size = {}, 0
  for _ in pairs(prepared) do size = size + 1 end
  if size ~= #prepared then return option.sorted_keys(prepared) end
  for position = 1, size do keys[position] = position end
  return keys
end

---A last attempt that a Retry-After puts off comes within this part of the max wait, the last one.
local LAST_PART = 20

---Lets the last attempts of several waits come one after another if a service puts all of them off to the end.
---@param prepared table<any, bide.PreparedWait>
function M.spread(prepared)
  if next(prepared, next(prepared)) == nil then return end
  for _, one in pairs(prepared) do one.limits.last_spread = one.limits.max_wait // LAST_PART end
end

---The fewest waits beside which the garbage of their beginning is much.
local MANY = 1000

---Has the collector look at young objects again. While very many waits begin it finds that most objects live, and lets
---memory grow by a third before it looks again, which their attempts would fill with garbage.
local function end_growth()
  if collectgarbage "incremental" ~= "generational" then return end
  collectgarbage "generational"
  collectgarbage "step" -- only this ends the wait for a third
end

local function spare_none() return false end

---Settings of a fleet.
---@class bide.FleetOptions
---@field observer? table
---@field keeps_going? boolean whether the others continue after a failure that decides the result
---@field spares? fun(key: any, record: table): boolean whether a failed wait does not count as a failure
---@field label? fun(one: bide.PreparedWait, key: any): string the name of a wait in the sentence about all
---@field find_cause? fun(): string? returns what has ended that has to last as long as the waits

---Starts waits. `done` is called once, when all of them have ended.
---@param prepared table<any, bide.PreparedWait>
---@param needed integer the number that must succeed
---@param done fun(record: bide.FleetRecord)
---@param options? bide.FleetOptions
---@return bide.Fleet
function M.start(prepared, needed, done, options)
  local keys, kinds = keys_of(prepared), {}
  options = options or {}
  local observer = options.observer
  local fleet = setmetatable({
    needed = needed, count = #keys, left = #keys, done = done, running = {}, records = {},
    succeeded = 0, failed = 0, cancelled = 0, spared = 0, interrupted = false,
    keeps_going = options.keeps_going or false, spares = options.spares or spare_none, label = options.label,
  }, Fleet)
  begun.fleets[fleet.running] = true
  local function ended(record, wait) branch_ended(fleet, record, wait) end
  for _, key in ipairs(keys) do
    local one = prepared[key]
    local of_waiter = kinds[one.waiter] or {}
    kinds[one.waiter] = of_waiter
    local kind = of_waiter[one.limits] or Wait.new_kind(one.waiter, one.limits, ended, observer, true)
    of_waiter[one.limits], kind.find_cause = kind, options.find_cause or false
    fleet.running[key] = one:begin(kind, key)
  end
  fleet.begun = true
  if #keys >= MANY then end_growth() end
  return fleet
end

---Cancels every wait. The fleet has then failed.
function Fleet:cancel()
  if self.left == 0 then return end
  self.interrupted = true
  cancel_rest(self)
end

---Ends every wait, which has then failed, since something has ended that had to last as long as they.
---@param cause string
---@return boolean fails false if it was decided before
function Fleet:fail(cause)
  local fails = not self.ending
  cancel_rest(self, cause)
  return fails
end

---Abandons every wait at once, since the result is no longer needed.
function Fleet:abandon()
  self.ending = true
  begun.fleets[self.running] = nil
  for _, wait in pairs(self.running) do wait:abandon() end
end

---@class bide.FleetResult : bide.FleetRecord
---@field outcomes table<any, bide.Outcome> the outcome of each wait, under its name or position

local Result = {}
function Result.__tostring(self) return self.message end

---@param value any
---@return boolean
function M.is_result(value)
  return getmetatable(value) == Result
end

---Returns the result of a fleet for scripts.
---@param record bide.FleetRecord
---@return bide.FleetResult
function M.result_of(record)
  local result = setmetatable({ outcomes = {} }, Result)
  for name, value in pairs(record) do result[name] = value end
  result.records = nil
  for key, branch in pairs(record.records) do result.outcomes[key] = outcome.of_record(branch) end
  return result
end

local function check(name, prepared)
  if type(prepared) ~= "table" or next(prepared) == nil then
    error(("bide.%s: %s"):format(name, option.expected("waits, of waiter:prepare(input, options)", prepared)), 3)
  end
  local size = 0
  for key, value in pairs(prepared) do
    if not prepared_wait.is_one(value) then
      local mistake = option.expected("what waiter:prepare(input, options) gives", value)
      error(("bide.%s: %s: %s"):format(name, tostring(key), mistake), 3)
    end
    size = size + 1
  end
  return size
end

local function run(prepared, needed)
  local waker = core.task.waker()
  M.spread(prepared)
  local fleet = M.start(prepared, needed, waker, { observer = waiter.observer })
  local _running <close> = waiter.closing(fleet)
  local result = M.result_of(core.task.pause(waker))
  if result.state == "success" then return result end
  return nil, result
end

---Waits until all have succeeded; the first failure cancels the others.
---@param prepared table<any, bide.PreparedWait> named or listed
---@return bide.FleetResult? result
---@return bide.FleetResult? failure so that assert raises it, with its message as text
function M.all(prepared)
  return run(prepared, check("all", prepared))
end

---Waits until one has succeeded, and cancels the others.
---@param prepared table<any, bide.PreparedWait>
---@return bide.FleetResult? result
---@return bide.FleetResult? failure
function M.any(prepared)
  check("any", prepared)
  return run(prepared, 1)
end

---Waits until `needed` of them have succeeded, and cancels the others.
---@param needed integer
---@param prepared table<any, bide.PreparedWait>
---@return bide.FleetResult? result
---@return bide.FleetResult? failure
function M.some(needed, prepared)
  local size = check("some", prepared)
  if math.type(needed) ~= "integer" or needed < 1 or needed > size then
    error("bide.some: " .. option.expected(("a whole number from 1 to %d"):format(size), needed), 2)
  end
  return run(prepared, needed)
end

return M
