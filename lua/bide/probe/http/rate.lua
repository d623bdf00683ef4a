---Limits the rate of requests to a host, by a bucket of tokens for each host and rate, which all requests of the process
---share. Requests wait in line for a token, in the order of their arrival; one that is cut or cancelled leaves the line
---and takes none. Each bucket has one alarm, however many requests wait.
---
---If a host reports too many requests, its bucket gives out no tokens until the time in its Retry-After. Without one, the
---pause is random between half a second and a second (equal jitter), and doubles each time, up to a minute. Every
---successful answer takes one doubling back. Answers to requests from before the pause do not count, so that one overload
---counts once, however many requests were in flight.

local core = require "bide.core"
local duration = require "bide.text.duration"
local error_class = require "bide.error_class"
local line = require "bide.task.line"
local option = require "bide.text.option"
local origin = require "bide.probe.http.origin"
local retry_after = require("bide.text.http_date").retry_after
local retries = require "bide.task.retries"
local strategy = require "bide.probe.asking.strategy"
local token_bucket = require "bide.probe.asking.token_bucket"

local loop, task = core.loop, core.task

local M = {}

local FIRST_PAUSE, LONGEST_PAUSE = 1000, 60000 -- milliseconds
local MOST = 1000000                           -- requests in a period
local LONGEST_PERIOD = 366 * 86400000          -- so that no product overflows
local SHORTEST_INTERVAL = 10                   -- milliseconds; an alarm that rings late is late by less
local COARSENESS = 100                         -- a rate is at most one part in 100 lower than required

-- ---- the grammar -------------------------------------------------------------------

---@class bide.RequestRate
---@field tokens integer added with each interval
---@field interval integer milliseconds
---@field burst integer the most tokens that are saved up
---@field count integer as it was given: N requests …
---@field period integer … in N milliseconds

---Returns the tokens of an interval: as few as the shortest interval allows, so that requests are spread evenly, and never
---above the rate.
local function spread(count, period)
  local times = (SHORTEST_INTERVAL + period - 1) // period -- 5/ms is 50/10ms
  count, period = count * times, period * times
  for tokens = (SHORTEST_INTERVAL * count + period - 1) // period, count do
    local interval = (tokens * period + count - 1) // count
    if (interval * count - tokens * period) * COARSENESS <= tokens * period then return tokens, interval end
  end
end

local function read_count(text)
  local count = math.tointeger(tonumber(text))
  return count and count >= 1 and count <= MOST and count or nil
end

local function read(text)
  local count, period, rest = text:match("^(%d+)/([^,]+)(.*)$")
  count = count and read_count(count)
  period = count and duration.parse(period:find("^%a") and "1" .. period or period)
  local burst = rest == "" and 1 or rest and read_count(rest:match("^,burst=(%d+)$"))
  if not (period and burst) or period > LONGEST_PERIOD then return nil end
  local tokens, interval = spread(count, period)
  return { tokens = tokens, interval = interval, burst = math.max(burst, tokens), count = count, period = period }
end

---Reads `5/s`, `100/m`, `1/2s`, `5/s,burst=10`.
---@param text any
---@return bide.RequestRate?
---@return string? mistake
function M.parse(text)
  local rate = type(text) == "string" and read(text)
  if rate then return rate end
  return nil, option.expected("a rate such as 5/s, 100/m, 1/2s or 5/s,burst=10", text)
end

local periods = { [1000] = "a second", [60000] = "a minute", [3600000] = "an hour" }

---Describes a rate: `100 requests a second`, `1 request in 2 s`.
---@param rate bide.RequestRate
---@return string
function M.describe(rate)
  return ("%d %s %s"):format(rate.count, rate.count == 1 and "request" or "requests",
    periods[rate.period] or "in " .. duration.format(rate.period))
end

-- ---- a bucket ----------------------------------------------------------------------

---@class bide.HostBucket
---@field host string its origin
---@field rate bide.RequestRate
---@field tokens bide.OwnedBucket
---@field line bide.Line of wakers
---@field closed_until integer the time before which there are no tokens
---@field cooled_at integer the time of the last overload
---@field overloads integer the recent overloads, which decide the length of the next pause
local Bucket = {}
Bucket.__index = Bucket

