---`--explain`: for each attempt what it returned, and for each acceptor the value that it looked at and why it did or
---did not match. An observer of waits; it keeps the texts of as many attempts as a history does.

local duration = require "bide.text.duration"
local evidence = require "bide.wait.evidence"
local views = require "bide.record.report.views"
local secret = require "bide.text.secret"
local shown = require "bide.text.shown"

local M = {}

local FIRST, LAST = 50, 50

---@class bide.ExplainedAttempt
---@field attempt integer
---@field heading string
---@field body string lines

---@class bide.Explanation
---@field title string
---@field attempts bide.ExplainedAttempt[]
---@field made integer? how many attempts were made, once the wait has ended
---@field omitted integer how many are left out between the first and the last

---@class bide.Explainer
---@field label (fun(wait: bide.Wait, key: any): string)? what a wait of several is called
---@field of_wait table<any, bide.Explanation> by the keys of the waits
---@field keys any[] those of the waits that are shown, in the order in which they ended
local Explainer = {}
Explainer.__index = Explainer

---@param label? fun(wait: bide.Wait, key: any): string
---@return bide.Explainer
function M.new(label)
  return setmetatable({ label = label, of_wait = {}, keys = {} }, Explainer)
end

local function decision(wait, entry)
  if not entry.state then return wait.script_error and "a script error" or "cut off" end
  local cause = entry.acceptor and ("acceptor %d matched"):format(entry.acceptor)
    or wait.error and "no acceptor matched the error" or "no acceptor matched"
  if entry.state ~= "retry" then return ("%s: %s"):format(cause, entry.state) end
  return entry.delay and ("%s: retry in %s"):format(cause, duration.format(duration.of_seconds(entry.delay)))
    or cause .. ": this attempt was the last"
end

local function heading(wait, entry)
  local text = ("attempt %d, at %s, took %s: %s"):format(entry.attempt,
    duration.format(duration.of_seconds(entry.at)), duration.format(duration.of_seconds(entry.duration)),
    decision(wait, entry))
  if entry.woken then text = text .. ", woken by an event" end
  return entry.note and ("%s (%s)"):format(text, entry.note) or text
end

local answers = { [true] = "yes", [false] = "no" }

---@param view bide.View
local function line_of(view)
  return ("  acceptor %d, %s, %s: %s%s"):format(view.acceptor, view.state, view.words, answers[view.matched] or "not asked",
    view.saw and ", " .. view.saw or "")
end

local function body(wait, entry, mask)
  if not entry.state then return "" end
  local lines = { "  it returned " .. evidence.of(wait, mask):answer() }
  for _, view in ipairs(views.of_attempt(wait, entry, mask)) do lines[#lines + 1] = line_of(view) end
  if wait.doubt then lines[#lines + 1] = "  " .. wait.doubt end
  if wait.unread and wait.state:is_blind() then lines[#lines + 1] = "  " .. wait.unread end
  for position, line in ipairs(lines) do lines[position] = shown.line(mask and mask:text(line) or line) end
  return table.concat(lines, "\n")
end

function Explainer:started(wait)
  local name = wait.waiter.name
  self.of_wait[wait.key] = {
    title = self.label and ("%s (%s)"):format(name, self.label(wait, wait.key)) or name, attempts = {}, omitted = 0,
  }
end

function Explainer:attempted(wait, entry)
  local mask = not secret.are_shown and secret.of_entry(wait, entry) or nil
  local explanation = self.of_wait[wait.key]
  local text = heading(wait, entry)
  table.insert(explanation.attempts, {
    attempt = entry.attempt, heading = shown.line(mask and mask:text(text) or text), body = body(wait, entry, mask),
  })
  if #explanation.attempts <= FIRST + LAST then return end
  table.remove(explanation.attempts, FIRST + 1)
  explanation.omitted = explanation.omitted + 1
end

---Of several waits only those that failed are shown.
function Explainer:ended(wait, record)
  if self.label and (record.state == "success" or record.reason == "cancelled") then
    self.of_wait[wait.key] = nil
  else
    table.insert(self.keys, wait.key)
    self.of_wait[wait.key].made = record.attempts
  end
end

---Adds the attempts; what several in a row saw alike is there once.
local function add_attempts(lines, explanation)
  local before
  for position, one in ipairs(explanation.attempts) do
    if position == FIRST + 1 and explanation.omitted > 0 then
      lines[#lines + 1] = ("… %d attempts are left out"):format(explanation.omitted)
    end
    local is_same = one.body ~= "" and before and before.body == one.body
    lines[#lines + 1] = one.heading
    lines[#lines + 1] = is_same and ("  as in attempt %d"):format(before.attempt) or one.body ~= "" and one.body or nil
    before = is_same and before or one
  end
end

local function add_lines(lines, explanation)
  local first = explanation.attempts[1]
  lines[#lines + 1] = shown.line(explanation.title .. ", attempt by attempt:")
  local before = (first and first.attempt or explanation.made + 1) - 1
  if before > 0 then lines[#lines + 1] = ("attempts up to %d were made by an earlier process"):format(before) end
  if not first and before == 0 then lines[#lines + 1] = "no attempt was made" end
  add_attempts(lines, explanation)
end

---Returns the explanations of the waits that have ended; nil if none is to be shown.
---@return string? lines
function Explainer:text()
  local lines = {}
  for _, key in ipairs(self.keys) do add_lines(lines, self.of_wait[key]) end
  return #lines > 0 and table.concat(lines, "\n") or nil
end

return M
