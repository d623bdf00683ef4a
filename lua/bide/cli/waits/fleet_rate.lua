---The rate of a fleet's requests to one remote origin, which holds unless a recipe or --rate says otherwise, and the
---warning that it leaves too little time to ask every wait twice.

local duration = require "bide.text.duration"
local origins = require "bide.probe.http.origin"
local policy = require "bide.probe.http.policy"
local rates = require "bide.probe.http.rate"
local shown = require "bide.text.shown"

local M = {}

---The most waits that are asked as fast as their delays have it.
local FEW = 10

local DEFAULT = "100/s"

---Returns the input of a waiter that is the address of its requests; nil if none is declared.
---@param waiter bide.Waiter
---@return string?
local function member_of(waiter)
  for name, member in pairs(waiter.inputs or {}) do
    if member.origin == true then return name end
  end
end

---Returns the URL to which a wait sends its requests, unless that is a Unix socket.
---@param one bide.PreparedWait
---@param member string of its input
---@return string?
local function url_of(one, member)
  local input = one.input:value()
  local text = type(input) == "table" and not input.unix and input[member]
  if type(text) == "string" then return text:find "://" and text or "http://" .. text end
end

---@class bide.cli.Crowd
---@field host string
---@field rate bide.RequestRate
---@field count integer the waits that have it

---Returns how many waits share each rate to each origin.
---@param prepared bide.PreparedWait[]
---@return bide.cli.Crowd[] in the order in which they are found
local function crowds_of(prepared)
  local crowds, known, members = {}, {}, {}
  for _, one in ipairs(prepared) do
    local waiter = one.waiter
    if members[waiter] == nil then members[waiter] = member_of(waiter) or false end
    local url = members[waiter] and url_of(one, members[waiter])
    local rate = url and policy.rate_of(waiter.policy, url)
    if rate then
      local origin = origins.of(url)
      local key = ("%d/%d %s"):format(rate.count, rate.period, origin)
      if not known[key] then
        known[key] = { host = origins.shown(origin), rate = rate, count = 0 }
        crowds[#crowds + 1] = known[key]
      end
      known[key].count = known[key].count + 1
    end
  end
  return crowds
end

---Returns the time that two requests of each wait take, in milliseconds; the first ones may go at once.
---@param crowd bide.cli.Crowd
---@return integer
local function time_of_two(crowd)
  local later = math.max(2 * crowd.count - crowd.rate.burst, 0)
  return (later * crowd.rate.interval + crowd.rate.tokens - 1) // crowd.rate.tokens
end

---@param crowd bide.cli.Crowd
---@param max_wait integer
local function warn(crowd, max_wait)
  shown.warn(("%d waits for %s, at %s, take %s to be asked twice, longer than --max-wait %s; --rate sets another rate, "
    .. "--rate none lifts it"):format(crowd.count, crowd.host, rates.describe(crowd.rate),
    duration.format(time_of_two(crowd)), duration.argument(max_wait)))
end

---Limits the requests of many waits, and warns before they begin if they cannot all be asked twice. Waits of one command
---have one max wait.
---@param prepared bide.PreparedWait[]
---@param is_rate_given boolean whether the command line has a rate
function M.apply(prepared, is_rate_given)
  if #prepared <= FEW then return end
  if not is_rate_given then policy.limit_fleet(assert(rates.parse(DEFAULT))) end
  local max_wait = prepared[1].limits.max_wait
  for _, crowd in ipairs(crowds_of(prepared)) do
    if time_of_two(crowd) > max_wait then warn(crowd, max_wait) end
  end
end

return M
