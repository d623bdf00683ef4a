---Checks the history of a run that was disturbed: what the service saw, who had which turn, and what the store has recorded.
---All times are microseconds of the one clock of the machine.

local M = {}

---@class spec.kills.History
---@field waits { id: integer, token: string, attempts: integer?, state: string?, ended: integer? }[]
---@field recorded { wait: integer, attempt: integer }[]
---@field owned { wait: integer, worker: integer, from: integer, to: integer }[] whose turn it was; to: math.maxinteger
---@field requests { token: string, attempt: integer, worker: integer, begin: integer, stop: integer }[]
---begin: when the worker began the attempt, by the same clock; stop: when it was answered, or would have been
---@field resumed? integer[] when a worker that had stood still went on
---@field said? { wait: integer, at: integer }[] the ends that the store has confirmed to a worker
---@field attempts_of fun(token: string): integer after which an undisturbed wait succeeds

---What may lie between the look at the lease and the beginning of an attempt.
local SLACK = 100000

---How soon after it went on a worker sends what it was about to send when it was stopped.
local ABOUT = 50000

---Returns what tells whether a request was about to be sent when its worker was stopped: it had looked at its lease before, so
---nothing could keep it. A process sends one at a time, so there is at most one for each stop.
---@param history spec.kills.History
---@return fun(request: table): boolean
local function excuse_of(history)
  local of_stop = {}
  return function(request)
    for position, at in ipairs(history.resumed or {}) do
      local is_soon = request.begin >= at and request.begin <= at + ABOUT
      if is_soon and (of_stop[position] or request) == request then
        of_stop[position] = request
        return true
      end
    end
    return false
  end
end

---Returns the entries of a list by the value of a member.
local function grouped(list, name)
  local groups = {}
  for _, one in ipairs(list) do
    local group = groups[one[name]] or {}
    groups[one[name]], group[#group + 1] = group, one
  end
  return groups
end

---Checks that each attempt of a wait is recorded once, without a hole.
local function check_record(wait, recorded, add)
  local count_of = {}
  for _, one in ipairs(recorded) do count_of[one.attempt] = (count_of[one.attempt] or 0) + 1 end
  for attempt = 1, wait.attempts or #recorded do
    local count = count_of[attempt] or 0
    if count == 0 then add("hole", wait, attempt) end
    if count > 1 then add("recorded twice", wait, attempt) end
    count_of[attempt] = nil
  end
  if next(count_of) then add("recorded beyond the end", wait, next(count_of)) end
end

---Checks that no request was made after the end, or by a worker while another one had the turn.
local function check_requests(wait, requests, owned, is_excused, add)
  for _, request in ipairs(requests) do
    local is_late = wait.ended and request.begin > wait.ended + SLACK
    if is_late and not is_excused(request) then add("attempt after the end", wait, request.attempt) end
    if request.attempt > wait.attempts then add("attempt beyond the end", wait, request.attempt) end
    for _, one in ipairs(owned) do
      if one.worker ~= request.worker and request.begin > one.from + SLACK and request.begin < one.to - SLACK
        and not is_excused(request) then
        add("two owners", wait, request.attempt)
        break
      end
    end
  end
end

---Checks that nothing is asked of a wait whose end the store has confirmed.
local function check_end(wait, requests, said, is_excused, add)
  for _, one in ipairs(said) do
    for _, request in ipairs(requests) do
      if request.begin > one.at + SLACK and not is_excused(request) then return add("an end undone", wait, request.attempt) end
    end
  end
end

---Checks that no attempt begins while the one before it is under way. An attempt that a kill has cut is made again, though
---the one after it may have begun: that of a kept turn begins before its result is written.
local function check_order(wait, requests, is_excused, add)
  for _, one in ipairs(requests) do
    for _, other in ipairs(requests) do
      local is_during = one.begin <= other.begin and other.begin < one.stop
      if is_during and one.attempt < other.attempt and not is_excused(one) then
        add("two attempts at once", wait, other.attempt)
      end
    end
  end
end

---Returns what is wrong with a history: nothing, if the store keeps its promise.
---@param history spec.kills.History
---@return { what: string, token: string, attempt: integer? }[]
function M.check(history)
  local found, is_excused = {}, excuse_of(history)
  local function add(what, wait, attempt) found[#found + 1] = { what = what, token = wait.token, attempt = attempt } end
  local recorded, owned = grouped(history.recorded, "wait"), grouped(history.owned, "wait")
  local requests, said = grouped(history.requests, "token"), grouped(history.said or {}, "wait")
  for _, wait in ipairs(history.waits) do
    local mine = requests[wait.token] or {}
    requests[wait.token] = nil
    if not wait.state then
      add("stuck", wait)
    else
      if wait.state ~= "success" or wait.attempts ~= history.attempts_of(wait.token) then
        add("another outcome", wait, wait.attempts)
      end
      check_record(wait, recorded[wait.id] or {}, add)
      check_requests(wait, mine, owned[wait.id] or {}, is_excused, add)
      check_order(wait, mine, is_excused, add)
      check_end(wait, mine, said[wait.id] or {}, is_excused, add)
    end
  end
  for token in pairs(requests) do add("another token", { token = token }) end
  return found
end

---Counts what is wrong, by its kind.
---@return table<string, integer>
function M.counts(found)
  local counts = {}
  for _, one in ipairs(found) do counts[one.what] = (counts[one.what] or 0) + 1 end
  return counts
end

---Counts the requests that were made more than once with the same number and token.
---@param history spec.kills.History
---@return integer
function M.doubles(history)
  local seen, count = {}, 0
  for _, request in ipairs(history.requests) do
    local key = ("%s %d"):format(request.token, request.attempt)
    if seen[key] then count = count + 1 end
    seen[key] = true
  end
  return count
end

return M
