---Timestamps: seconds since 1970, with a fraction, in the data, and one of three forms of text on the wire (Smithy 2.0,
---"timestampFormat").

local http_date = require "bide.text.http_date"

local M = {}

local function whole(seconds)
  return math.tointeger(seconds) or seconds
end

---Returns a fraction of a second with as many digits as it needs, at most three; "" if there is none.
local function fraction_of(seconds)
  local milliseconds = math.floor((seconds - math.floor(seconds)) * 1000 + 0.5)
  return milliseconds > 0 and (("." .. ("%03d"):format(math.min(milliseconds, 999))):gsub("0+$", "")) or ""
end

local weekdays = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" }
local months = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" }

local formats = {
  ["date-time"] = function(seconds)
    local at = os.date("!*t", math.floor(seconds))
    return ("%04d-%02d-%02dT%02d:%02d:%02d%sZ"):format(at.year, at.month, at.day, at.hour, at.min, at.sec,
      fraction_of(seconds))
  end,
  ["http-date"] = function(seconds)
    local at = os.date("!*t", math.floor(seconds))
    return ("%s, %02d %s %04d %02d:%02d:%02d%s GMT"):format(weekdays[at.wday], at.day, months[at.month], at.year, at.hour,
      at.min, at.sec, fraction_of(seconds))
  end,
  ["epoch-seconds"] = function(seconds)
    if math.type(whole(seconds)) == "integer" then return ("%d"):format(seconds) end
    return (("%.3f"):format(seconds):gsub("%.?0+$", ""))
  end,
}

---The first second of the year 1 and of the year 10000, between which are the times that the forms of text have.
local FIRST, END = -62135596800, 253402300800

---@param seconds number since 1970
---@param format "date-time"|"http-date"|"epoch-seconds"
---@return string? text nil for a time beyond the years of the format
function M.write(seconds, format)
  if format ~= "epoch-seconds" and (seconds < FIRST or seconds >= END) then return nil end
  return formats[format](seconds)
end

local function read_http_date(text)
  local before, fraction, zone = text:match "^(.-)(%.%d+)( GMT)$"
  local seconds = http_date.read(before and before .. zone or text)
  return seconds and seconds + (tonumber(fraction and "0" .. fraction) or 0)
end

---Reads a timestamp of any form, since services do not always send the one that their model names.
---@param given any of the wire, or of an input
---@return number? seconds since 1970; nil if it is not a timestamp
function M.read(given)
  local seconds = given
  if type(given) == "string" then
    seconds = given:find "^[+-]?%d[%d.eE+-]*$" and tonumber(given) or http_date.read_timestamp(given) or read_http_date(given)
  end
  if type(seconds) ~= "number" or seconds - seconds ~= 0 then return nil end -- NaN and the infinities are no times
  return whole(seconds)
end

return M
