---The pace at which all workers of a store ask a host together. A request with a rate needs a slot, a time of the store that
---is reserved for it; slots are reserved as requests come, at most a second ahead. One that could not be used in time is
---given up, so that a worker that stood still does not send in a burst what it has missed. A host that asks for a pause is
---closed for all workers: each of them reads the closed hosts every second.

local await = require "bide.task.await"
local core = require "bide.core"
local error_class = require "bide.error_class"
local held_turns = require "bide.record.worker.held_turns"
local origin = require "bide.probe.http.origin"
local rates = require "bide.probe.http.rate"
local retry_after = require("bide.text.http_date").retry_after

local loop, task = core.loop, core.task

local M = {}

---In milliseconds: by how much a slot may be missed, at least and at most, half a gap between these; between two reads of
---closed hosts; the pause before a reservation that was refused is tried again, at least; the pause of a host that does not
---say how long.
local LEAST_LATE, MOST_LATE, CLOSED, AGAIN, PAUSE = 5, 100, 1000, 50, 1000

---In milliseconds: the time for which a reservation may be ahead, and in which an answer is expected at the latest.
local AHEAD, LONGEST_LEAD = 1000, 500

-- ---- the slots of a host -----------------------------------------------------------------------

---The slots of one host that are reserved and were not used.
---@class bide.worker.Slots
---@field queue string
---@field host string
---@field key string of both
---@field gap integer microseconds, as the rate says
---@field burst integer
---@field late integer milliseconds by which one may be missed
---@field lead integer milliseconds in which the next reservation will be answered, as far as is known
---@field times integer[] on the loop's clock
---@field first integer the place of the next one
---@field free integer what the last reservation has left free
---@field last integer how many it has granted: before them may be those of others
---@field apart integer microseconds between these: the gap of the slowest worker
---@field try_at integer before which no reservation is tried again
---@field bucket bide.HostBucket
---@field pace bide.worker.Pace
local Slots = {}
Slots.__index = Slots

---@return integer count of the slots that are left
function Slots:left()
  return #self.times - self.first + 1
end

---Takes the next slot; gives up those that were missed, and all of a host that is closed.
---@param now integer
---@return boolean taken
---@return integer? next_at
function Slots:take(now)
  local closed_until = self.pace.closed[self.key] or 0
  if now < closed_until then
    self.times, self.first = {}, 1
    return false, closed_until
  end
  while self:left() > 0 and now > self.times[self.first] + self.late do self.first = self.first + 1 end
  local at = self.times[self.first]
  if at and at <= now then
    self.first = self.first + 1
    return true
  end
  if self.bucket.line.count > self:left() then self.pace:wake() end
  return false, at or now + AHEAD
end

