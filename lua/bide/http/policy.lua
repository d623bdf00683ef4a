---The send policy: how requests are sent, beyond what they ask: at which rate, how often again, and whether once for all
---who ask the same. A request says it itself, or the operation that sends it does for all of its
---requests; of the rate the command line has the last word.

local core = require "bide.core"
local option = require "bide.option"

local M = {}

---@class bide.SendPolicy
---@field rate bide.RequestRate?
---@field retry bide.RetryPolicy?
---@field share boolean?

local function read_flag(value)
  if type(value) == "boolean" then return value end
  return nil, option.expected("true or false", value)
end

---How each member is read: its value, or nil and the mistake.
local readers = {
  rate = function(value) return require("bide.http.rate").parse(value) end,
  retry = function(value) return require("bide.retry").read(value) end,
  share = read_flag,
}

---The members that say it, in a request's options and beside an operation's `call`.
M.members = { "rate", "retry", "share" }

---Reads what a request or an operation says of it.
---@param given table
---@return bide.SendPolicy? policy nil where it says nothing
---@return string? mistake
---@return string? member the one that is wrong
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

---What operations say, by the task of the attempt. Most often none says anything, and nothing is looked up.
local of_task = setmetatable({}, { __mode = "k" })
local any_said, nothing = false, {}
local forced

---Gives a task that the running one has started its policy.
local function inherit(child)
  of_task[child] = of_task[core.task.current()]
end

---Sets the policy for all requests of a task, and of the tasks that it starts.
---@param task bide.Task
---@param policy bide.SendPolicy
function M.set(task, policy)
  if not any_said then require("bide.tasks").at_start(inherit) end
  any_said = true
  of_task[task] = policy
end

---Sets the rate of all requests, whatever they say.
---@param rate bide.RequestRate
function M.force_rate(rate)
  forced = rate
end

local function of_operation()
  return any_said and of_task[core.task.current()] or nothing
end

-- ---- sending -------------------------------------------------------------------------

local function at_rate(rate, exchange, method, url, prepared)
  local bucket = require("bide.http.rate").bucket_of(rate, url, prepared.unix_socket)
  local sent_at = bucket:enter()
  local response = exchange(method, url, prepared)
  bucket:heed(response, sent_at)
  return response
end

local function send_once(how, exchange, method, url, prepared)
  if how.rate then return at_rate(how.rate, exchange, method, url, prepared) end
  return exchange(method, url, prepared)
end

local function send(how, exchange, method, url, prepared)
  if not how.share then return send_once(how, exchange, method, url, prepared) end
  local share = require "bide.http.share"
  return share.run(share.key_of(method, url, prepared), function()
    return send_once(how, exchange, method, url, prepared)
  end)
end

---DynamoDB is known by its host, or by the operation that is named in a header.
local function is_for_dynamodb(url, prepared)
  if url:find("^%a+://dynamodb%.") then return true end
  local headers = prepared.headers or {}
  for i = 1, #headers, 2 do
    if headers[i]:lower() == "x-amz-target" then return headers[i + 1]:find("^DynamoDB_") ~= nil end
  end
  return false
end

---The times that a policy has for the connection, where the request has none of its own.
local function with_times(prepared, policy)
  if not policy.idle_timeout then return prepared end
  local timed = { connect_timeout = policy.connect_timeout, idle_timeout = policy.idle_timeout }
  for name, value in pairs(prepared) do timed[name] = value end
  return timed
end

local function send_again(how, exchange, method, url, prepared)
  local policy = how.retry
  prepared = with_times(prepared, policy)
  local retries = policy.dynamodb_retries and is_for_dynamodb(url, prepared) and policy.dynamodb_retries
  return require("bide.retry").run(policy, retries or nil, function()
    return send(how, exchange, method, url, prepared)
  end)
end

---An operation's word to share is for what is safe to send once for several; of others the request says it itself.
local function is_shared(own, operation, method)
  if own.share ~= nil then return own.share end
  return operation.share and (method == "GET" or method == "HEAD")
end

---Sends a request by the policy that holds for it. Each try takes a token of its own, and may be shared.
---@param exchange fun(method: string, url: string, prepared: table): bide.http.Response
---@param method string
---@param url string
---@param prepared bide.transfer.Options
---@param own bide.SendPolicy? what the request itself says
---@return bide.http.Response
function M.send(exchange, method, url, prepared, own)
  local operation = of_operation()
  if not (own or forced) and operation == nothing then return exchange(method, url, prepared) end
  own = own or nothing
  local how = {
    rate = forced or own.rate or operation.rate, retry = own.retry or operation.retry,
    share = is_shared(own, operation, method),
  }
  return (how.retry and send_again or send)(how, exchange, method, url, prepared)
end

return M
