---Retries within one attempt, as the SDKs of AWS retry one request. A waiter retries by its acceptors; this is for
---errors that should not reach them. It is off by default.

local again = require "bide.task.again"
local core = require "bide.core"
local date = require "bide.text.http_date"
local duration = require "bide.text.duration"
local operation = require "bide.probe.asking.operation"
local option = require "bide.text.option"
local script_error = require "bide.text.script_error"
local secret = require "bide.text.secret"
local retries = require "bide.task.retries"
local tables = require "bide.text.tables"

---Its function in `bide`.
---@class bide
---@field retry fun(policy: string|bide.RetryOptions, f: fun(...): ...): ...

local set = option.set

local M = {}

-- ---- what is tried again ---------------------------------------------------------------

---botocore's retry policies, except those for statuses and sockets.
local botocore_types = set [[
  ThrottlingException ThrottledException RequestThrottledException Throttling
  ProvisionedThroughputExceededException ]]
local botocore_statuses = { [500] = true, [502] = true, [503] = true, [504] = true, [509] = true, [429] = true }

local clock_skew = set [[
  RequestTimeTooSkewed RequestExpired RequestInTheFuture InvalidSignatureException SignatureDoesNotMatch AuthFailure ]]

local timeouts = set "RequestTimeout Timeout TimeoutError ExecTimeout"

local function is_transient(failure)
  return require("bide.error_class").is_transient(failure)
end

local function of_botocore(failure)
  local error_class = require "bide.error_class"
  return error_class.is_io(failure) or botocore_types[error_class.name_of(failure)] or botocore_statuses[failure.status]
end

local function of_java(failure)
  local error_class = require "bide.error_class"
  return error_class.is_io(failure) or error_class.is_broken_answer(failure) or failure.status == 500 or failure.status == 503
    or error_class.is_throttling(failure) or clock_skew[error_class.name_of(failure)]
end

local function of_javascript(failure)
  local status = math.type(failure.status) and failure.status or 0
  return status >= 500 or status == 429 or timeouts[require("bide.error_class").name_of(failure)]
end

-- ---- policies ---------------------------------------------------------------------------

---A cap above any time that is waited.
local NO_CAP = 10 ^ 12 // 1 | 0

---@class bide.RetryPolicy
---@field retries integer the most tries after the first
---@field dynamodb bide.RetryPolicy? the policy for requests to DynamoDB, if that is another one
---@field is_retryable fun(failure: bide.OperationError): any
---@field first integer the number of the first retry in the strategy's formula
---@field usual bide.Pause
---@field throttled bide.Pause? if the failure is throttling
---@field has_quota boolean? whether the retries of requests to one origin share a quota
---@field retry_after "added"|"at least"|nil how the service's Retry-After changes the pause
---@field connect_timeout integer? milliseconds, if the request gives none
---@field idle_timeout integer? milliseconds, if the request gives none
---@field customBackoff? fun(retryCount: integer): number seconds
---@field clockSkew? fun(offset: number) gets the number of seconds by which the service's clock is ahead

---A strategy with its base and its cap in milliseconds.
---@class bide.Pause
---@field [1] bide.StrategyKind
---@field [2] integer
---@field [3] integer
---@field [4] number? the growth factor; 2 by default

---A preset with changes. Times are in seconds.
---@class bide.RetryOptions
---@field preset string? "standard" by default
---@field retries integer? the most tries after the first
---@field strategy bide.StrategyKind?
---@field base number?
---@field cap number?
---@field growthFactor number? the pause before retry n is by base * growthFactor ^ (n - 1), whatever the preset
---@field retryable (fun(failure: bide.OperationError): any)? which failures are retried
---@field retryAfter boolean? whether the service's Retry-After is honoured: the header, or an error's `retryAfter`
---@field customBackoff (fun(retryCount: integer): number)? the pause before a retry, from 1
---@field clockSkew (fun(offset: number))? gets the number of seconds by which the service's clock is ahead

---@type bide.RetryPolicy
local java = {
  retries = 3, is_retryable = of_java, first = 0,
  usual = { "fullJitter", 100, 20000 }, throttled = { "equalJitter", 500, 20000 },
  connect_timeout = 10000, idle_timeout = 50000,
}

---@type bide.RetryPolicy
local javascript = {
  retries = 3, is_retryable = of_javascript, first = 1, usual = { "fullJitter", 100, NO_CAP }, retry_after = "added",
}

