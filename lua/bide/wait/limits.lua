---What the caller of a wait allows: how long, how often, with what delays. A waiter has
---its own; the options of a wait go before them.

local duration = require "bide.duration"
local option = require "bide.option"
local schema = require "bide.recipe.schema"
local span = require "bide.wait.span"

local M = {}

---Times in milliseconds.
---@class bide.Limits
---@field max_wait integer
---@field max_attempts integer?
---@field min_delay integer
---@field max_delay integer
---@field initial_delay integer? before the first attempt
---@field tolerated_attempts integer? so many transient errors in a row that no acceptor matched
---@field tolerated_time integer? or for so long
---@field retry_after_cap integer? how long a service may ask to wait; 0 does not listen to it; maxDelay otherwise
---@field seed integer?
---@field gate bide.Gate? limits how many attempts of a fleet are in flight

---Limits of what is given, and of the waiter where it is not.
---@param waiter bide.Waiter
---@param given table<string, any> members of bide.Limits; max_wait among them
---@return bide.Limits? limits
---@return string? mistake
function M.merge(waiter, given)
  local limits = {
    max_wait = given.max_wait, max_attempts = given.max_attempts, seed = given.seed,
    min_delay = given.min_delay or waiter.min_delay, max_delay = given.max_delay or waiter.max_delay,
    initial_delay = given.initial_delay or waiter.initial_delay,
    retry_after_cap = given.retry_after_cap or waiter.retry_after_cap,
    tolerated_attempts = given.tolerated_attempts, tolerated_time = given.tolerated_time,
  }
  if limits.min_delay <= limits.max_delay then return limits end
  return nil, ("minDelay, %s, is greater than maxDelay, %s"):format(duration.format(limits.min_delay),
    duration.format(limits.max_delay))
end

---Seconds, or a text such as "5m".
local function read_duration(value)
  return (type(value) == "string" and duration.parse or duration.read)(value)
end

---A delay that may be none.
---@param value number|string
---@return integer? milliseconds
---@return string? mistake
function M.read_initial_delay(value)
  if value == 0 then return 0 end
  return (type(value) == "string" and duration.parse_or_zero or duration.read)(value)
end

---`false` does not listen to a Retry-After; `{ cap = 60 }` listens to it up to so many seconds.
---@param value any
---@return integer? cap milliseconds
---@return string? mistake
function M.read_retry_after(value)
  if value == false then return 0 end
  if type(value) ~= "table" or value.cap == nil or next(value, next(value)) ~= nil then
    return nil, ("found %s, wanted false or { cap = seconds }"):format(schema.describe(value))
  end
  return read_duration(value.cap)
end

---Durations and the like are read by hand, since they may be text.
local kinds = {
  maxWait = option.kinds.any, minDelay = option.kinds.any, maxDelay = option.kinds.any,
  initialDelay = option.kinds.any, tolerate = option.kinds.any, retryAfter = option.kinds.any,
  maxAttempts = option.kinds.size, seed = option.kinds.integer,
}

---Each option that is read by hand: the member of the limits, and its reader.
local readers = {
  maxWait = { "max_wait", read_duration }, minDelay = { "min_delay", read_duration },
  maxDelay = { "max_delay", read_duration }, initialDelay = { "initial_delay", M.read_initial_delay },
  retryAfter = { "retry_after_cap", M.read_retry_after },
}

local function read_members(options)
  local given = { max_attempts = math.tointeger(options.maxAttempts), seed = math.tointeger(options.seed) }
  for name, reader in pairs(readers) do
    if options[name] ~= nil then
      local value, mistake = reader[2](options[name])
      if not value then error(("%s: %s"):format(name, mistake), 0) end
      given[reader[1]] = value
    end
  end
  if options.tolerate ~= nil then
    local mistake
    given.tolerated_attempts, given.tolerated_time, mistake = span.read(options.tolerate)
    if mistake then error("tolerate: " .. mistake, 0) end
  end
  return given
end

---Reads the options of a wait; raises a text that names the bad one.
---@param waiter bide.Waiter
---@param options bide.WaitOptions
---@return bide.Limits
function M.read(waiter, options)
  local mistake = option.check(options, kinds)
  if mistake then error(mistake, 0) end
  if options.maxWait == nil then
    error("maxWait is missing: the specification of waiters requires the caller to say how long to wait", 0)
  end
  local limits
  limits, mistake = M.merge(waiter, read_members(options))
  if not limits then error(mistake, 0) end
  return limits
end

return M
