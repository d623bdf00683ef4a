---Makes pollers, which call a function repeatedly until its condition is met, without a service: above all for tests.
---
---    local bide = require "bide"
---    local click = assert(bide.poller(function() return clicks.most_recent() end):poll())

local again = require "bide.task.again"
local core = require "bide.core"
local duration = require "bide.text.duration"
local option = require "bide.text.option"

---Its function in `bide`.
---@class bide
---@field poller fun(f: fun(poller: bide.Poller): any, options: table?): bide.Poller

local json = core.json

local DEFAULT_MAX_ATTEMPTS = 5
local DEFAULT_DELAY = 0.01 -- seconds, times the number of the attempt

---@class bide.PollerAttempt
---@field number integer from 1
---@field delayBefore number seconds
---@field value any the result of the function
---@field fulfilled boolean

---@class bide.Poller
---@field attempts bide.PollerAttempt[]
---@field attemptNum integer the number of attempts made
---@field attemptsLeft number? the number of attempts left; nil if a function decides
---@field fulfilled boolean
---@field nextDelay number? seconds until the next attempt; nil if there is none
---@field totalDelay number seconds
---@field value any of the last attempt
local Poller = {}
local class = { __index = Poller }

---@alias bide.PollerStatus "ok"|"attempt_failed"|"retries_exhausted"

---Reads the results of the function: `true`, `true, value` or any other value meets the condition; `false`, `nil` and
---`nil, value` do not, nor does JSON's null. A value that is false or null comes after `true`.
local function read_answer(answer, value)
  if answer == nil or answer == false then return false, value end
  if answer == json.null then return false, value == nil and answer or value end
  if answer == true then return true, value end
  return true, answer
end

local function attempts_left(bound, count)
  if type(bound) ~= "number" then return nil end
  return math.tointeger(bound - count) or bound
end

---@param poller bide.Poller
local function may_retry(poller)
  local bound = poller.maxAttempts
  if type(bound) == "number" then return poller.attemptNum < bound end
  local answer = bound(poller) or false
  if answer == true or answer == false then return answer end
  error("bide.poller: maxAttempts: " .. option.expected("true or false", answer), 0)
end

local function delay_of(poller)
  local delay = poller.delay
  if type(delay) == "function" then delay = delay(poller) end
  local mistake = option.mistake(delay, option.kinds.delay)
  if mistake then error("bide.poller: delay: " .. mistake, 0) end
  return delay
end

---Makes one attempt, for callers with a loop of their own. After "attempt_failed" the next one is due in `nextDelay`
---seconds. After the end of the poller, does not call the function.
---@return bide.PollerStatus
function Poller:once()
  if self.fulfilled then return "ok" end
  if self.attemptNum > 0 and not self.nextDelay then return "retries_exhausted" end
  local before = self.nextDelay or 0
  self.fulfilled, self.value = read_answer(self.f(self))
  self.attemptNum, self.totalDelay = self.attemptNum + 1, self.totalDelay + before
  self.attemptsLeft = attempts_left(self.maxAttempts, self.attemptNum)
  self.attempts[self.attemptNum] = {
    number = self.attemptNum, delayBefore = before, value = self.value, fulfilled = self.fulfilled,
  }
  self.nextDelay = nil
  if self.fulfilled then return "ok" end
  if not may_retry(self) then return "retries_exhausted" end
  self.nextDelay = delay_of(self)
  return "attempt_failed"
end

---Polls until the condition is met or the attempts are used up.
---@return any value `true` if it is nil; nil if the condition was never met
---@return bide.Poller poller for assert to raise, with the whole history as its text; its `fulfilled` distinguishes
---a value that is false from a failure
function Poller:poll()
  again(function() return self:once() == "attempt_failed" and duration.of_seconds(self.nextDelay) or nil end)
  if not self.fulfilled then return nil, self end
  if self.value == nil then return true, self end
  return self.value, self
end

local function describe(value)
  return value == nil and "nil" or json.encode(value) or tostring(value)
end

local function seconds(number)
  return (("%.3f"):format(number):gsub("%.?0+$", ""))
end

---Returns the history: "Tried 5 times over 0.1 s, but the condition was never met", and every attempt.
function class:__tostring()
  local times = self.attemptNum == 1 and "once" or self.attemptNum .. " times"
  local verdict = self.fulfilled and "the condition was met" or "but the condition was never met"
  local lines = { ("Tried %s over %s s, %s"):format(times, seconds(self.totalDelay), verdict) }
  for _, attempt in ipairs(self.attempts) do
    lines[#lines + 1] = ("  attempt %d, after a delay of %s s: %s, value %s"):format(attempt.number,
      seconds(attempt.delayBefore), attempt.fulfilled and "fulfilled" or "not fulfilled", describe(attempt.value))
  end
  return table.concat(lines, "\n")
end

local kinds = { delay = option.kinds.number_or_function, maxAttempts = option.kinds.number_or_function }

local function check_options(options)
  local mistake, bound, delay = option.check(options, kinds), options.maxAttempts, options.delay
  if mistake then return mistake end
  if type(bound) == "number" and (bound ~= bound or bound < 1 or (bound ~= math.huge and bound % 1 ~= 0)) then
    return "maxAttempts: " .. option.expected("a whole number above 0 or math.huge", bound)
  end
  mistake = type(delay) == "number" and option.mistake(delay, option.kinds.delay)
  return mistake and "delay: " .. mistake or nil
end

---Makes a poller, without calling the function yet.
---@param f fun(poller: bide.Poller): any returns `true`, a value, `false`, `nil` or `nil, value`
---@param options? { delay: number|fun(poller: bide.Poller): number, maxAttempts: number|fun(poller: bide.Poller): boolean }
---@return bide.Poller
return function(f, options)
  options = options or {}
  if type(f) ~= "function" then error("bide.poller: " .. option.expected("a function", f), 2) end
  local mistake = check_options(options)
  if mistake then error("bide.poller: " .. mistake, 2) end
  local bound = options.maxAttempts or DEFAULT_MAX_ATTEMPTS
  return setmetatable({
    f = f, maxAttempts = bound, attemptsLeft = attempts_left(bound, 0),
    delay = options.delay or function(poller) return poller.attemptNum * DEFAULT_DELAY end,
    attempts = {}, attemptNum = 0, totalDelay = 0, fulfilled = false,
  }, class)
end
