---Writes a run as one HTML page that loads nothing.

local counted = require "bide.text.counted"
local markup = require "bide.record.report.format.markup"
local timeline = require "bide.record.report.format.timeline"
local version = require "bide.version"

local M = {}

local template = markup.open "page.html"
local style, script = markup.read "page.css", markup.read "page.js"
local fill, cut, escape = template.fill, markup.cut, markup.escape

-- ---- texts --------------------------------------------------------------------------------------

local time = timeline.time

---@param bytes integer
---@return string
local function size(bytes)
  if bytes < 1024 then return counted(bytes, "byte") end
  return bytes < 1 << 20 and ("%.1f KB"):format(bytes / 1024) or ("%.1f MB"):format(bytes / (1 << 20))
end

-- ---- how much is shown ----------------------------------------------------------------------------

---The most waits that are shown with all that is known; of more, each has less, and the page has a limit.
local FEW <const> = 100

---The most waits that are shown.
local MOST <const> = 1000

---The most bytes of the waits of a page, if there are many, and of the outputs, if there are few.
local LARGEST <const>, LARGEST_OUTPUTS <const> = 1950000, 1500000

---The part of each wait that is shown.
---@class bide.HtmlExtent
---@field name integer bytes
---@field message integer bytes
---@field text integer bytes of every other text
---@field attempts integer
---@field views integer
---@field grain integer the least distance of two marks of its line
---@field output integer bytes

---@type table<"few"|"many"|"bare", bide.HtmlExtent>
local extents = {
  few = { name = 300, message = 8192, text = 1000, attempts = 100, views = 50, grain = 1, output = 65536 },
  many = { name = 80, message = 240, text = 90, attempts = 3, views = 3, grain = 30, output = 1024 },
  bare = { name = 80, message = 240, text = 90, attempts = 0, views = 0, grain = 60, output = 1024 },
}

---Returns the positions of the waits that are shown: if they are too many, those that failed come first.
---@param run bide.ReportedRun
---@return integer[]
local function positions_of(run)
  local positions = {}
  for _, ended in ipairs { "failure", "waiting", "cancelled", "success" } do
    for position = 1, run.count do
      if #positions < MOST and run:end_of(position) == ended then positions[#positions + 1] = position end
    end
  end
  table.sort(positions)
  return positions
end

-- ---- a wait -----------------------------------------------------------------------------------

---Returns the class of a cell for a decision that has a colour.
local function class_of(kind) return kind ~= "retry" and (' class="%s"'):format(kind) or "" end

---@param attempt bide.ReportedAttempt
local function decision_of(attempt)
  if attempt.kind == "cut" then return "cut off" end
  if attempt.kind == "error" then return "error, retry" end
  local name = attempt.name and (" (%s)"):format(attempt.name) or ""
  return attempt.kind .. name .. (attempt.woken and ", woken" or "")
end

