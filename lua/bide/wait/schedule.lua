---The schedule of a wait before it begins: when it polls, how often, and how soon it notices.

local core = require "bide.core"
local limits_of = require "bide.recipe.waiter.limits"

local M = {}

local nothing = assert(core.json.document {})

---The observation of every attempt of a plan.
local seen = { input = nothing, output = nothing }

---A wait, from 0 on, whose waiter always retries.
local function start(limits)
  local always = { { state = "retry", matcher = { success = true } } }
  local compiled = core.wait.definition(limits.min_delay, limits.max_delay, always)
  return core.wait.kind(compiled, limits):start(limits.seed or core.wait.random_seed(), 0)
end

---When the first attempt begins.
---@param limits bide.Limits
---@return integer milliseconds
local function first_attempt(limits)
  return start(limits):first(limits.initial_delay or 0)
end

---Returns the longest delay that may be drawn before a retry.
---@param elapsed integer when the attempt before it ends
local function longest_delay(limits, retry, elapsed)
  if not limits.lateness then return core.wait.ceiling(limits.min_delay, limits.max_delay, retry) end
  return (select(2, core.wait.late_range(limits.min_delay, limits.max_delay, limits.lateness, elapsed)))
end

---@class bide.PlannedRetry
---@field retry integer from 1
---@field delay integer milliseconds before it
---@field ceiling integer the longest delay that could have been drawn before it
---@field cumulative integer milliseconds from the beginning of the wait to its beginning
---@field remaining integer? milliseconds; nil for the last attempt

---Calls `visit` for each retry; stops early where that returns false. All times are milliseconds.
---@param limits bide.Limits
---@param latency integer how long each attempt takes
---@param visit fun(retry: bide.PlannedRetry): boolean?
---@return "maxWait"|"maxAttempts"|nil reason nil where it was stopped
local function walk(limits, latency, visit)
  local state, now = start(limits), first_attempt(limits)
  state:begin()
  while true do
    local verdict, _, detail = state:observe(now + latency, seen)
    if verdict ~= "retry" then return detail end
    local retry = state:begin() - 1
    local ceiling = longest_delay(limits, retry, now + latency)
    now = now + latency + detail
    local remaining = limits.max_wait - now
    local is_last = remaining - latency <= limits.min_delay or retry + 1 == limits.max_attempts
    local planned = {
      retry = retry, delay = detail, ceiling = math.max(ceiling, detail), cumulative = now,
      remaining = not is_last and remaining or nil,
    }
    if visit(planned) == false then return nil end
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

---Returns the earliest time at which bounded lateness allows a delay above `delay`; nil if it never does.
local function end_of_delay(limits, delay)
  if delay >= limits.max_delay then return nil end
  local whole = (delay + 1) * limits_of.BILLIONTHS
  return (whole + limits.lateness - 1) // limits.lateness
end

---The polls of bounded lateness whose delays are all drawn as the shortest, or all as the longest. Goes over the times at
---which the bound is one millisecond longer, and not over the polls, which may be many more.
---@param elapsed integer the time when the first attempt ends
---@param which 1|2 the shortest, or the longest
local function of_lateness(elapsed, limits, latency, which)
  local polls = 1
  while limits.max_wait - elapsed > limits.min_delay do
    local range = { core.wait.late_range(limits.min_delay, limits.max_delay, limits.lateness, elapsed) }
    local delay, remaining = range[which], limits.max_wait - elapsed
    local changes_at = end_of_delay(limits, range[2])
    if not changes_at or changes_at >= limits.max_wait then return polls + constant(remaining, delay, limits, latency) end
    local count = math.max(steps(changes_at - elapsed, delay + latency), 1)
    local fitting = steps(remaining - delay - limits.min_delay, delay + latency)
    if fitting < count then return polls + constant(remaining, delay, limits, latency) end
    polls, elapsed = polls + count, elapsed + count * (delay + latency)
  end
  return polls
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
local function polls(limits, latency)
  local bound = limits.max_attempts or math.maxinteger
  local ended = first_attempt(limits) + latency
  if limits.lateness then
    return math.min(of_lateness(ended, limits, latency, 2), bound), math.min(of_lateness(ended, limits, latency, 1), bound)
  end
  local remaining = limits.max_wait - ended
  return math.min(least(remaining, limits, latency), bound), math.min(most(remaining, limits, latency), bound)
end

---Returns the longest delay after an attempt that ends at `elapsed`: the last retry comes minDelay before the deadline.
local function longest_after(limits, retry, elapsed)
  return math.min(longest_delay(limits, retry, elapsed), limits.max_wait - elapsed - limits.min_delay)
end

---The longest delay of exponential backoff: that of the first retry which may have the longest ceiling, or of one before it,
---if all delays until then are drawn as the shortest.
local function longest_of_backoff(limits, latency, ended)
  local longest, retry = 0, 1
  while retry < (limits.max_attempts or math.maxinteger) and limits.max_wait - ended > limits.min_delay do
    longest = math.max(longest, longest_after(limits, retry, ended))
    if core.wait.ceiling(limits.min_delay, limits.max_delay, retry) == limits.max_delay then return longest end
    retry, ended = retry + 1, ended + limits.min_delay + latency
  end
  return longest
end

---The longest delay of bounded lateness is where its bound, which grows, meets the time that is left.
local function longest_of_lateness(limits, ended)
  local low, high = ended, limits.max_wait - limits.min_delay
  if low >= high or limits.max_attempts == 1 then return 0 end
  while high - low > 1 do
    local middle = low + (high - low) // 2
    if longest_delay(limits, 1, middle) <= limits.max_wait - middle - limits.min_delay then low = middle else high = middle end
  end
  return math.max(longest_after(limits, 1, low), longest_after(limits, 1, high))
end

---Returns the longest time between a change, before the last poll, and its discovery.
local function worst(limits, latency, first)
  local ended = first + latency
  local longest = limits.lateness and longest_of_lateness(limits, ended) or longest_of_backoff(limits, latency, ended)
  return math.max(first, longest > 0 and longest + latency or 0) + latency
end

---The most streams of random delays that the means are of.
local STREAMS <const> = 1000

---The most polls that are planned one by one.
M.MOST_PLANNED = 20000

---The polls of a wait before it begins. Times are milliseconds.
---@class bide.Schedule
---@field first integer when the first attempt begins
---@field retries bide.PlannedRetry[] with the delays of the seed
---@field complete boolean whether these are all
---@field polls { least: integer, expected: number, most: integer } of a wait that never succeeds
---@field discovery { mean: number, worst: integer } between a change and its discovery; the mean is of a change that is as
---likely at any time before the last poll as at any other

---Plans a wait.
---@param limits bide.Limits
---@param latency integer how long each attempt takes
---@return bide.Schedule
function M.of(limits, latency)
  local schedule = { first = first_attempt(limits), retries = {} }
  schedule.complete = walk(limits, latency, function(retry)
    schedule.retries[#schedule.retries + 1] = retry
    return #schedule.retries < M.MOST_PLANNED
  end) ~= nil
  local least_polls, most_polls = polls(limits, latency)
  local expected, mean = core.schedule.alone(setmetatable({ latency = latency }, { __index = limits }), STREAMS)
  schedule.polls = { least = least_polls, expected = math.min(math.max(expected, least_polls), most_polls), most = most_polls }
  schedule.discovery = { mean = mean, worst = worst(limits, latency, schedule.first) }
  return schedule
end

return M
