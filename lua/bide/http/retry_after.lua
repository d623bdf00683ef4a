---How long a service asks to be left alone: the header Retry-After (RFC 9110, 10.2.3), as seconds or as a date.

local core = require "bide.core"
local date = require "bide.http.date"

---A longer time is none that anybody would wait; and so nothing that is computed with it overflows.
local LONGEST = 10 ^ 9

---@param headers table<string, string> of the response
---@param now number? seconds since 1970; the system's clock otherwise
---@return number? seconds from now on, 0 or more; nil where the header is absent or means nothing
return function(headers, now)
  local text = headers["retry-after"]
  if not text then return nil end
  local seconds = text:match("^%d+$")
  if seconds then return math.min(tonumber(seconds), LONGEST) end
  local at = date(text)
  return at and math.min(math.max(at - (now or core.loop.wall() / 1000), 0), LONGEST)
end
