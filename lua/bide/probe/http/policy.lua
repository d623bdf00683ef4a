---The send policy: the rate of requests, their retries, and whether equal requests are sent once. A request has one of its
---own, or the operation has one for all of its requests; a rate of the command line overrides both.

local core = require "bide.core"
local option = require "bide.text.option"
local origin = require "bide.probe.http.origin"
local reach = require "bide.probe.asking.reach"
local requests = require "bide.probe.http.request"

local M = {}

---@class bide.SendPolicy
---@field rate bide.RequestRate?
---@field retry bide.RetryPolicy?
---@field share boolean?

local function read_flag(value)
  if type(value) == "boolean" then return value end
  return nil, option.expected("true or false", value)
end

---The reader of each member, which returns its value, or nil and the mistake.
local readers = {
  rate = function(value) return require("bide.probe.http.rate").parse(value) end,
  retry = function(value) return require("bide.probe.asking.retry").read(value) end,
  share = read_flag,
}

---The members of a policy, in the options of a request or beside the `call` of an operation.
M.members = { "rate", "retry", "share" }

---Reads the policy of a request or an operation.
---@param given table
---@return bide.SendPolicy? policy nil if it has none
---@return string? mistake
---@return string? member the wrong one
function M.read(given)
  local policy
  for _, name in ipairs(M.members) do
    if given[name] ~= nil then
      local value, mistake = readers[name](given[name])
      if mistake then return nil, mistake, name end
      policy = policy or {}
      policy[name] = value
    end
  end
  return policy
end

-- ---- what holds ----------------------------------------------------------------------

---True once anything but its own policy may hold for a request. Mostly nothing does, and nothing is looked up.
local is_any = false

---The policies of operations, by the task of the attempt.
local of_task = setmetatable({}, { __mode = "k" })
local any_said, nothing = false, {}
local forced, of_fleet

---Passes the policy of the running task to a task that it started.
local function inherit(child)
  of_task[child] = of_task[core.task.current()]
end

---Sets the policy for all requests of a task, and of the tasks that it starts.
---@param task bide.Task
---@param policy bide.SendPolicy
function M.set(task, policy)
  if not any_said then require("bide.task.script_tasks").at_start(inherit) end
  any_said, is_any = true, true
  of_task[task] = policy
end

---Sets the rate of all requests, whatever their policy.
---@param rate bide.RequestRate|false false: there is none
function M.force_rate(rate)
  forced, is_any = rate, true
end

---Sets the rate of requests to each origin that is not on this machine, if they have no other rate. It is for the many
---waits of one command, which would flood a service.
---@param rate bide.RequestRate
function M.limit_fleet(rate)
  of_fleet, is_any = rate, true
end

---@alias bide.Exchange fun(request: bide.transfer.Request): bide.http.Response

---@class bide.policy.Guard
---@field send fun(self, exchange: bide.Exchange, request: bide.transfer.Request): bide.http.Response

---@type bide.policy.Guard?
local guard

---Has every request sent by a guard, which calls `exchange` when it may be sent.
---@param sender bide.policy.Guard
function M.guard(sender)
  guard, is_any = sender, true
end

---Returns the rate of requests with a policy.
---@param given bide.SendPolicy?
---@param url string
---@param unix_socket string?
---@return bide.RequestRate?
function M.rate_of(given, url, unix_socket)
  if forced ~= nil then return forced or nil end
  if given and given.rate then return given.rate end
  return of_fleet and not unix_socket and not origin.is_loopback(url) and of_fleet or nil
end

local function of_operation()
  return of_task[core.task.current()] or nothing
end

-- ---- sending -------------------------------------------------------------------------

---The functions that send a request past the guard, by those that send it without: there are few of them.
local guarded = {}

local function with_guard(exchange)
  local function send(request) return guard:send(exchange, request) end
  guarded[exchange] = send
  return send
end

---Sends a request at its turn. The answers to a fleet close no bucket: each wait honours its own Retry-After.
local function at_rate(rate, exchange, request)
  local bucket = require("bide.probe.http.rate").bucket_of(rate, request.url, request.unix_socket)
  local sent_at = bucket:enter()
  local response = exchange(request)
  if rate ~= of_fleet then bucket:handle(response, sent_at) end
  return response
end

local function send_once(how, exchange, request)
  if how.rate then return at_rate(how.rate, exchange, request) end
  return exchange(request)
end

local function send(how, exchange, request)
  if not how.share then return send_once(how, exchange, request) end
  local share = require "bide.probe.http.share"
  return share.run(share.key_of(request), function()
    return send_once(how, exchange, request)
  end)
end

---Reports whether a request is for DynamoDB, by its host or by the operation in a header.
local function is_for_dynamodb(request)
  if request.url:find("^%a+://dynamodb%.") then return true end
  local headers = request.headers or {}
  for i = 1, #headers, 2 do
    if headers[i]:lower() == "x-amz-target" then return headers[i + 1]:find("^DynamoDB_") ~= nil end
  end
  return false
end

---Adds the timeouts of a policy for the connection, unless the request has timeouts of its own.
local function with_times(request, policy)
  if not policy.idle_timeout then return request end
  local timed = requests.copy(request)
  timed.connect_timeout = timed.connect_timeout or policy.connect_timeout
  timed.idle_timeout = timed.idle_timeout or policy.idle_timeout
  return timed
end

local function send_again(how, exchange, request)
  local policy = how.retry
  if policy.dynamodb and is_for_dynamodb(request) then policy = policy.dynamodb end
  local timed = with_times(request, policy)
  local quota = policy.has_quota and require("bide.probe.http.quota").of(request) or nil
  return require("bide.probe.asking.retry").run(policy, function()
    return send(how, exchange, timed)
  end, quota)
end

---Reports whether a request is shared. The policy of an operation shares only safe requests; a request may share itself.
local function is_shared(own, operation, method)
  if reach.is_limited() then return false end -- it is sent by another task, which belongs to no attempt
  if own.share ~= nil then return own.share end
  return operation.share and (method == "GET" or method == "HEAD")
end

---Sends a request by its policy. Each try takes a token of its own, and may be shared.
---@param exchange fun(request: bide.transfer.Request): bide.http.Response
---@param request bide.transfer.Request
---@param own bide.SendPolicy? the policy of the request itself
---@return bide.http.Response
function M.send(exchange, request, own)
  if not (own or is_any) then return exchange(request) end
  if guard then exchange = guarded[exchange] or with_guard(exchange) end
  if not (own or forced or any_said) then
    local rate = M.rate_of(nil, request.url, request.unix_socket)
    if rate then return at_rate(rate, exchange, request) end
    return exchange(request)
  end
  local operation = any_said and of_operation() or nothing
  own = own or nothing
  local how = {
    rate = M.rate_of(own.rate and own or operation, request.url, request.unix_socket),
    retry = own.retry or operation.retry, share = is_shared(own, operation, request.method),
  }
  return (how.retry and send_again or send)(how, exchange, request)
end

return M
