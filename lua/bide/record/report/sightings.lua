---Observes waits for a report, which says more of them than their outcomes: when each began, what each attempt saw, and what
---each acceptor looked at last.

local core = require "bide.core"
local evidence = require "bide.wait.evidence"
local views = require "bide.record.report.views"
local secret = require "bide.text.secret"

local loop = core.loop

---The numbers of the first and of the last attempts that are in a history.
local FIRST <const>, LAST <const> = 50, 50

---The observations of one wait.
---@class bide.Sighting
---@field began integer? milliseconds since 1970
---@field saw table<integer, string> by the number of the attempt
---@field views bide.View[]? of the last attempt that was decided on

---@class bide.Sightings
---@field of table<any, bide.Sighting> by the keys of the waits
local Sightings = {}
Sightings.__index = Sightings

---@return bide.Sightings
local function new()
  return setmetatable({ of = {} }, Sightings)
end

function Sightings:started(wait)
  self.of[wait.key] = { saw = {} }
end

---Hides the secrets of acceptors and of what they looked at: either may have a text of the input.
local function masked(list, mask)
  for _, view in ipairs(mask and list or {}) do
    view.saw = view.saw and mask:text(view.saw)
    view.words = mask:text(view.words)
  end
  return list
end

---@param entry table of the history
function Sightings:attempted(wait, entry)
  local sighting = self.of[wait.key]
  if not entry.state then return end
  local mask = not secret.are_shown and secret.of_entry(wait, entry) or nil
  sighting.saw[entry.attempt] = evidence.of(wait, mask):line(wait:failure())
  if entry.attempt > FIRST + LAST then sighting.saw[entry.attempt - LAST] = nil end
  sighting.views = masked(views.of_attempt(wait, entry, mask), mask)
end

function Sightings:ended(wait)
  self.of[wait.key].began = loop.wall() - (loop.now() - wait.state:started())
end

return { new = new }
