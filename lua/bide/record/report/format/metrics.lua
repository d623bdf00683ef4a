---Writes a run as metrics in the text format of Prometheus and OpenMetrics, for the textfile collector of node_exporter. All
---are gauges: they say how the last run was.

local shown = require "bide.text.shown"
local tables = require "bide.text.tables"

local M = {}

---The most waits that have metrics of their own: each is a series of its own.
local MOST <const> = 100

---Returns a text for the value of a label.
local function escaped(text)
  return (shown.line(text):gsub("\\", "\\\\"):gsub('"', '\\"'))
end

---@param number number
local function written(number) return math.type(number) == "integer" and tostring(number) or ("%.14g"):format(number) end

local function add_family(lines, name, help)
  lines[#lines + 1] = ("# HELP %s %s"):format(name, help)
  lines[#lines + 1] = ("# TYPE %s gauge"):format(name)
end

---@param lines string[]
---@param help string
---@param value number
local function add_one(lines, name, help, value)
  add_family(lines, name, help)
  lines[#lines + 1] = ("%s %s"):format(name, written(value))
end

---The metrics of a wait.
local of_wait = {
  { "bide_wait_success", "Whether the wait has succeeded.", function(wait) return wait.ended == "success" and 1 or 0 end },
  { "bide_wait_duration_seconds", "The time from the beginning of the wait to its end.",
    function(wait) return wait.elapsed end },
  { "bide_wait_attempts", "The number of attempts of the wait.", function(wait) return wait.attempts end },
}

---Returns the labels of a wait. A name that another wait has is followed by the position.
local function labels_of(wait, position, taken)
  local name = taken[wait.name] and ("%s #%d"):format(wait.name, position) or wait.name
  taken[wait.name] = true
  return ('wait="%s",waiter="%s",reason="%s"'):format(escaped(name), escaped(wait.waiter), escaped(wait.reason or ""))
end

---@param run bide.ReportedRun
local function add_waits(lines, run)
  local samples, taken, position = {}, {}, 0
  for wait in run:waits() do
    position = position + 1
    local labels = labels_of(wait, position, taken)
    for index, row in ipairs(of_wait) do
      samples[index] = samples[index] or {}
      table.insert(samples[index], ("%s{%s} %s"):format(row[1], labels, written(row[3](wait))))
    end
  end
  for index, row in ipairs(of_wait) do
    add_family(lines, row[1], row[2])
    tables.append(lines, samples[index])
  end
end

---@param run bide.ReportedRun
---@return string document
function M.document(run)
  local lines = {}
  add_one(lines, "bide_run_success", "Whether the last run has succeeded.", run.state == "success" and 1 or 0)
  add_one(lines, "bide_run_duration_seconds", "The time from the beginning of the last run to the end of its last wait.",
    run.elapsed)
  add_one(lines, "bide_run_end_timestamp_seconds", "When the last run ended, in seconds since 1970.",
    run.began / 1000 + run.elapsed)
  add_one(lines, "bide_run_attempts", "The number of attempts of the last run.", run.attempts)
  add_family(lines, "bide_run_waits", "The number of waits of the last run, by their end.")
  for _, ended in ipairs { "success", "failure", "cancelled" } do
    lines[#lines + 1] = ('bide_run_waits{state="%s"} %d'):format(ended, run.ends[ended])
  end
  if run.count <= MOST then add_waits(lines, run) end
  lines[#lines + 1] = "# EOF"
  return table.concat(lines, "\n") .. "\n"
end

return M
