---The schedule of a wait before it begins: the attempts as one seed would draw
---them, and the least and the most that any seed could.

local core = require "bide.core"

local M = {}

local nothing = assert(core.json.document({}))

---A wait, from 0 on, whose waiter always retries.
local function start(limits)
  local acceptors = { { state = "retry", matcher = { success = true } } }
  local compiled = core.wait.definition(limits.min_delay, limits.max_delay, acceptors)
  return core.wait.start(compiled, limits, limits.seed or core.wait.random_seed(), 0)
end

---When the first attempt begins.
---@param limits bide.Limits
---@return integer milliseconds
function M.first(limits)
  return start(limits):first(limits.initial_delay or 0)
end

---@class bide.PlannedRetry
---@field retry integer from 1
---@field delay integer milliseconds before it
---@field cumulative integer milliseconds from the beginning of the wait to its beginning
---@field remaining integer? milliseconds; nil for the last attempt

---Calls `visit` for each retry; stops early where that returns false. All times are milliseconds.
---@param limits bide.Limits
---@param latency integer how long each attempt takes
---@param visit fun(retry: bide.PlannedRetry): boolean?
---@return "maxWait"|"maxAttempts"|nil reason nil where it was stopped
function M.walk(limits, latency, visit)
  local state, now = start(limits), M.first(limits)
  state:begin()
  while true do
    local verdict, _, detail = state:observe(now + latency, nothing, nothing)
    if verdict ~= "retry" then return detail end
    now = now + latency + detail
    local retry = state:begin() - 1
    local remaining = limits.max_wait - now
    local is_last = remaining - latency <= limits.min_delay or retry + 1 == limits.max_attempts
    if visit { retry = retry, delay = detail, cumulative = now, remaining = not is_last and remaining or nil } == false then
      return nil
    end
  end
end

local function steps(distance, step)
  return distance <= 0 and 0 or (distance + step - 1) // step
end

---Polls from where every delay is `delay`, given what remains after an attempt.
local function constant(remaining, delay, limits, latency)
  local count = steps(remaining - delay - limits.min_delay, delay + latency)
  remaining = remaining - count * (delay + latency)
  return count + (remaining > limits.min_delay and 1 or 0)
end

---The most polls: every delay is drawn as the shortest.
local function most(remaining, limits, latency)
  return 1 + constant(remaining, limits.min_delay, limits, latency)
end

---The least: every delay is drawn as the longest.
local function least(remaining, limits, latency)
  local polls = 1
  while true do
    local delay = core.wait.ceiling(limits.min_delay, limits.max_delay, polls)
    local last = core.wait.ceiling(limits.min_delay, limits.max_delay, polls + 1) == delay
    if last then return polls + constant(remaining, delay, limits, latency) end
    if remaining <= limits.min_delay then return polls end
    polls = polls + 1
    if remaining - delay <= limits.min_delay then return polls end
    remaining = remaining - delay - latency
  end
end

---@param limits bide.Limits
---@param latency integer milliseconds
---@return integer least
---@return integer most
function M.polls(limits, latency)
  local bound = limits.max_attempts or math.maxinteger
  local remaining = limits.max_wait - M.first(limits) - latency
  return math.min(least(remaining, limits, latency), bound), math.min(most(remaining, limits, latency), bound)
end

return M
