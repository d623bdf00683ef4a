---Writes a run as TAP, version 13: a line for each wait.

local shown = require "bide.text.shown"

local M = {}

---Returns a text for the description of a test, in which "#" begins a directive.
local function escaped(text)
  return (shown.line(text):gsub("\\", "\\\\"):gsub("#", "\\#"))
end

M.escaped = escaped

---@param wait bide.ReportedWait
---@param number integer
---@return string
local function line_of(wait, number)
  local is_ok = wait.junit == "success" or wait.junit == "skipped"
  local line = ("%s %d - %s"):format(is_ok and "ok" or "not ok", number, escaped(wait.name))
  if wait.junit == "skipped" then return line .. " # SKIP " .. escaped(wait.message) end
  return ("%s\n# %s"):format(line, shown.line(wait.message))
end

---@param run bide.ReportedRun
---@return string document
function M.document(run)
  local lines = { "TAP version 13", ("1..%d"):format(run.count) }
  for wait in run:waits() do
    lines[#lines + 1] = line_of(wait, #lines - 1)
    for _, line in ipairs(wait.lines or {}) do lines[#lines + 1] = "# " .. shown.line(line) end
  end
  return table.concat(lines, "\n") .. "\n"
end

return M