---Adds what was reserved. What was saved up is sent once the answer was expected. None is moved if that comes later: the slots
---behind it may be those of other workers.
---@param granted bide.record.Slots
---@param first integer on the loop's clock
function Slots:add(granted, first)
  local sent = first + (granted.clock - granted.first) // 1000
  self.free, self.last, self.apart = granted.free, granted.granted, granted.gap
  if self:left() == 0 then self.times, self.first = {}, 1 end
  for number = 0, granted.granted - 1 do
    local at = first + (number * granted.gap + 999) // 1000
    self.times[#self.times + 1] = math.max(at, sent + self.lead)
  end
  local took = loop.update() - sent
  self.lead = math.max(0, math.min(math.max(took, (3 * self.lead + took) // 4), LONGEST_LEAD))
end

-- ---- the pace of a worker ------------------------------------------------------------------------

---@class bide.worker.Pace : bide.policy.Guard
---@field worker bide.Worker
---@field hosts table<string, bide.HostBucket> by queue, host and rate
---@field slots bide.worker.Slots[]
---@field closed table<string, integer> the times until which hosts are closed, on the loop's clock, by queue and host
---@field closing bide.record.ClosedHost[] what the store does not know yet
---@field is_used boolean whether a request was sent
---@field is_woken boolean whether something came while the task was at work
---@field read_at integer when closed hosts are read next
local Pace = {}
Pace.__index = Pace

---Returns the queue of the wait whose attempt is running; nil outside of attempts.
---@param pace bide.worker.Pace
local function queue_of_attempt(pace)
  local wait = task.argument_of_attempt()
  return wait and wait.has_turns and held_turns.queue_of(pace.worker, wait.key) or nil
end

---Lets the task of the pace continue.
function Pace:wake()
  local waker = self.waker
  self.waker, self.is_woken = nil, true
  if waker then waker() end
end

---Returns the bucket of a host, whose tokens are slots.
---@param rate bide.RequestRate
---@param host string
---@return bide.HostBucket? bucket nil outside of attempts
function Pace:bucket(rate, host)
  local queue = queue_of_attempt(self)
  if not queue then return nil end
  local key = ("%s %d/%d/%d %s"):format(queue, rate.tokens, rate.interval, rate.burst, host)
  if self.hosts[key] then return self.hosts[key] end
  local gap = (rate.interval * 1000 + rate.tokens - 1) // rate.tokens
  local slots = setmetatable({
    queue = queue, host = host, key = queue .. " " .. host, gap = gap, burst = rate.burst, times = {},
    first = 1, free = 0, last = 0, apart = gap, lead = 0, try_at = 0, pace = self,
    late = math.max(LEAST_LATE, math.min(gap // 2000, MOST_LATE)),
  }, Slots)
  slots.bucket = rates.bucket(rate, host, slots)
  self.hosts[key] = slots.bucket
  self.slots[#self.slots + 1] = slots
  return slots.bucket
end

---@return string key of the host of a request in a queue
---@return string host
local function key_of(queue, request)
  local host = origin.of(request.url, request.unix_socket)
  return queue .. " " .. host, host
end

---Notes that a service asked for a pause.
---@param seconds? number
local function close(pace, queue, request, seconds)
  local key, host = key_of(queue, request)
  local pause = math.min(seconds and math.floor(seconds * 1000) or PAUSE, 600000)
  pace.closed[key] = math.max(pace.closed[key] or 0, loop.update() + pause)
  pace.closing[#pace.closing + 1] = { queue = queue, host = host, closed_until = pace.worker.clock:now() + pause * 1000 }
  pace:wake()
end

---Reports whether an answer asks for a pause, which all workers grant.
---@param response bide.http.Response
---@return boolean
---@return number? seconds
local function asks_for_pause(response)
  local failure = response:operation_error()
  if not failure then return false end
  local seconds = retry_after(response.headers)
  return error_class.is_throttling(failure) or response.status == 429 or response.status == 503 and seconds ~= nil, seconds
end

---@param key string
local function await_open(pace, key)
  while pace.closed[key] and loop.update() < pace.closed[key] do await(pace.closed[key]) end
end

---Sends a request once its host is open.
---@param exchange bide.Exchange
---@param request bide.transfer.Request
---@return bide.http.Response
function Pace:send(exchange, request)
  local has_closed <const> = next(self.closed) ~= nil
  local queue = (has_closed or not self.is_used) and queue_of_attempt(self)
  if queue and not self.is_used then
    self.is_used = true
    self:wake()
  end
  if queue and has_closed then await_open(self, key_of(queue, request)) end
  local response = exchange(request)
  if response.ok then return response end
  queue = queue_of_attempt(self)
  local is_asked, seconds = asks_for_pause(response)
  if queue and is_asked then close(self, queue, request, seconds) end
  return response
end

-- ---- the task ------------------------------------------------------------------------------------

---Reserves as many slots as requests are in line without one. A worker that knows the store's clock only by slow answers would
---use them beside those of others.
---@param slots bide.worker.Slots
local function reserve(pace, slots)
  local worker, before = pace.worker, loop.update()
  if not worker.clock.is_near then
    slots.try_at = before + AGAIN
    return
  end
  local granted = worker.me and worker.store:reserve(worker.me, {
    queue = slots.queue, host = slots.host, gap = slots.gap, burst = slots.burst, count = slots.bucket.line.count - slots:left(),
    lead = slots.lead * 1000,
  })
  if not granted then
    slots.try_at = loop.update() + CLOSED -- the worker's own verbs say what is wrong with the store
    return
  end
  worker.clock:note(granted.clock, before, loop.update())
  local first = worker.clock:time_of(granted.first)
  if granted.granted == 0 then
    slots.try_at = math.max(first - AHEAD, loop.update() + AGAIN)
    return
  end
  slots:add(granted, first)
  slots.bucket:admit()
end

---Gives up slots that no request waits for any more, and gives back those of the last reservation.
---@param slots bide.worker.Slots
local function give_back(pace, slots)
  local count = math.min(slots:left(), slots.last)
  slots.times, slots.first = {}, 1
  if not pace.worker.me then return end
  pace.worker.store:give_back(pace.worker.me, {
    queue = slots.queue, host = slots.host, gap = slots.apart, burst = slots.burst, count = count,
  }, slots.free)
end

---Does for each host what is due.
---@return integer next_at
local function serve_hosts(pace)
  local next_at = math.maxinteger
  for _, slots in ipairs(pace.slots) do
    local waiting, left = slots.bucket.line.count, slots:left()
    if waiting == 0 and left > 0 then give_back(pace, slots) end
    if waiting > left and loop.update() >= slots.try_at then reserve(pace, slots) end
    if slots.bucket.line.count > slots:left() then next_at = math.min(next_at, math.max(slots.try_at, loop.update() + AGAIN)) end
  end
  return next_at
end

---Forgets the hosts whose pause is over: while one is known, each request is compared with it.
local function forget_open(pace)
  local now <const> = loop.update()
  for key, closed_until in pairs(pace.closed) do
    if closed_until <= now then pace.closed[key] = nil end
  end
end

---Tells the other workers of closed hosts, and learns from them.
local function exchange_closed(pace)
  local worker = pace.worker
  while worker.me and pace.closing[1] do
    local host = table.remove(pace.closing, 1)
    if not worker.store:close_host(worker.me, host) and worker.me then
      table.insert(pace.closing, 1, host)
      return
    end
  end
  if not worker.me or loop.update() < pace.read_at then return end
  pace.read_at = loop.update() + CLOSED
  forget_open(pace)
  for _, host in ipairs(worker.store:closed_hosts(worker.me) or {}) do
    pace.closed[host.queue .. " " .. host.host] = worker.clock:time_of(host.closed_until)
  end
end

---Reserves slots and reads closed hosts, until it is cancelled.
function Pace:run()
  while true do
    self.is_woken = false
    exchange_closed(self)
    local next_at = serve_hosts(self)
    if self.is_used then next_at = math.min(next_at, math.max(self.read_at, loop.update() + AGAIN)) end
    if not self.is_woken then
      await(next_at < math.maxinteger and next_at or nil, function(waker) self.waker = waker end)
    end
    self.waker = nil
  end
end

---Makes the pace of a worker. From now on all requests of its attempts keep it.
---@param worker bide.Worker
---@return bide.worker.Pace
function M.new(worker)
  return setmetatable({
    worker = worker, hosts = {}, slots = {}, closed = {}, closing = {}, is_used = false, is_woken = false,
    read_at = 0,
  }, Pace)
end

return M