---@param attempt bide.ReportedAttempt
---@param extent bide.HtmlExtent
local function row_of(attempt, extent)
  local saw = { attempt.saw or attempt.error }
  saw[#saw + 1] = attempt.note
  return fill("attempt", {
    attempt = attempt.attempt, at = time(attempt.at), duration = time(attempt.duration), kind = class_of(attempt.kind),
    decision = escape(decision_of(attempt), extent.text), saw = escape(table.concat(saw, "; "), extent.text),
    delay = attempt.delay and time(attempt.delay) or "",
  })
end

---@param wait bide.ReportedWait
---@param extent bide.HtmlExtent
---@return string
local function history_of(wait, extent)
  local all, rows = wait.history, {}
  if #all == 0 or extent.attempts == 0 then return "" end
  local first = math.min(#all, extent.attempts) + 1 >> 1
  local rest = math.min(#all, extent.attempts) - first
  local gap = wait.attempts - (all[1].attempt - 1) - first - rest
  for position = 1, first do rows[position] = row_of(all[position], extent) end
  if gap > 0 then rows[#rows + 1] = fill("omitted", { words = ("%s left out"):format(counted(gap, "attempt")) }) end
  for position = #all - rest + 1, #all do rows[#rows + 1] = row_of(all[position], extent) end
  return fill("history", { rows = table.concat(rows) })
end

local matched_words = { [true] = "yes", [false] = "no" }

---@param wait bide.ReportedWait
---@param extent bide.HtmlExtent
---@return string
local function views_of(wait, extent)
  local rows, has_words = {}, wait.views[1] and wait.views[1].words
  for position = 1, math.min(#wait.views, extent.views) do
    local view = wait.views[position]
    rows[position] = fill(has_words and "view" or "value", {
      acceptor = view.acceptor, state = view.state or "", class = class_of(view.state or "retry"),
      words = escape(view.words or "", extent.text),
      matched = matched_words[view.matched] or "not asked", saw = escape(view.saw or "", extent.text),
    })
  end
  return #rows > 0 and fill(has_words and "views" or "seen", { rows = table.concat(rows) }) or ""
end

---@param wait bide.ReportedWait
---@param extent bide.HtmlExtent
---@return string
local function facts_of(wait, extent)
  local facts = {}
  local function add(name, value) facts[#facts + 1] = value and fill("fact", { name = name, value = value }) or nil end
  if extent == extents.few then
    if wait.name ~= wait.waiter then add("waiter", escape(wait.waiter, extent.text)) end
    add("operation", wait.operation and escape(wait.operation, extent.text))
    add("max wait", wait.max_wait and time(wait.max_wait))
  end
  add("ended by", wait.reason and escape(wait.acceptor and ("%s (%s)"):format(wait.reason, wait.acceptor) or wait.reason,
    extent.text))
  local input = wait:input()
  add("input", input and input ~= "{}" and escape(input, extent.text))
  return table.concat(facts)
end

---@param wait bide.ReportedWait
---@param extent bide.HtmlExtent
---@param most integer bytes
---@return string
local function output_of(wait, extent, most)
  local text = wait:output()
  most = math.min(most, extent.output)
  if not text or most < 64 then return "" end
  local whole = #text
  local part, is_cut = cut((text:sub(1, most):gsub("[&<>]", markup.entities)), most)
  is_cut = is_cut or whole > most
  return fill("output", {
    words = is_cut and (", the first %s of %s"):format(size(#part), size(whole)) or ", " .. size(whole), text = part,
  })
end

---@param wait bide.ReportedWait
---@param extent bide.HtmlExtent
---@return string
local function lines_of(wait, extent)
  local lines = {}
  for position, line in ipairs(wait.lines or {}) do
    if position > extent.attempts then break end
    lines[position] = escape(line, extent.message)
  end
  return #lines > 0 and fill("lines", { lines = table.concat(lines, "\n") }) or ""
end

local end_words = { success = "succeeded", failure = "failed", cancelled = "cancelled", waiting = "not ended" }

---Returns a wait without its last output, in two parts, between which that is put.
---@param run bide.ReportedRun
---@param position integer
---@param extent bide.HtmlExtent
---@return string before
---@return string after
local function wait_in_two(run, position, extent)
  local wait, span = run:wait(position), math.max(run.elapsed, 0.001)
  local line, end_at = timeline.draw(wait, span, extent.grain)
  local body = fill("body", {
    lines = lines_of(wait, extent), facts = extent.attempts > 0 and facts_of(wait, extent) or "",
    history = history_of(wait, extent), views = views_of(wait, extent), output = "\0",
  })
  local text = fill("wait", {
    position = position, ended = wait.ended, words = end_words[wait.ended], name = escape(wait.name, extent.name),
    message = run.count > 1 and escape(wait.message, extent.message) or "", line = line,
    end_at = ("%.4g"):format(end_at), body = body,
    elapsed = time(wait.elapsed), attempts = counted(wait.attempts, "attempt"), open = run.count == 1 and " open" or "",
  })
  return text:match "^(.-)\0(.*)$"
end

---@param run bide.ReportedRun
---@param positions integer[]
---@param extent bide.HtmlExtent
---@return string[] befores
---@return string[] afters
---@return integer size in bytes
local function waits_in_two(run, positions, extent)
  local befores, afters, bytes = {}, {}, 0
  for index, position in ipairs(positions) do
    befores[index], afters[index] = wait_in_two(run, position, extent)
    bytes = bytes + #befores[index] + #afters[index]
  end
  return befores, afters, bytes
end

---Returns all waits that are shown, within the limit of the page.
---@param run bide.ReportedRun
---@param positions integer[]
---@return string
local function waits_of(run, positions)
  local extent = run.count > FEW and extents.many or extents.few
  local befores, afters, bytes = waits_in_two(run, positions, extent)
  if run.count > FEW and bytes > LARGEST then
    extent = extents.bare
    befores, afters, bytes = waits_in_two(run, positions, extent)
  end
  local frame = template.size "output" + 40
  local most = (run.count > FEW and LARGEST - bytes or LARGEST_OUTPUTS) // #positions - frame
  local parts = {}
  for index, position in ipairs(positions) do
    parts[index] = befores[index] .. output_of(run:wait(position), extent, most) .. afters[index]
  end
  return table.concat(parts)
end

-- ---- the page ---------------------------------------------------------------------------------

local verdicts = {
  wait = { success = "succeeded", failure = "failed", cancelled = "was cancelled", waiting = "has not ended" },
  case = { success = "passed", failure = "failed", cancelled = "were cancelled", waiting = "have not ended" },
}

---@param run bide.ReportedRun
---@return string
local function figures_of(run)
  local figures = {}
  local function add(name, value) figures[#figures + 1] = fill("figure", { name = name, value = value }) end
  for _, row in ipairs { { "success", "Succeeded" }, { "failure", "Failed" }, { "cancelled", "Cancelled" },
    { "waiting", "Not ended" } } do
    if run.count > 1 and run.ends[row[1]] > 0 then add(row[2], run.ends[row[1]]) end
  end
  add("Attempts", run.attempts)
  add("Time", time(run.elapsed))
  add("Began", os.date("!%Y-%m-%d %H:%M:%S UTC", run.began // 1000))
  return table.concat(figures)
end

---@param run bide.ReportedRun
---@return string
local function filters_of(run)
  local filters = {}
  for _, ended in ipairs { "failure", "waiting", "cancelled", "success" } do
    if run.ends[ended] > 0 then
      filters[#filters + 1] = fill("filter", { ended = ended, count = run.ends[ended], words = end_words[ended] })
    end
  end
  return table.concat(filters)
end

---The number of waits from which it is drawn how many were under way.
local CROWD <const> = 20

---@param run bide.ReportedRun
---@param span number seconds
---@return string
local function course_of(run, span)
  if run.count < CROWD or run.noun ~= "wait" then return "" end
  local line, most = timeline.course(run, span)
  return fill("course", {
    line = line, area = line .. "V100H0Z", most = most, elapsed = time(span),
    words = ("How many waits were under way over %s: at most %d at once"):format(time(span), most),
  })
end

---@param run bide.ReportedRun
---@param positions integer[]
---@return string
local function notice_of(run, positions)
  if #positions == run.count then return "" end
  return fill("notice", {
    words = ("%d of %s are shown here, those that failed before others; --output json has all."):format(#positions,
      counted(run.count, run.noun)),
  })
end

---@param run bide.ReportedRun
---@return string document
function M.document(run)
  local positions, span = positions_of(run), math.max(run.elapsed, 0.001)
  return fill("page", {
    style = style, script = script, style_hash = markup.hash(style), script_hash = markup.hash(script),
    version = version, title = escape(run.title, 300),
    verdict = verdicts[run.noun][run.state], state = run.state, message = escape(run.message, 8192),
    figures = figures_of(run), course = course_of(run, span),
    waits_title = run.noun == "case" and "Cases" or run.count == 1 and "Timeline" or "Waits",
    filters = run.count > 1 and filters_of(run) or "", notice = notice_of(run, positions), ticks = timeline.axis(span, template),
    waits = waits_of(run, positions),
  })
end

return M
