---Lays out progress: makes lines of what is known of the waits, for a terminal of some size or for a log. It reads no
---clock, asks no wait and writes nothing.

local columns = require "bide.record.report.progress.columns"
local counted = require "bide.text.counted"
local duration = require "bide.text.duration"
local shown = require "bide.text.shown"

local M = {}

---The shown state of one wait. Times are milliseconds.
---@class bide.layout.Wait
---@field name string
---@field seen? string the last state that was seen
---@field attempt integer 0 before the first
---@field elapsed integer
---@field limit integer
---@field state "queued"|"asking"|"sleeping"|"succeeded"|"failed"
---@field next? integer the time until the next attempt
---@field wish? string what Retry-After has to do with that time
---@field message? string once it has ended
---@field note? string how the attempt came to its answer, for a log

---The shown state of a fleet.
---@class bide.layout.Fleet
---@field name? string the waiter, if all waits have the same
---@field count integer
---@field queued integer how many wait for their turn
---@field asking integer
---@field sleeping integer
---@field succeeded integer
---@field failed integer
---@field cancelled integer
---@field attempts integer
---@field rate? number attempts per second of late
---@field tolerated integer how many errors
---@field elapsed integer
---@field limit integer
---@field slowest bide.layout.Wait[]

---A state that is cut to fewer columns says nothing.
local LEAST = 8

---The least number of columns that has room for words that explain.
local WIDE = 60

local SPINNER = { "|", "/", "-", "\\" }

---The words with a colour.
local styles = { succeeded = "succeeded", failed = "failed" }

