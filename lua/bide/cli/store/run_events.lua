---Writes what a store knows of a run as the events of its waits: those of `bide run --events`, each of them once, at the times
---of the store. An attempt that the store has not kept has no event.

local core = require "bide.core"
local ends_of_run = require "bide.cli.store.ends"
local events = require "bide.record.report.events"
local secret = require "bide.text.secret"

local json = core.json

local M = {}

---The waits of a run whose attempts are written as they come. Those of a larger run are written as each wait ends.
local FEW = 1000

---@class bide.cli.RunEvents
---@field events bide.Events
---@field store bide.Store
---@field run integer
---@field began integer
---@field has_names boolean whether its waits have names
---@field waits table<integer, bide.cli.RunEvents.Wait>? those that have begun and not ended, by position; nil at first
---@field count integer of the ends that were read
---@field last bide.record.End[] those that have ended the run
local RunEvents = {}
RunEvents.__index = RunEvents

---A wait, as far as its rows are read: a bide.record.WaitRow, or a bide.record.End once it has ended.
---@class bide.cli.RunEvents.Wait
---@field position integer
---@field waiter string
---@field input string JSON
---@field deadline integer
---@field label? string
---@field token? string
---@field seen integer the number of the last attempt that was written
---@field written_at integer? the time of the last event; a worker's clock, which times attempts, is only near that of the store

---@param handle file*
---@param store bide.Store
---@param run integer
---@return bide.cli.RunEvents
function M.new(handle, store, run)
  return setmetatable({ events = events.new(handle), store = store, run = run, count = 0, last = {} }, RunEvents)
end

---@param event "start"|"attempt"|"end"
---@param wait bide.cli.RunEvents.Wait
---@param at integer microseconds since 1970, or the time of the last event of the wait if that is later
---@param record table
function RunEvents:write(event, wait, at, record)
  wait.written_at = math.max(at, wait.written_at or at)
  self.events:write_of(event, ("%d.%d"):format(self.run, wait.position), wait.written_at // 1000, record,
    self.has_names and wait.label or nil)
end

---Writes that a wait has begun, which it does when it is submitted.
---@param row bide.record.WaitRow|bide.record.End
---@return bide.cli.RunEvents.Wait
function RunEvents:begin(row)
  local wait = row --[[@as bide.cli.RunEvents.Wait]]
  local span, input = (wait.deadline - self.began) / 1000000, json.read(wait.input)
  local record = { waiter = wait.waiter, maxWait = math.tointeger(span) or span, input = input }
  if input then secret.keep(record, ends_of_run.mask(wait, input)) end
  wait.seen = 0
  self:write("start", wait, self.began, record)
  return wait
end

---Writes an attempt, unless its row is not one that bide wrote.
---@param wait bide.cli.RunEvents.Wait
---@param kept bide.record.Kept
function RunEvents:attempted(wait, kept)
  wait.seen = kept.attempt
  local entry, document = ends_of_run.entry(kept.entry)
  if not entry then return end
  secret.keep(entry, ends_of_run.mask(wait, document --[[@as userdata]]))
  entry.error = entry.error and json.document(entry.error)
  self:write("attempt", wait, self.began + math.floor((entry.at + entry.duration) * 1000000), entry)
end

---Writes the attempts of waits that are kept and were not written yet.
---@param waits table<integer, bide.cli.RunEvents.Wait> by position
---@return true? done
---@return bide.record.Failure? failure
function RunEvents:read_attempts(waits)
  local seen, has_new = {}, next(waits) ~= nil
  while has_new do
    for position, wait in pairs(waits) do seen[position] = wait.seen end
    local list, failure = self.store:attempts(self.run, seen)
    if not list then return nil, failure end
    has_new = false
    for _, kept in ipairs(list) do
      local wait = waits[kept.position]
      if wait and kept.attempt > wait.seen then
        self:attempted(wait, kept)
        has_new = true
      end
    end
  end
  return true
end

---Begins the waits of a run that has few of them.
---@param counters bide.record.Counters
---@return true? done
---@return bide.record.Failure? failure
function RunEvents:begin_all(counters)
  local about = json.decode(counters.about)
  self.began, self.has_names = counters.began, type(about) == "table" and about.named == true
  if counters.waits <= FEW and not counters.ended then
    local found, failure = self.store:list { what = "run", run = self.run }
    if not found then return nil, failure end
    self.waits = {}
    for _, row in ipairs(found.waits or {}) do
      if not row.ended then self.waits[row.position] = self:begin(row) end
    end
  end
  self.waits = self.waits or {}
  return true
end

---Writes the attempts and the ends of waits that have ended. The ends that end the run are written once it is known that they
---are as the store has counted them.
---@param counters bide.record.Counters
---@param ends bide.record.End[]
---@param first integer the first of them that is read
---@param last integer
---@return true? done
---@return bide.record.Failure? failure
function RunEvents:read_ends(counters, ends, first, last)
  local waits = {}
  for place = first, last do
    local one = ends[place]
    waits[one.position] = self.waits[one.position] or self:begin(one)
    self.waits[one.position] = waits[one.position]
  end
  local done, failure = self:read_attempts(waits)
  if not done then return nil, failure end
  for place = first, last do
    local one = ends[place]
    self.waits[one.position], one.written_at = nil, waits[one.position].written_at
    if counters.ended then table.insert(self.last, one) else self:ended(one) end
  end
  self.count = last
  return true
end

---Writes the end of a wait, unless its row is not one that bide wrote.
---@param one bide.record.End|bide.cli.RunEvents.Wait
function RunEvents:ended(one)
  local record = ends_of_run.record(one)
  if record then self:write("end", one, one.ended, record) end
end

---Writes what has happened since the last time.
---@param counters bide.record.Counters
---@param ends bide.record.End[] all that have come
---@return true? done
---@return bide.record.Failure? failure the next call then continues
function RunEvents:read(counters, ends)
  local done, failure = true, nil
  if not self.waits then done, failure = self:begin_all(counters) end
  while done and self.count < #ends do
    done, failure = self:read_ends(counters, ends, self.count + 1, math.min(self.count + FEW, #ends))
  end
  if done then done, failure = self:read_attempts(self.waits) end
  return done, failure
end

---Writes the ends that have ended the run.
function RunEvents:finish()
  for _, one in ipairs(self.last) do self:ended(one) end
end

---@return boolean is_written whether all events were written
function RunEvents:close()
  self.events:close()
  return self.events.is_written
end

return M