---The SDKs name those for DynamoDB: DYNAMODB_DEFAULT in PredefinedRetryPolicies of Java, numRetries in JavaScript.
---@type table<string, bide.RetryPolicy>
M.presets = {
  none = { retries = 0, is_retryable = function() return false end, first = 0, usual = { "fullJitter", 1, 1 } },
  standard = {
    retries = 2, is_retryable = is_transient, first = 0,
    usual = { "fullJitter", 1000, 20000 }, retry_after = "at least", has_quota = true,
  },
  botocore = { retries = 4, is_retryable = of_botocore, first = 1, usual = { "randomBase", 1000, NO_CAP } },
  ["aws-java"] = tables.merged(java, { dynamodb = tables.merged(java, { retries = 10, usual = { "fullJitter", 25, 20000 } }) }),
  ["aws-js"] = tables.merged(javascript, { dynamodb = tables.merged(javascript, { retries = 10 }) }),
}

local growth = { "a number of at least 1", function(value)
  return math.type(value) ~= nil and value >= 1 and value < math.huge
end }

local kinds = {
  growthFactor = growth,
  preset = option.kinds.text, retries = option.kinds.count, base = option.kinds.seconds, cap = option.kinds.seconds,
  strategy = option.one_of { "exponential", "fullJitter", "equalJitter", "decorrelatedJitter", "randomBase" },
  retryable = option.kinds.callable, customBackoff = option.kinds.callable, clockSkew = option.kinds.callable,
  retryAfter = option.kinds.flag,
}

---@return bide.RetryPolicy?
---@return string? mistake
local function find_preset(name)
  if M.presets[name] then return M.presets[name] end
  local names = option.sorted_names(M.presets)
  return nil, option.expected(option.one_of(names)[1] .. ", or a table", name, names)
end

---Returns the time that a table gives, or else the preset's.
local function given_time(seconds, otherwise)
  return seconds and math.min(duration.of_seconds(seconds) or NO_CAP, NO_CAP) or otherwise
end

local function with_cap(pause, cap)
  return pause and { pause[1], pause[2], math.max(cap, pause[2]), pause[4] }
end

local function with_growth(pause, factor)
  return pause and { pause[1], pause[2], pause[3], factor }
end

---Changes the pauses of a policy. A given strategy or base holds for throttling too; a cap alone bounds both.
local function change_pause(policy, given)
  local kind, base, cap = table.unpack(policy.usual)
  cap = given_time(given.cap, cap)
  policy.usual = with_cap({ given.strategy or kind, given_time(given.base, base) }, cap)
  policy.throttled = not (given.strategy or given.base) and with_cap(policy.throttled, cap) or nil
end

---Lets the pauses of a policy grow by a factor. As in botocore's formula, the first one is the base itself; the strategy
---randomBase counts from 1 for that.
local function change_growth(policy, factor)
  policy.usual, policy.throttled = with_growth(policy.usual, factor), with_growth(policy.throttled, factor)
  policy.first = policy.usual[1] == "randomBase" and 1 or 0
end

---Returns a preset with the changes that a table gives beside its name.
local function change(preset, given)
  local policy = tables.merged(preset, { dynamodb = preset.dynamodb and change(preset.dynamodb, given) })
  if given.strategy or given.base or given.cap then change_pause(policy, given) end
  if given.growthFactor then change_growth(policy, given.growthFactor) end
  policy.retries = math.tointeger(given.retries) or policy.retries
  if given.retryAfter ~= nil then policy.retry_after = given.retryAfter and (preset.retry_after or "at least") or nil end
  policy.is_retryable = given.retryable or policy.is_retryable
  policy.customBackoff, policy.clockSkew = given.customBackoff, given.clockSkew
  return policy
end

---Reads a policy: the name of a preset, or a table that changes one.
---@param given any
---@return bide.RetryPolicy? policy
---@return string? mistake
function M.read(given)
  if type(given) ~= "table" then return find_preset(given) end
  local mistake = option.check(given, kinds)
  if mistake then return nil, mistake end
  local preset
  preset, mistake = find_preset(given.preset or "standard")
  if not preset then return nil, mistake end
  if given.growthFactor and (given.strategy or preset.usual[1]) == "decorrelatedJitter" then
    return nil, "growthFactor: decorrelatedJitter has none, since each pause depends on the one before"
  end
  return change(preset, given)
end

-- ---- one run of a policy ------------------------------------------------------------------

---@class bide.Retrying
---@field policy bide.RetryPolicy
---@field count integer the number so far
---@field quota bide.http.Quota? nil if nothing but the policy bounds the retries
local Retrying = {}
Retrying.__index = Retrying

