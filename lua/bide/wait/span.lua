---Spans: so many attempts in a row, or so long.

local duration = require "bide.duration"

local M = {}

local wanted = 'a number of attempts such as 5, or a duration with its unit, such as "30s"'

local function of_text(text)
  if text:find("^%d+%.?%d*$") then return M.of_count(tonumber(text)) end
  local milliseconds, mistake = duration.parse(text)
  if not milliseconds then return nil, nil, mistake end
  return 0, milliseconds
end

---@param count any
---@return integer? attempts
---@return integer? time
---@return string? mistake
function M.of_count(count)
  local attempts = math.tointeger(count)
  if attempts and attempts >= 1 then return attempts, 0 end
  return nil, nil, ("found %s, wanted a whole number of attempts above 0"):format(tostring(count))
end

---`{ attempts = 5 }` or `{ seconds = 30 }`.
---@param members table
---@return integer? attempts
---@return integer? time
---@return string? mistake
function M.of_table(members)
  local name, value = next(members)
  if next(members, name) == nil then
    if name == "attempts" then return M.of_count(value) end
    if name == "seconds" then
      local milliseconds, mistake = duration.read(value)
      if not milliseconds then return nil, nil, mistake end
      return 0, milliseconds
    end
  end
  return nil, nil, "wanted exactly one of attempts and seconds"
end

---`3 attempts`, `30 s`
---@param attempts integer? 0 or nil where it is a time
---@param time integer? milliseconds
---@return string
function M.describe(attempts, time)
  if not attempts or attempts == 0 then return duration.format(time) end
  return ("%d attempt%s"):format(attempts, attempts == 1 and "" or "s")
end

---Reads `5`, `"5"`, `"30s"` and what M.of_table reads.
---@param value any
---@return integer? attempts 0 where it is a time
---@return integer? time milliseconds; 0 where it is a number of attempts
---@return string? mistake
function M.read(value)
  if type(value) == "number" then return M.of_count(value) end
  if type(value) == "string" then return of_text(value) end
  if type(value) == "table" then return M.of_table(value) end
  return nil, nil, ("found a %s, wanted %s"):format(type(value), wanted)
end

return M
