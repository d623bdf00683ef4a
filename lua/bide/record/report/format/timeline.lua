---Draws the times of a run as paths of SVG, in a box that is 1000 wide: attempts, the delays between them, the ticks of the
---axis, and how many waits were under way.

local duration = require "bide.text.duration"

local M = {}

---The width of every box.
M.WIDTH = 1000

---Steps of an axis, in seconds.
local steps = { 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400 }

---Returns the step of the ticks of an axis.
---@param span number seconds
---@param most integer of ticks after the first
---@return number seconds
local function step_of(span, most)
  local least = span / most
  local power = 10 ^ math.floor(math.log(least, 10))
  if least > steps[#steps] then return math.ceil(least / steps[#steps]) * steps[#steps] end
  if least > 1 then
    for _, step in ipairs(steps) do
      if step >= least then return step end
    end
  end
  for _, factor in ipairs { 1, 2, 5 } do
    if factor * power >= least * (1 - 1e-9) then return factor * power end
  end
  return 10 * power
end

---@param seconds number
---@return string
function M.time(seconds) return duration.format(duration.of_seconds(seconds) or 0) end

---Draws the ticks of an axis, by the template `tick` of a page.
---@param span number seconds
---@param template bide.PageTemplates
---@return string
function M.axis(span, template)
  local step, ticks = step_of(span, 5), {}
  for number = 0, math.floor(span / step + 1e-9) do
    local at = number * step / span * 100
    ticks[number + 1] = template.fill("tick", {
      x = ("%.4g"):format(at), words = M.time(number * step),
      side = number == 0 and "left" or at > 95 and "right" or "middle",
    })
  end
  return table.concat(ticks)
end

---@param seconds number
---@param span number
---@return integer
local function x_of(seconds, span)
  return math.floor(math.min(math.max(seconds / span, 0), 1) * M.WIDTH + 0.5)
end

---Joins the attempts that are closer to each other than the grain, so that a row of many stays short.
---@param attempts bide.ReportedAttempt[]
---@return table<string, string[]> paths by what is drawn: "error", or "answer" for all others
local function marks_of(attempts, began, span, grain)
  local paths, last = { answer = {}, error = {} }, {}
  for _, attempt in ipairs(attempts) do
    local kind = attempt.kind == "error" and "error" or "answer"
    local x = x_of(began + attempt.at, span)
    if not last[kind] or x - last[kind] >= grain then
      local width = x_of(began + attempt.at + attempt.duration, span) - x
      table.insert(paths[kind], kind == "error" and ("M%d 6v12"):format(x) or ("M%d 12h%d"):format(x, width))
      last[kind] = x
    end
  end
  return paths
end

---Draws a wait: a line from its beginning to its end, a dot for each answer, as long as that took, and a bar for each error.
---@param wait bide.ReportedWait
---@param span number seconds of the run
---@param grain integer the least distance of two marks
---@return string paths
---@return number end_at in hundredths of the width
function M.draw(wait, span, grain)
  local first, last = x_of(wait.began, span), x_of(wait.began + wait.elapsed, span)
  local marks = marks_of(wait.history, wait.began, span, grain)
  local parts = { ('<path class="d" d="M%d 12H%d"/>'):format(first, last) }
  if #marks.answer > 0 then parts[#parts + 1] = ('<path class="r" d="%s"/>'):format(table.concat(marks.answer)) end
  if #marks.error > 0 then parts[#parts + 1] = ('<path class="e" d="%s"/>'):format(table.concat(marks.error)) end
  return table.concat(parts), last / M.WIDTH * 100
end

---The number of moments at which the waits under way are counted.
local MOMENTS <const> = 250

---Draws how many waits were under way, in a box that is 100 high.
---@param run bide.ReportedRun
---@param span number seconds
---@return string line a path
---@return integer most at once
function M.course(run, span)
  local change, count, most, counts = {}, 0, 1, {}
  for position = 1, run.count do
    local began = run:begin_of(position)
    local first = math.floor(began / span * MOMENTS)
    local after = math.floor((began + run:elapsed_of(position)) / span * MOMENTS) + 1
    change[first], change[after] = (change[first] or 0) + 1, (change[after] or 0) - 1
  end
  for moment = 0, MOMENTS do
    count = count + (change[moment] or 0)
    counts[moment], most = count, math.max(most, count)
  end
  local parts, before = {}, nil
  for moment = 0, MOMENTS do
    local y = 100 - math.floor(counts[moment] / most * 94 + 0.5)
    if y ~= before then
      local x = moment * M.WIDTH // MOMENTS
      parts[#parts + 1] = before and ("H%dV%d"):format(x, y) or ("M%d %d"):format(x, y)
    end
    before = y
  end
  return table.concat(parts) .. "H" .. M.WIDTH, most
end

return M
