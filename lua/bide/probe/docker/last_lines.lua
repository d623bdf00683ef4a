---The last lines of a container's log, for the sentence that says why a wait has failed.

local frames = require "bide.probe.docker.frames"
local http = require "bide.http"
local tail = require "bide.probe.exec.tail"

---Pieces of the log that are asked for: Docker cuts a long line into several, and empty lines are left out.
local PIECES = 20

---The most bytes of them. Docker cuts lines at 16 KiB; other programs may send any.
local LIMIT = 1024 * 1024

---The most seconds for them: what has failed shall be said soon.
local TIMEOUT = 5

---Asks for the end of a log, and adds it to what is kept.
---@return string? mistake
local function read(request, has_terminal, kept)
  local response = http.request(request)
  local failure = response:operation_error()
  if failure then return failure.message end
  local reading = frames.new(has_terminal, function(bytes) kept:add(bytes) end)
  if not reading:add(response.body) then return "the answer is not a log" end
end

---Returns the last lines of a log in words, or why there are none.
---@param request bide.http.Request for the log, without a query
---@param has_terminal boolean
---@return string
return function(request, has_terminal)
  request.query = { stdout = "true", stderr = "true", tail = PIECES }
  request.body_limit, request.timeout = LIMIT, math.min(request.timeout or TIMEOUT, TIMEOUT)
  local kept = tail.new()
  local ok, mistake = pcall(read, request, has_terminal, kept)
  if not ok then
    if type(mistake) ~= "table" then error(mistake, 0) end
    mistake = mistake.message
  end
  if mistake then return "its log cannot be read: " .. mistake end
  local lines = kept:lines()
  if #lines == 0 then return "its log is empty" end
  return "its last lines: " .. table.concat(lines, " | ")
end
