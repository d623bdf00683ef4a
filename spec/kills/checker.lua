---Checks the history of a run that was disturbed: what the service was asked, who had which turn, and what the store recorded.
---All times are microseconds of the clock of the machine, which is that of the service and of the store; that of a worker may be
---wrong.

local M = {}

---What disturbed a run, from a time to another. It explains requests that are made again: those of one worker, or of all.
---@class spec.kills.Cause
---@field worker? integer nil if it was the server
---@field from integer
---@field to integer
---@field is_stop? boolean whether the worker stood still
---@field is_loss? boolean whether the server lost what it had not written yet

---@class spec.kills.History
---@field waits { id: integer, token: string, attempts: integer?, state: string?, ended: integer? }[]
---@field recorded { wait: integer, attempt: integer }[]
---@field owned { wait: integer, worker: integer, from: integer, to: integer }[] whose turn it was; to: math.maxinteger
---@field requests { token: string, attempt: integer, worker: integer, sent: integer?, begin: integer, stop: integer }[]
---sent: by the worker, on the machine's monotonic clock; begin: when the service was asked; stop: when it answered, or would have
---@field causes? spec.kills.Cause[]
---@field said? { wait: integer, at: integer }[] the ends that the store has confirmed to a worker
---@field lease? integer
---@field attempts_of fun(token: string): integer after which an undisturbed wait succeeds

---A process that continues after it stood still first sends what it was about to send: within this time, on a busy machine.
local ABOUT = 250000

---What a server had not written when it was killed: claims and settles of this time.
local UNWRITTEN = 1000000

---How late a worker may send a request after it has looked at its lease.
local LATE = 100000

---Returns the entries of a list by the value of a member.
local function grouped(list, name)
  local groups = {}
  for _, one in ipairs(list) do
    local group = groups[one[name]] or {}
    groups[one[name]], group[#group + 1] = group, one
  end
  return groups
end

---@return integer
local function sent_at(request) return request.sent or request.begin end

---Reports whether a worker had a turn at a time.
local function has_turn(owned, worker, at)
  for _, one in ipairs(owned) do
    if one.worker == worker and one.from <= at and at <= one.to then return true end
  end
  return false
end

---Returns what excuses a request of a worker that has not the turn. One that was stopped may have looked at its lease
---before: then it sends the one request that it was about to send, of a turn that it had. What a server that was killed had
---not written yet, such as a claim, its workers believe for half a lease.
---@param history spec.kills.History
---@return fun(request: table, owned: table[]): boolean
local function excuse_of(history)
  local of_stop, half <const> = {}, (history.lease or 0) // 2
  return function(request, owned)
    for _, cause in ipairs(history.causes or {}) do
      local is_unwritten = cause.is_loss and request.begin >= cause.from - UNWRITTEN
      if is_unwritten and sent_at(request) <= cause.from + half + LATE then return true end
      local is_about = cause.is_stop and cause.worker == request.worker and request.begin >= cause.to
        and request.begin <= cause.to + ABOUT and has_turn(owned, request.worker, cause.from)
      if is_about and (of_stop[cause] or request) == request then
        of_stop[cause] = request
        return true
      end
    end
    return false
  end
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

---Reports whether a worker stood still between two times.
local function was_stopped(causes, worker, from, to)
  for _, cause in ipairs(causes) do
    if cause.is_stop and cause.worker == worker and cause.from <= to and cause.to >= from then return true end
  end
  return false
end

---Checks that a request came from the worker that had the turn then. On a busy machine it may come to the service late: then it
---was sent while its worker had the turn, which did not stand still before it was gone.
local function check_owner(wait, request, owned, causes, is_excused, add)
  if has_turn(owned, request.worker, request.begin) or is_excused(request, owned) then return end
  local sent <const> = sent_at(request)
  if has_turn(owned, request.worker, sent) and not was_stopped(causes, request.worker, sent, request.begin) then return end
  if wait.ended and request.begin > wait.ended then return add("attempt after the end", wait, request.attempt) end
  for _, one in ipairs(owned) do
    if one.from <= request.begin and request.begin <= one.to then return add("two owners", wait, request.attempt) end
  end
  add("no owner", wait, request.attempt)
end

---Checks that a request that was made again follows a disturbance of the worker that had made it before, or is excused itself.
---What a dead worker has sent may come to the service later, so a cause counts a while longer.
local function check_doubles(wait, requests, owned, history, is_excused, add)
  local causes, last_of, longer = history.causes or {}, {}, history.lease or LATE
  for _, request in ipairs(requests) do
    local before, is_caused = last_of[request.attempt], false
    for _, cause in ipairs(before and causes or {}) do
      is_caused = is_caused or (cause.worker or before.worker) == before.worker and cause.from <= request.begin
        and cause.to + longer >= sent_at(before)
    end
    if before and not is_caused and not is_excused(request, owned) then
      add("made twice without a cause", wait, request.attempt)
    end
    last_of[request.attempt] = request
  end
end

---Checks that nothing is asked of a wait whose end the store has confirmed.
local function check_end(wait, requests, owned, said, is_excused, add)
  for _, one in ipairs(said) do
    for _, request in ipairs(requests) do
      if sent_at(request) > one.at and not is_excused(request, owned) then
        return add("an end undone", wait, request.attempt)
      end
    end
  end
end

---Checks that no attempt begins while the one before it is under way. An attempt that a kill has cut is made again, though
---the one after it may have begun: that of a kept turn begins before its result is written.
local function check_order(wait, requests, owned, is_excused, add)
  for _, one in ipairs(requests) do
    for _, other in ipairs(requests) do
      local is_during = one.begin <= other.begin and other.begin < one.stop
      if is_during and one.attempt < other.attempt and not is_excused(one, owned) then
        add("two attempts at once", wait, other.attempt)
      end
    end
  end
end

---Checks what was asked of a wait that has ended.
local function check_requests(wait, requests, owned, said, history, is_excused, add)
  for _, request in ipairs(requests) do
    if request.attempt > wait.attempts then add("attempt beyond the end", wait, request.attempt) end
    check_owner(wait, request, owned, history.causes or {}, is_excused, add)
  end
  check_doubles(wait, requests, owned, history, is_excused, add)
  check_order(wait, requests, owned, is_excused, add)
  check_end(wait, requests, owned, said, is_excused, add)
end

---Returns what is wrong with a history: nothing, if the store keeps its promise.
---@param history spec.kills.History
---@return { what: string, token: string, attempt: integer? }[]
function M.check(history)
  local found, is_excused = {}, excuse_of(history)
  local function add(what, wait, attempt) found[#found + 1] = { what = what, token = wait.token, attempt = attempt } end
  local in_order = table.move(history.requests, 1, #history.requests, 1, {})
  table.sort(in_order, function(a, b) return sent_at(a) < sent_at(b) end)
  local recorded, owned = grouped(history.recorded, "wait"), grouped(history.owned, "wait")
  local requests, said = grouped(in_order, "token"), grouped(history.said or {}, "wait")
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
      check_requests(wait, mine, owned[wait.id] or {}, said[wait.id] or {}, history, is_excused, add)
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
