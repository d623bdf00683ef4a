---Waits for what bide itself lacks for an attempt: a descriptor, a thread, a process. The lack says nothing about the
---service, so it is not an operation error: the attempt waits in line until it gets one, or its deadline comes.

local core = require "bide.core"
local retries = require "bide.task.retries"

local loop, task = core.loop, core.task

local M = {}

local INTERVAL = 10 -- milliseconds after which the first in line tries again

local LONGEST = 30000 -- milliseconds that a task without a deadline waits

---Describes each thing that bide may have none of.
local words = {
  EMFILE = function()
    return ("file descriptor left: EMFILE, too many open files, the limit is %d (ulimit -n)")
      :format(core.process.descriptor_limit())
  end,
  ENFILE = function() return "file descriptor left: ENFILE, too many open files in the whole system" end,
  threads = function() return "thread left: EAGAIN, the system allows no more (ulimit -u, pids.max)" end,
  processes = function() return "process left: EAGAIN, the system allows no more (ulimit -u, pids.max)" end,
  lookups = function() return "place to resolve another name: 64 are being resolved" end,
}

---@param failure any the code of the system, with or without words after it, or one of the names in `words`
---@return string? lack in words; nil where the failure says something about the service
local function lack_of(failure)
  local find = type(failure) == "string" and words[failure:match "^%a+"]
  return find and find() or nil
end

-- ---- the line -----------------------------------------------------------------------

---The places of the attempts that wait, by their tickets. The first is the next to try.
---@type { ticket: integer, waker: bide.Waker }[]
local line = {}

---That line: while it is empty, a first try needs no wait_out.
M.line = line

local last_ticket = 0

---Functions that give back some of the things that bide holds without need.
local reliefs = {}

---Adds a function that is called when something is lacking, to give back things that are held without need.
---@param relieve fun()
function M.at_shortage(relieve)
  reliefs[#reliefs + 1] = relieve
end

local pump

---Lets the first in line try, and the next one a moment later.
local function admit()
  local first = table.remove(line, 1)
  if not first then return pump:stop() end
  pump:start(loop.update() + INTERVAL)
  first.waker()
end

local Place = {}
Place.__index = Place

---Leaves the line, also if the attempt is cut.
function Place:__close()
  for position, place in ipairs(line) do
    if place == self then return table.remove(line, position) end
  end
end

---Takes a place before those whose attempts began to wait later.
local function enter(place)
  local position = #line + 1
  while position > 1 and line[position - 1].ticket > place.ticket do position = position - 1 end
  table.insert(line, position, place)
  pump = pump or loop.alarm(admit)
  if #line == 1 then pump:start(loop.update() + INTERVAL) end
end

---Waits in line until it is the attempt's turn.
---@param ticket integer? of an attempt that has waited before
---@param at integer? when to give up
---@return integer ticket
local function queue(ticket, lack, at)
  retries.lack(lack)
  if at and loop.update() >= at then error("bide has no " .. lack, 0) end
  last_ticket = last_ticket + 1
  local place <close> = setmetatable({ ticket = ticket or last_ticket, waker = task.waker() }, Place)
  enter(place)
  task.pause(place.waker)
  return place.ticket
end

local function relieve()
  for _, give_back in ipairs(reliefs) do give_back() end
end

---The lack of the latest attempt in line.
local latest

---Calls `try` with up to three arguments until it does not fail for something that bide lacks. Waits in line before each
---further try; later attempts wait after it. A task without a deadline gives up after half a minute, by a script error.
---@generic T
---@param try fun(...): T?, any, any returns a result, or nil and the failure
---@return T? result
---@return any failure
---@return any detail the third value of the last try
function M.wait_out(try, first, second, third)
  local ticket = line[1] and queue(nil, latest)
  local value, failure, detail = try(first, second, third)
  if value and not ticket then return value, failure, detail end
  local at
  local lack = failure and lack_of(failure)
  while lack do
    at, latest = at or not task.has_deadline() and loop.update() + LONGEST or nil, lack
    relieve()
    ticket = queue(ticket, lack, at)
    value, failure, detail = try(first, second, third)
    lack = failure and lack_of(failure)
  end
  if ticket then
    retries.lack(nil)
    admit() -- a descriptor that it has used is free again
  end
  return value, failure, detail
end

return M
