---Reads when past waits ended, from a journal or recordings. An end is seen only at an attempt: it came after the last
---attempt before the success, and until the success. An attempt counts as seeing what was so when it began.

local checked = require "bide.record.journal.checked"
local core = require "bide.core"
local duration = require "bide.text.duration"
local sources = require "bide.record.journal.sources"

local json = core.json

local M = {}

---Past waits. Times are milliseconds since the beginning of each wait.
---@class bide.Past
---@field after integer[] of the waits that ended and those that were cut
---@field until_ (integer|false)[] false for those that were cut
---@field counts table<string, integer> how many waits of each kind there are
---@field others table<string, integer> how many waits there are of other waiters, by their names
---@field max_waits table<integer, integer> how many waits had each max wait
---@field spent integer of all attempts
---@field attempts integer
local Past = {}
Past.__index = Past

---Forgets all waits: a transaction may begin again.
function Past:clear()
  self.after, self.until_, self.others, self.max_waits, self.spent, self.attempts = {}, {}, {}, {}, 0, 0
  self.counts = { ended = 0, cut = 0, cancelled = 0, failed = 0, unfinished = 0, otherwise = 0, broken = 0, woken = 0, first = 0 }
end

---@return bide.Past
function M.new()
  local past = setmetatable({}, Past)
  past:clear()
  return past
end

function Past:count(kind)
  self.counts[kind] = self.counts[kind] + 1
end

---Returns the place of the attempt that saw the end: the first of those that had to hold.
local function place_of_end(history)
  local place = #history
  local acceptor = history[place].acceptor
  while acceptor and place > 1 and history[place - 1].acceptor == acceptor do place = place - 1 end
  return place
end

---Returns between which times the end came; nil if the clock went backwards.
---@return integer? after
---@return integer? until_
local function bounds_of(history)
  local place = place_of_end(history)
  local seen, before = history[place], history[place - 1]
  local until_, after = duration.of_seconds(seen.at), before and duration.of_seconds(before.at) or -1
  if seen.attempt > 1 and not before or after >= until_ then return nil end
  if seen.woken then after = until_ - 1 end
  return after, until_
end

---Returns whether the times of the attempts rise.
local function has_order(history)
  local before = -1
  for _, entry in ipairs(history) do
    if entry.at < before then return false end
    before = entry.at
  end
  return true
end

---The kinds of the reasons for which a wait ends without a success.
local kinds = { maxWait = "cut", maxAttempts = "cut", cancelled = "cancelled", ended = "cancelled" }

---Adds a success.
local function add_end(past, history)
  local after, until_ = bounds_of(history)
  if not after then return past:count "broken" end
  past.after[#past.after + 1], past.until_[#past.until_ + 1] = after, until_
  past:count "ended"
  if after < 0 then past:count "first" end
  if history[place_of_end(history)].woken then past:count "woken" end
end

---Adds a wait that was cut: its end comes after the last attempt that was decided on.
local function add_cut(past, history)
  local last = #history
  while last > 0 and not history[last].state do last = last - 1 end
  past.after[#past.after + 1] = last > 0 and duration.of_seconds(history[last].at) or -1
  past.until_[#past.until_ + 1] = false
  past:count "cut"
end

---Adds a wait that has ended.
---@param state "success"|"failure"
---@param reason string
---@param max_wait number seconds
---@param history table[] its attempts
function Past:add(state, reason, max_wait, history)
  if not has_order(history) or state == "success" and #history == 0 then return self:count "broken" end
  local kind = state == "success" and "ended" or kinds[reason] or "failed"
  if kind ~= "ended" and kind ~= "cut" then return self:count(kind) end
  if kind == "ended" then add_end(self, history) else add_cut(self, history) end
  local limit = duration.of_seconds(max_wait)
  self.max_waits[limit] = (self.max_waits[limit] or 0) + 1
  for _, entry in ipairs(history) do
    if entry.state then self.spent, self.attempts = self.spent + duration.of_seconds(entry.duration), self.attempts + 1 end
  end
end

---Returns the max wait of most waits, the longest of several; nil without waits.
---@return integer?
function Past:max_wait()
  local found, most = nil, 0
  for limit, count in pairs(self.max_waits) do
    if count > most or count == most and limit > found then found, most = limit, count end
  end
  return found
end

---Returns the mean duration of an attempt.
---@return integer milliseconds
function Past:latency()
  return self.attempts > 0 and (self.spent + self.attempts // 2) // self.attempts or 0
end

-- ---- journals -----------------------------------------------------------------------------------

local select_waits = [[
SELECT wait.*, run.recipe AS run_recipe, run.waiter AS run_waiter, run.sources AS run_sources
FROM wait JOIN run ON run.id = wait.run ORDER BY wait.id]]

---Returns a function that says whether a run had the sources that a waiter has now.
---@param waiter bide.Waiter
local function is_same(waiter)
  local now, known = sources.of { waiter }, {}
  return function(text)
    if known[text] ~= nil then return known[text] end
    local had = {}
    for _, source in ipairs(json.decode(text)) do had[source.name] = source.fingerprint end
    known[text] = true
    for _, source in ipairs(now) do known[text] = known[text] and had[source.name] == source.fingerprint end
    return known[text]
  end
end

---Adds the waits of a waiter that a journal has.
---@param journal bide.Journal
---@param query fun(sql: string, ...): table[]
---@param waiter bide.Waiter
function Past:read_journal(journal, query, waiter)
  local path, has_sources = sources.path(waiter.files[1] or ""), is_same(waiter)
  for _, run in ipairs(query "SELECT * FROM run") do checked.row(journal, "run", run) end
  for _, row in ipairs(query(select_waits)) do
    checked.row(journal, "wait", row)
    local recipe, name = row.recipe or row.run_recipe, row.waiter or row.run_waiter
    if recipe ~= path or name ~= waiter.name then
      local label = ("%s of %s"):format(name, recipe)
      self.others[label] = (self.others[label] or 0) + 1
    elseif not has_sources(row.run_sources) then
      self:count "otherwise"
    elseif not row.outcome then
      self:count "unfinished"
    else
      local outcome = json.decode(row.outcome)
      self:add(outcome.state, outcome.reason, outcome.maxWait, outcome.history or {})
    end
  end
end

-- ---- recordings ---------------------------------------------------------------------------------

---Returns the attempts of a recording as its waiter decides on them now; nil if it decides otherwise.
---@param list bide.Answer[]
---@param entries table[] the attempts of a replay
---@return table[]?
function M.history_of(list, entries)
  if #entries ~= #list then return nil end
  local history = {}
  for position, answer in ipairs(list) do
    history[position] = {
      attempt = position, at = answer.at or 0, duration = answer.duration or 0, acceptor = entries[position].acceptor,
      state = not answer.cut and (entries[position].state or "retry") or nil,
    }
  end
  return history
end

---Reports whether the limit has cut a recorded wait: the time that was left is not longer than any delay before.
---@param history table[]
---@param max_wait number seconds
function M.is_cut(history, max_wait)
  local last, longest = history[#history], 0
  for position = 2, #history do longest = math.max(longest, history[position].at - history[position - 1].at) end
  return not last.state or max_wait - last.at - last.duration <= longest
end

return M
