---Attempts in a row that ended alike, in words: a success that has to hold, and errors that
---are tolerated although no acceptor matched them.

local core = require "bide.core"
local duration = require "bide.duration"
local span_of = require "bide.wait.span"

local M = {}

local words = {
  held = {
    attempts = function(count, _, span) return ("held for %d of %s"):format(count, span_of.describe(span)) end,
    time = function(_, time, span) return ("held for %s of %s"):format(duration.format(time), duration.format(span)) end,
  },
  tolerated = {
    attempts = function(count, _, span) return ("tolerated, %d of at most %d in a row"):format(count, span) end,
    time = function(_, time, span)
      return ("tolerated for %s of at most %s"):format(duration.format(time), duration.format(span))
    end,
  },
}

---How far it has come by an attempt that has just ended; nil where there is none.
---@param state bide.WaitState
---@return string? text
---@return "held"|"tolerated"|nil kind
---@return integer? count
function M.describe(state)
  local kind, count, since, unit, span = state:streak()
  if not kind then return nil end
  return words[kind][unit](count, core.loop.now() - since, span), kind, count
end

---How long a success has held: `held for 3 attempts`; nil where none had to.
---@param state bide.WaitState
---@return string?
function M.held(state)
  local kind, _, _, unit, span = state:streak()
  if kind ~= "held" then return nil end
  return "held for " .. (unit == "attempts" and span_of.describe(span) or duration.format(span))
end

---How many errors were tolerated before one that was not any more.
---@param state bide.WaitState
---@return string?
function M.used_up(state)
  local kind, count, _, unit, span = state:streak()
  if kind ~= "tolerated" then return nil end
  if unit == "time" then return (", after %s of tolerating such errors"):format(duration.format(span)) end
  return (", after %d such error%s in a row had been tolerated"):format(count - 1, count == 2 and "" or "s")
end

---How far a hold had come that did not come to its end: nobody has looked since its last attempt.
---@param state bide.WaitState
---@return string?
function M.broken_off(state)
  local kind, count, _, unit, span = state:streak()
  if kind ~= "held" then return nil end
  return unit == "attempts" and words.held.attempts(count, nil, span)
    or "held for less than " .. duration.format(span)
end

return M
