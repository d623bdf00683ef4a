---Reads the dates of HTTP (RFC 9110, 5.6.7): the current form, and the two obsolete ones, which recipients must accept. All
---are in UTC, whatever they say. Also reads the header Retry-After, which may be a date, and the times of RFC 3339.

local core = require "bide.core"

local M = {}

local months = {
  Jan = 1, Feb = 2, Mar = 3, Apr = 4, May = 5, Jun = 6, Jul = 7, Aug = 8, Sep = 9, Oct = 10, Nov = 11, Dec = 12,
}

---Returns the days from 1970-01-01 to the first of a month of the Gregorian calendar. The year begins in March here.
local function days_until(year, month)
  local shifted = (month + 9) % 12
  if month <= 2 then year = year - 1 end
  local of_year = (153 * shifted + 2) // 5
  return year * 365 + year // 4 - year // 100 + year // 400 + of_year - 719468
end

---Returns the year for its last two digits: the latest one that is less than 50 years ahead.
local function whole_year(digits)
  local year = math.tointeger(digits)
  if #digits > 2 then return year end
  local this_year = tonumber(os.date "!%Y")
  year = this_year - this_year % 100 + year
  return year > this_year + 50 and year - 100 or year
end

---Returns the seconds since 1970 of a time in UTC; nil if the calendar or the clock has no such time. A minute may have a
---leap second.
---@param year integer
---@param month integer
---@param day string
---@return integer?
local function seconds_at(year, month, day, hour, minute, second)
  if month < 1 or month > 12 then return nil end
  local first, next_year, next_month = days_until(year, month), year + month // 12, month % 12 + 1
  local days = math.tointeger(day) - 1
  hour, minute, second = math.tointeger(hour), math.tointeger(minute), math.tointeger(second)
  if days < 0 or first + days >= days_until(next_year, next_month) then return nil end
  if hour > 23 or minute > 59 or second > 60 then return nil end
  return (first + days) * 86400 + hour * 3600 + minute * 60 + second
end

local function seconds_of(year, month, day, hour, minute, second)
  local number = months[month]
  return number and seconds_at(whole_year(year), number, day, hour, minute, second)
end

local fixed = "^%a+, (%d%d)[ -](%a%a%a)[ -](%d%d%d?%d?) (%d%d):(%d%d):(%d%d) GMT$"
local of_asctime = "^%a%a%a (%a%a%a) +(%d%d?) (%d%d):(%d%d):(%d%d) (%d%d%d%d)$"

---Reads `Sun, 06 Nov 1994 08:49:37 GMT`, and its obsolete forms.
---@param text string?
---@return integer? seconds since 1970; nil if it is not a date
function M.read(text)
  if type(text) ~= "string" then return nil end
  local day, month, year, hour, minute, second = text:match(fixed)
  if day then return seconds_of(year, month, day, hour, minute, second) end
  month, day, hour, minute, second, year = text:match(of_asctime)
  if month then return seconds_of(year, month, day, hour, minute, second) end
end

local timestamp = "^(%d%d%d%d)%-(%d%d)%-(%d%d)[Tt ](%d%d):(%d%d):(%d%d)(%.?%d*)(.*)$"

---Reads `2026-11-22T08:49:37.5Z`, a date and a time of RFC 3339, with or without an offset.
---@param text string?
---@return number? seconds since 1970; nil if it is not a time
function M.read_timestamp(text)
  if type(text) ~= "string" then return nil end
  local year, month, day, hour, minute, second, fraction, zone = text:match(timestamp)
  if not year then return nil end
  local sign, hours, minutes = zone:match "^([+-])(%d%d):?(%d%d)$"
  if not sign and zone ~= "" and zone:upper() ~= "Z" then return nil end
  if sign and (tonumber(hours) > 23 or tonumber(minutes) > 59) then return nil end
  local offset = sign and (tonumber(hours) * 60 + tonumber(minutes)) * 60 or 0
  local time = seconds_at(math.tointeger(year), math.tointeger(month), day, hour, minute, second)
  -- the fraction last: it is inexact
  return time and time - (sign == "-" and -offset or offset) + (tonumber("0" .. fraction) or 0)
end

---A time longer than any wait, and small enough that nothing overflows.
local LONGEST = 10 ^ 9

---Returns the delay that a service asks for in the header Retry-After (RFC 9110, 10.2.3), which is in seconds or a date.
---@param headers table<string, string> of the response
---@param now number? seconds since 1970; the system's clock by default
---@return number? seconds from now on, 0 or more; nil if the header is missing or cannot be read
function M.retry_after(headers, now)
  local text = headers["retry-after"]
  if not text then return nil end
  local seconds = text:match("^%d+$")
  if seconds then return math.min(tonumber(seconds), LONGEST) end
  local at = M.read(text)
  return at and math.min(math.max(at - (now or core.loop.wall() / 1000), 0), LONGEST)
end

return M