local function pause_of(retrying, failure)
  local policy = retrying.policy
  local kind = policy.throttled and require("bide.error_class").is_throttling(failure) and "throttled" or "usual"
  retrying[kind] = retrying[kind] or require("bide.probe.asking.strategy").new(table.unpack(policy[kind], 1, 4))
  return retrying[kind]:delay(policy.first + retrying.count - 1)
end

local function custom_pause(policy, count)
  local seconds = policy.customBackoff(count)
  if type(seconds) ~= "number" or seconds ~= seconds then
    error("customBackoff: " .. option.expected("a number of seconds", seconds), 0)
  end
  return duration.of_seconds(math.min(math.max(seconds, 0), 1e9))
end

---Returns the time until the next try, by the policy and by the request of the service, which an error has that was raised
---as well as that of a response.
local function delay_of(retrying, failure)
  local policy = retrying.policy
  local pause = policy.customBackoff and custom_pause(policy, retrying.count) or pause_of(retrying, failure)
  local asked = policy.retry_after and operation.wish_of(failure.retryAfter)
  if not asked then return pause end
  return policy.retry_after == "added" and pause + asked or math.max(pause, asked)
end

---Reports by how much the service's clock is ahead, from the date of its answer.
local function tell_clock_skew(policy, failure, headers)
  local is_skewed = policy.clockSkew and clock_skew[require("bide.error_class").name_of(failure)]
  local at = is_skewed and date.read(headers and headers.date)
  if at then policy.clockSkew(at - core.loop.wall() / 1000) end
end

---Decides whether, and when, a failed try is followed by another one.
---@param failure bide.OperationError
---@param headers table<string, string>? of the response that it was
---@return integer? milliseconds nil if it was the last
function Retrying:next_delay(failure, headers)
  local policy = self.policy
  if self.count >= policy.retries or failure.repeatable == false then return nil end
  if not policy.is_retryable(failure) then return nil end
  local lack = self.quota and self.quota:take(failure)
  if lack then
    retries.note(lack)
    return nil
  end
  self.count = self.count + 1
  tell_clock_skew(policy, failure, headers)
  return delay_of(self, failure)
end

---@param policy bide.RetryPolicy
---@param quota bide.http.Quota?
---@return bide.Retrying
function M.begin(policy, quota)
  return setmetatable({ policy = policy, count = 0, quota = quota }, Retrying)
end

---Returns the failure of a try, which was raised or is a response, and its headers.
local function failure_of(ok, value)
  if not ok then
    if not script_error.is_operation_error(value) then error(value, 0) end
    return script_error.plain_operation_error(value)
  end
  if operation.is_response(value) then return value:operation_error(), value.headers end
end

---Puts the last error into the note of the attempt, which has no error of its own if it is cut between retries.
local function remark_on(failure)
  local message = type(failure.message) == "string" and secret.before_cut(failure.message) or ""
  local label = require("bide.error_class").label(failure)
  retries.remark(("the last error was %s%s"):format(label, message ~= "" and ": " .. message or ""))
end

---Returns the results of the last try, or raises its error.
local function conclude(count, ok, value, ...)
  retries.remark(nil)
  if not ok then
    script_error.pass_out_of_memory(value)
    error(retries.with_tries(value, count + 1), 0)
  end
  if operation.is_response(value) then retries.remember(value, count + 1) end
  return value, ...
end

---Calls f until it succeeds or the policy gives up.
---@param policy bide.RetryPolicy
---@param f fun(): ...
---@param quota bide.http.Quota? of the retries
---@return any ... what f returned; a response that is an error is returned as well
function M.run(policy, f, quota)
  local retrying = M.begin(policy, quota)
  return again(function()
    local results = table.pack(xpcall(f, script_error.explain))
    local failure, headers = failure_of(results[1], results[2])
    local delay = failure and retrying:next_delay(failure, headers)
    if quota and not failure then quota:give() end
    if not delay then return nil, conclude(retrying.count, table.unpack(results, 1, results.n)) end
    retries.add_retry()
    remark_on(failure)
    return delay
  end)
end

---Calls f(...), and calls it again as long as it fails and the policy allows another try. It fails by raising an
---operation error, or by returning a response that is one.
---@param policy string|bide.RetryOptions
---@param f fun(...): ...
---@return any ... what f returned
function M.retry(policy, f, ...)
  local read, mistake = M.read(policy)
  if not read then error("bide.retry: " .. mistake, 2) end
  if type(f) ~= "function" then error("bide.retry: " .. option.expected("a function", f), 2) end
  local arguments = table.pack(...)
  return M.run(read, function() return f(table.unpack(arguments, 1, arguments.n)) end)
end

return M