---@param turn integer
---@return string
local function spinner(turn)
  return SPINNER[turn % #SPINNER + 1] .. " "
end

---Milliseconds that people can read while they change.
local TENTH = 100

---@param step? integer milliseconds of which the time is a multiple
local function clock(one, step)
  return ("%s of %s"):format(duration.format(one.elapsed // (step or 1) * (step or 1)), duration.format(one.limit))
end

-- ---- one wait -------------------------------------------------------------------------------

local function with_wish(one, text)
  return one.wish and ("%s, %s"):format(text, one.wish) or text
end

local function next_step(one)
  if not one.next then return one.state end
  local text = one.attempt == 0 and "first attempt in %s" or "next in %s"
  return with_wish(one, text:format(duration.format(one.next // TENTH * TENTH)))
end

---The parts behind the state. The last ones are left out first.
local function details(one)
  local parts = { clock(one, TENTH), next_step(one) }
  if one.attempt > 0 then table.insert(parts, 1, ("attempt %d"):format(one.attempt)) end
  return parts
end

---Joins name, state and details to at most `room` columns; the state is shortened first.
local function fit(name, seen, parts, room)
  local head = shown.line(name) .. ": "
  local least = seen and math.min(LEAST, columns.of(seen)) or 0
  while #parts > 0 do
    local tail = (seen and ", " or "") .. table.concat(parts, ", ")
    local left = room - columns.of(head) - #tail
    if left >= least then return head .. columns.cut(seen or "", left) .. tail end
    parts[#parts] = nil
  end
  return columns.cut(head .. (seen or ""), room)
end

---@param one bide.layout.Wait
---@param room integer
---@return bide.Span
local function span_of(one, room)
  if one.message then
    return { columns.cut(shown.line(("%s: %s"):format(one.name, one.message)), room), style = one.state }
  end
  return { fit(one.name, one.seen and shown.line(one.seen), details(one), room) }
end

---`| ThingExists: status is "pending", attempt 3, 6.2 s of 5 m, next in 2 s`
---@param one bide.layout.Wait
---@param turn integer of the spinner
---@param width integer columns
---@return bide.Span[] line
function M.wait(one, turn, width)
  local mark = one.message and "  " or spinner(turn)
  if width <= #mark then return { { columns.cut(mark, width) } } end
  return { { mark }, span_of(one, width - #mark) }
end

---A line for each wait, as many as fit, and how many more there are.
---@param waits bide.layout.Wait[] all of them, or the first `height`
---@param count integer of all waits
---@param turn integer
---@param width integer columns
---@param height integer rows
---@return bide.Span[][] lines
function M.waits(waits, count, turn, width, height)
  local most = count <= height and count or math.max(height - 1, 0)
  local lines = {}
  for position = 1, most do lines[position] = M.wait(waits[position], turn, width) end
  if most < count and height > 0 then
    lines[most + 1] = { { columns.cut(("  … and %s"):format(counted(count - most, "more wait")), width) } }
  end
  return lines
end

---Returns the line of a wait in a log: `ThingExists: attempt 3, 6.2 s of 5 m: status is "pending", next in 2 s`.
---@param one bide.layout.Wait
---@param word? string in place of the attempt
---@return string
function M.line_of_wait(one, word)
  word = word or one.attempt == 0 and "no attempt yet" or ("attempt %d"):format(one.attempt)
  local text = ("%s: %s, %s"):format(one.name, word, clock(one))
  if one.seen then text = ("%s: %s"):format(text, one.seen) end
  if one.note and not text:find(one.note, 1, true) then text = ("%s (%s)"):format(text, one.note) end
  return one.next and with_wish(one, ("%s, next in %s"):format(text, duration.format(one.next))) or text
end

-- ---- a fleet --------------------------------------------------------------------------------

local function ended_of(fleet)
  return fleet.succeeded + fleet.failed + fleet.cancelled
end

local function rate_of(fleet)
  return (fleet.rate < 9.95 and "%.1f/s" or "%.0f/s"):format(fleet.rate)
end

local function progress_of(fleet)
  local name = fleet.name and shown.line(fleet.name) .. ": " or ""
  local parts = {
    { ("%s%d of %d waits have ended"):format(name, ended_of(fleet), fleet.count) },
    { clock(fleet, TENTH) }, { counted(fleet.attempts, "attempt") },
  }
  if fleet.rate then parts[4] = { rate_of(fleet) } end
  if fleet.tolerated > 0 then parts[#parts + 1] = { counted(fleet.tolerated, "error") .. " tolerated" } end
  return parts
end

local function states_of(fleet)
  local parts = {}
  for _, state in ipairs { "queued", "asking", "sleeping", "succeeded", "failed", "cancelled" } do
    local number = fleet[state]
    if state ~= "cancelled" or number > 0 then
      parts[#parts + 1] = { ("%d %s"):format(number, state), style = number > 0 and styles[state] or nil }
    end
  end
  return parts
end

---Adds parts to lines, with commas between them and as many on a line as fit.
---@param lines bide.Span[][]
---@param mark string before the first line
---@param parts bide.Span[]
---@param width integer
local function pack(lines, mark, parts, width)
  local line, used = { { mark } }, #mark
  for position, part in ipairs(parts) do
    local text, comma = columns.cut(part[1], width - 3), position < #parts and "," or ""
    local blank = #line > 1 and " " or ""
    if #line > 1 and used + columns.of(blank .. text .. comma) > width then
      lines[#lines + 1], line, used, blank = line, { { "  " } }, 2, ""
    end
    table.move({ { blank }, { text, style = part.style }, { comma } }, 1, 3, #line + 1, line)
    used = used + columns.of(blank .. text .. comma)
  end
  lines[#lines + 1] = line
end

---The counts of a fleet, and those of its waits that have been running longest.
---@param fleet bide.layout.Fleet
---@param turn integer
---@param width integer columns
---@param height integer rows
---@return bide.Span[][] lines
function M.fleet(fleet, turn, width, height)
  local lines = {}
  if width < LEAST then return M.waits(fleet.slowest, #fleet.slowest, turn, width, height) end
  pack(lines, spinner(turn), progress_of(fleet), width)
  pack(lines, "  ", states_of(fleet), width)
  local mark = width >= WIDE and "  slowest: " or "    "
  for position, one in ipairs(fleet.slowest) do
    lines[#lines + 1] = { { position == 1 and mark or (" "):rep(#mark) }, span_of(one, width - #mark) }
  end
  return table.move(lines, 1, math.min(height, #lines), 1, {})
end

---Returns the line of a fleet in a log, without the slowest waits: `13 s of 5 m, 20/s: 60 queued, 20 asking, 380 sleeping;
---40 of 500 waits have ended: 38 succeeded, 2 failed; 612 attempts`.
---@param fleet bide.layout.Fleet
---@return string
function M.line_of_fleet(fleet)
  local texts = { clock(fleet) .. (fleet.rate and ", " .. rate_of(fleet) or "") }
  texts[2] = (": %d queued, %d asking, %d sleeping"):format(fleet.queued, fleet.asking, fleet.sleeping)
  texts[3] = ("; %d of %d waits have ended: %d succeeded, %d failed"):format(ended_of(fleet), fleet.count, fleet.succeeded,
    fleet.failed)
  if fleet.cancelled > 0 then texts[4] = (", %d cancelled"):format(fleet.cancelled) end
  texts[#texts + 1] = "; " .. counted(fleet.attempts, "attempt")
  if fleet.tolerated > 0 then texts[#texts + 1] = ("; warning: %s tolerated"):format(counted(fleet.tolerated, "error")) end
  return table.concat(texts)
end

return M
