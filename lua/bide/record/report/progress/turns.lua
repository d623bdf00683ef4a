---Finds out what waits are doing: whether they sleep, ask, or wait for their turn, at the gate of --jobs or in the line
---of a rate.

local core = require "bide.core"
local duration = require "bide.text.duration"

local M = {}

---The rates, if any request has had one.
local function rates()
  return package.loaded["bide.probe.http.rate"]
end

---@param wait bide.Wait that has not ended
---@return "queued"|"asking"|"sleeping"
function M.state_of(wait)
  if wait.place then return "queued" end
  if not wait.task then return wait:made() == 0 and "queued" or "sleeping" end
  local rate = rates()
  return rate and rate.is_in_line(wait.task) and "queued" or "asking"
end

---Says why an attempt has ended without an answer.
---@param wait bide.Wait
---@return string
function M.words_of_cut(wait)
  if wait.script_error then return "a script error" end
  return core.loop.now() >= wait.state:deadline() and "cut off at the deadline" or "cancelled"
end

---Says what Retry-After has to do with the delay after the last attempt.
---@param wait bide.Wait
---@param delay integer? milliseconds
---@return string? words "as Retry-After asks"; nil if it asks for nothing, or for less
function M.words_of_wish(wait, delay)
  local wish = wait.wish
  if not (wish and delay) or wish < delay or wait.limits.retry_after_cap == 0 then return nil end
  return wish == delay and "as Retry-After asks" or "Retry-After asks for " .. duration.format(wish)
end

---@return integer count of requests in the lines of all rates
function M.in_lines()
  local rate = rates()
  return rate and rate.count_in_lines() or 0
end

return M