---Admits requests from the line as long as there are tokens, and sets the alarm for the next token.
local function ring(bucket)
  local now = loop.update()
  while bucket.line.count > 0 do
    if now < bucket.closed_until then return bucket.alarm:start(bucket.closed_until) end
    local taken, next_at = bucket.tokens:take(now)
    if not taken then return bucket.alarm:start(next_at) end
    bucket.line:next()()
  end
end

---Sends what is in line and has a token now. Called where tokens come from outside, of which the bucket cannot know.
function Bucket:admit()
  if self.line.count > 0 then ring(self) end
end

---@param rate bide.RequestRate
---@param host string
---@param tokens? { take: fun(self: any, now: integer): boolean?, integer? } where they come from; nil: added at the rate
---@return bide.HostBucket
function M.bucket(rate, host, tokens)
  local figures = { refillRate = rate.tokens, interval = rate.interval, burstLimit = rate.burst }
  return setmetatable({
    host = host, rate = rate, line = line.new(), closed_until = 0, cooled_at = math.mininteger, overloads = 0,
    tokens = tokens or token_bucket.new(figures, loop.update()),
  }, Bucket)
end

---The tasks that wait for a token.
---@type table<bide.Task|false, boolean>
local in_line = setmetatable({}, { __mode = "k" })

---A place in the line, which is left when the request is sent or its task ends.
local Place = {}
function Place.__close(place)
  local bucket = place.bucket
  in_line[place.task or false] = nil
  if bucket.line:leave(place.number) then
    retries.remark("ended in the line before " .. bucket.host)
    retries.queue(("%s to %s"):format(M.describe(bucket.rate), origin.shown(bucket.host)))
  else
    retries.queue(false)
  end
  if bucket.line.count == 0 then bucket.alarm:stop() end
end

---Waits for a token.
---@return integer at the time of that, on the loop's clock
function Bucket:enter()
  local waker = task.waker()
  self.alarm = self.alarm or loop.alarm(ring, self)
  local _place <close> = setmetatable({
    bucket = self, number = self.line:join(waker), task = task.current(),
  }, Place)
  in_line[_place.task or false] = true -- there is no task outside of all of them
  if self.line.count == 1 then ring(self) end
  task.pause(waker)
  return loop.now()
end

---The strategy of all buckets, since a pause does not depend on the one before.
local pauses = strategy.new("equalJitter", FIRST_PAUSE, LONGEST_PAUSE)

local function cool_down(bucket, seconds)
  local pause = duration.of_seconds(seconds) or pauses:delay(bucket.overloads)
  local now = loop.update()
  bucket.closed_until = math.max(bucket.closed_until, now + pause)
  bucket.cooled_at = now
end

---Handles the answer to a request that was sent at some time. During a pause, only a longer Retry-After counts.
---@param response bide.http.Response
---@param sent_at integer on the loop's clock
function Bucket:handle(response, sent_at)
  local is_news = sent_at >= self.cooled_at
  local failure = response:operation_error()
  if failure and error_class.is_throttling(failure) then
    local seconds = retry_after(response.headers)
    if seconds or is_news then cool_down(self, seconds) end
    if is_news then self.overloads = self.overloads + 1 end
  elseif is_news and response.status < 500 then
    self.overloads = math.max(self.overloads - 1, 0)
  end
end

-- ---- all buckets -------------------------------------------------------------------

local buckets = {}

---Reports whether a task waits for a token.
---@param of_attempt bide.Task
---@return boolean
function M.is_in_line(of_attempt)
  return in_line[of_attempt] or false
end

---@return integer count of the requests that wait for a token
function M.count_in_lines()
  local count = 0
  for _, bucket in pairs(buckets) do count = count + bucket.line.count end
  return count
end

---@type (fun(rate: bide.RequestRate, host: string): bide.HostBucket?)?
local shared

---Sets where the buckets are that this process shares with others.
---@param find fun(rate: bide.RequestRate, host: string): bide.HostBucket? returns nil for one that is not shared
function M.share(find)
  shared = find
end

---Returns the bucket of a request.
---@param rate bide.RequestRate
---@param url string
---@param unix_socket string?
---@return bide.HostBucket
function M.bucket_of(rate, url, unix_socket)
  local host = origin.of(url, unix_socket)
  local of_all = shared and shared(rate, host)
  if of_all then return of_all end
  local key = ("%d/%d/%d %s"):format(rate.tokens, rate.interval, rate.burst, host)
  buckets[key] = buckets[key] or M.bucket(rate, host)
  return buckets[key]
end

return M
