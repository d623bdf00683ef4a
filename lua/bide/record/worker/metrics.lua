---The numbers of a worker, which it counts and which `text` writes as OpenMetrics has them. No name or input of a wait is
---in them.

local M = {}

---The media type of `text`.
M.TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"

---The upper bounds of bide_late_seconds.
local bounds = { 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30 }

---@alias bide.metrics.Result "retry"|"success"|"failure"
---@alias bide.metrics.Event "doubles_refused"|"expired"|"strikes"

---@type bide.metrics.Result[]
local results = { "retry", "success", "failure" }

---@class bide.Metrics
---@field queues string[] their names
---@field attempts table<string, table<bide.metrics.Result, integer>> by queue
---@field late integer[] how many attempts began at most that late, for each bound; the last one is without a bound
---@field late_sum number seconds
---@field private position integer in `late` of the last attempt, which is mostly near that of the next one
---@field events table<bide.metrics.Event, integer>
---@field lag table<string, number> seconds by queue, as the store last said
---@field held integer the turns in hand
---@field is_up boolean whether the store answered the last verb
local Metrics = {}
Metrics.__index = Metrics

---@param queues { name: string }[]
---@return bide.Metrics
function M.new(queues)
  local metrics = {
    queues = {}, attempts = {}, late = {}, late_sum = 0, position = 1, events = { doubles_refused = 0, expired = 0, strikes = 0 },
    lag = {}, held = 0, is_up = false,
  }
  for position, queue in ipairs(queues) do
    metrics.queues[position], metrics.attempts[queue.name] = queue.name, { retry = 0, success = 0, failure = 0 }
  end
  for position = 1, #bounds + 1 do metrics.late[position] = 0 end
  return setmetatable(metrics, Metrics)
end

---Counts an attempt that was made.
---@param queue string
---@param result bide.metrics.Result
---@param late number seconds between the time for which it was due and its beginning
function Metrics:count_attempt(queue, result, late)
  self.attempts[queue][result] = self.attempts[queue][result] + 1
  local position = self.position
  while bounds[position] and late > bounds[position] do position = position + 1 end
  while position > 1 and late <= bounds[position - 1] do position = position - 1 end
  self.position, self.late[position] = position, self.late[position] + 1
  if late > 0 then self.late_sum = self.late_sum + late end
end

---@param event bide.metrics.Event
---@param count? integer 1 if it is nil
function Metrics:count(event, count)
  self.events[event] = self.events[event] + (count or 1)
end

---Writes a number as OpenMetrics has it.
local function written(number)
  return math.type(number) == "integer" and ("%d"):format(number) or ("%.9g"):format(number)
end

---@param lines string[]
local function add_family(lines, name, kind, help)
  lines[#lines + 1] = ("# TYPE %s %s"):format(name, kind)
  lines[#lines + 1] = ("# HELP %s %s"):format(name, help)
end

local function add(lines, name, labels, value)
  lines[#lines + 1] = ("%s%s %s"):format(name, labels, written(value))
end

local function add_late(lines, metrics)
  add_family(lines, "bide_late_seconds", "histogram", "Seconds between the time for which an attempt was due and its beginning.")
  local total = 0
  for position, count in ipairs(metrics.late) do
    total = total + count
    add(lines, "bide_late_seconds_bucket", ('{le="%s"}'):format(bounds[position] or "+Inf"), total)
  end
  add(lines, "bide_late_seconds_count", "", total)
  add(lines, "bide_late_seconds_sum", "", metrics.late_sum)
end

local events = {
  { "doubles_refused", "Results that the store refused, since another worker had the wait." },
  { "expired", "Times at which this worker was found dead, and began anew." },
  { "strikes", "Waits whose scripts ended the process of this worker." },
}

---Returns all numbers as a document of OpenMetrics. The names of queues need no escapes: they are letters, digits and ._-.
---@return string
function Metrics:text()
  local lines = {}
  add_family(lines, "bide_lag_seconds", "gauge", "Seconds by which the first due wait of a queue is overdue that no worker has.")
  for _, queue in ipairs(self.queues) do
    if self.lag[queue] then add(lines, "bide_lag_seconds", ('{queue="%s"}'):format(queue), self.lag[queue]) end
  end
  add_family(lines, "bide_held", "gauge", "Waits that this worker has claimed.")
  add(lines, "bide_held", "", self.held)
  add_family(lines, "bide_attempts", "counter", "Attempts that were made and written, by what they decided.")
  for _, queue in ipairs(self.queues) do
    for _, result in ipairs(results) do
      add(lines, "bide_attempts_total", ('{queue="%s",result="%s"}'):format(queue, result), self.attempts[queue][result])
    end
  end
  add_late(lines, self)
  for _, event in ipairs(events) do
    add_family(lines, "bide_" .. event[1], "counter", event[2])
    add(lines, ("bide_%s_total"):format(event[1]), "", self.events[event[1]])
  end
  add_family(lines, "bide_store_up", "gauge", "1 if the store answered when it was last asked.")
  add(lines, "bide_store_up", "", self.is_up and 1 or 0)
  lines[#lines + 1] = "# EOF\n"
  return table.concat(lines, "\n")
end

return M
