---The exit codes: one for each cause, so that a script can tell them apart.

local M = {
  SUCCESS = 0,
  FAILURE = 1,
  USAGE = 2,
  UNMATCHED_ERROR = 3,
  MAX_ATTEMPTS = 4,
  SCRIPT_ERROR = 5,
  MAX_WAIT = 124,
  NO_COMMAND = 127,
  SIGNAL = 128, -- and the signal's number
}

local by_reason = {
  unmatchedError = M.UNMATCHED_ERROR, maxAttempts = M.MAX_ATTEMPTS,
  maxWait = M.MAX_WAIT, scriptError = M.SCRIPT_ERROR,
}

---@param record table an outcome
---@param signal integer? the number of the signal that ended it
---@return integer
function M.of(record, signal)
  if record.reason == "cancelled" then return M.SIGNAL + (signal or 2) end
  if record.state == "success" then return M.SUCCESS end
  return by_reason[record.reason] or M.FAILURE
end

return M
