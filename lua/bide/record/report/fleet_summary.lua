---The result of a fleet for people: its failures, at most a screen of them, and a sentence.

local counts = require("bide.wait.fleet").counts
local is_failure = require("bide.wait.reasons").is_failure
local secret = require "bide.text.secret"

local M = {}

local MOST = 20 -- lines, so that a screen of 24 has room for the command and the sentence

---Returns the waits to be listed: those that failed, or all.
local function positions_of(fleet, is_verbose)
  local positions = {}
  for position = 1, fleet.count do
    if is_verbose or is_failure(fleet.records[position]) then positions[#positions + 1] = position end
  end
  return positions
end

---Returns a line for each failure, one for the cancelled waits, and the sentence of the fleet.
---@param fleet bide.FleetRecord of a list of waits
---@param name_of fun(position: integer): string what a wait is called
---@param is_verbose boolean whether every wait is listed
---@return string ... lines
function M.lines(fleet, name_of, is_verbose)
  local positions, lines = positions_of(fleet, is_verbose), {}
  local most = is_verbose and #positions or MOST
  for index = 1, math.min(#positions, most) do
    local position = positions[index]
    lines[index] = ("%s: %s"):format(name_of(position), secret.clear(fleet.records[position]).message)
  end
  if #positions > most then lines[#lines + 1] = ("… and %d more; --output json has them all"):format(#positions - most) end
  if fleet.state == "failure" and fleet.cancelled > 0 and not is_verbose then
    lines[#lines + 1] = ("%d wait%s cancelled"):format(fleet.cancelled, fleet.cancelled == 1 and " was" or "s were")
  end
  lines[#lines + 1] = counts(fleet) -- the lines above have the reasons
  return table.unpack(lines)
end

return M
