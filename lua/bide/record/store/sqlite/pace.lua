---The pace of hosts in a store on a file: the next requests that all workers of a queue may make.

local answer = require "bide.record.store.answer"
local option = require "bide.text.option"
local verbs = require "bide.record.store.verbs"

local M = {}

local whole = option.kinds.integer

local form = { gap = whole, burst = whole, free = whole, closed_until = whole, used = whole }

local insert = "INSERT OR IGNORE INTO pace VALUES (?, ?, ?, ?, 0, 0, 0)"

---Returns the greatest gap that was named within a minute, the burst beside it, when it was named, and the time of the next
---request. After a greater gap, that is at most as far away as what may be reserved.
local function pace_of(row, what, now)
  if what.gap >= row.gap then return what.gap, what.burst, now, row.free end
  if row.used >= now - verbs.GAP_COUNTS then return row.gap, row.burst, row.used, row.free end
  return what.gap, what.burst, now, math.min(row.free, now + verbs.RESERVED_AHEAD)
end

---@return integer count of the requests between a time and the furthest one that may be reserved
local function room_of(row, start, gap, now)
  local last = now + verbs.RESERVED_AHEAD
  if row.closed_until > now or start > last then return 0 end
  return gap == 0 and math.maxinteger or (last - start) // gap + 1
end

---Returns the row of a host, a new one in the place of one with another value than a number.
---@return table
local function row_of(within, what)
  within.query(insert, what.queue, what.host, what.gap, what.burst)
  local row = within.query("SELECT * FROM pace WHERE queue = ? AND host = ?", what.queue, what.host)[1]
  if not answer.mistake(form, row) then return row end
  within.query("DELETE FROM pace WHERE queue = ? AND host = ?", what.queue, what.host)
  return row_of(within, what)
end

---@param within bide.record.Transaction
---@param what bide.record.Reservation
---@param now integer
---@return bide.record.Slots
function M.reserve(within, what, now)
  local row = row_of(within, what)
  local gap, burst, used, next = pace_of(row, what, now)
  local start = math.max(next, now + (what.lead or 0) - (burst - 1) * gap)
  local granted = math.min(what.count, room_of(row, start, gap, now))
  local free = start + granted * gap
  within.query("UPDATE pace SET gap = ?, burst = ?, used = ?, free = ? WHERE queue = ? AND host = ?", gap, burst, used, free,
    what.queue, what.host)
  return { first = math.max(start, row.closed_until), granted = granted, gap = gap, free = free, clock = now }
end

---@param within bide.record.Transaction
---@param slots bide.record.Reservation
---@param free integer
---@return boolean
function M.give_back(within, slots, free)
  within.query("UPDATE pace SET free = free - ? * gap WHERE queue = ? AND host = ? AND free = ? AND gap = ?", slots.count,
    slots.queue, slots.host, free, slots.gap)
  return within.changes() == 1
end

---@param within bide.record.Transaction
---@param host bide.record.ClosedHost
---@param now integer
function M.close(within, host, now)
  within.query(insert, host.queue, host.host, 0, 1)
  within.query("UPDATE pace SET closed_until = max(closed_until, ?) WHERE queue = ? AND host = ?",
    math.min(host.closed_until, now + verbs.LONGEST_CLOSURE), host.queue, host.host)
end

---The closed hosts of the queues whose names are in a list of JSON.
M.closed = [[
SELECT queue, host, closed_until FROM pace WHERE closed_until > ? AND queue IN (SELECT value FROM json_each(?))]]

---Forgets hosts to which nothing was sent for an hour.
---@param within bide.record.Transaction
---@param now integer
function M.forget(within, now)
  within.query("DELETE FROM pace WHERE used < ? AND closed_until < ?", now - 3600 * 1000000, now)
end

return M
