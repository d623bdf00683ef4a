---Writes a run as the summary of a job of GitHub, in its Markdown: a sentence, and a table of the waits, those that failed
---first.

local duration = require "bide.text.duration"
local shown = require "bide.text.shown"

local M = {}

---The most waits of a summary, and its most bytes. GitHub refuses all summaries of a step if they are above 1 MiB together.
local MOST <const>, LARGEST <const> = 200, 256 * 1024

---The most bytes of a text.
local LONGEST <const> = 300

local icons = { success = "✅", failure = "❌", cancelled = "⬜", waiting = "⏳" }
local words = { success = "succeeded", failure = "failed", cancelled = "cancelled", waiting = "not ended" }

---Returns a text in which nothing is markup: neither Markdown's nor HTML's, no link, and no name of a person or an issue.
---@param text string
---@return string
local function escaped(text)
  text = shown.line(text)
  if #text > LONGEST then text = text:sub(1, LONGEST):gsub("[\xC0-\xFF][\x80-\xBF]*$", "") .. "…" end
  return (text:gsub("[^%w%s\x80-\xFF,;()]", function(character) return ("&#%d;"):format(character:byte()) end))
end

---@param seconds number
local function time(seconds) return duration.format(duration.of_seconds(seconds) or 0) end

---@param wait bide.ReportedWait
local function row_of(wait)
  return ("| %s %s | %s | %s | %d | %s |"):format(icons[wait.ended], words[wait.ended], escaped(wait.name), time(wait.elapsed),
    wait.attempts, escaped(wait.message))
end

---Adds rows of the waits that have ended so, as long as there is room.
---@return integer count of the rows that were added
local function add_rows(lines, run, ended, room)
  local count = 0
  for position = 1, run.count do
    if count < room.rows and room.bytes > 0 and run:end_of(position) == ended then
      local row = row_of(run:wait(position))
      lines[#lines + 1], count, room.bytes = row, count + 1, room.bytes - #row
    end
  end
  room.rows = room.rows - count
  return count
end

---@param run bide.ReportedRun
---@return string document
function M.document(run)
  local lines = {
    ("### %s %s %s"):format(icons[run.state], escaped(run.title), words[run.state]), "", escaped(run.message), "",
    "| | wait | time | attempts | |", "|---|---|---:|---:|---|",
  }
  local room, count = { rows = MOST, bytes = LARGEST }, 0
  for _, ended in ipairs { "failure", "waiting", "cancelled", "success" } do
    count = count + add_rows(lines, run, ended, room)
  end
  if count < run.count then
    table.move({ "", ("%d of %d waits are shown here."):format(count, run.count) }, 1, 2, #lines + 1, lines)
  end
  return table.concat(lines, "\n") .. "\n\n"
end

return M
