---Returns the duration that a person may have meant by a text of another form: `1min`, `5 s`, `00:05:00`, `PT5M`, `1m30`.

local option = require "bide.text.option"

local unit_of = {}
for unit, names in pairs {
  ms = "ms msec msecs millisecond milliseconds", s = "s sec secs second seconds", m = "m min mins minute minutes",
  h = "h hr hrs hour hours", d = "d day days",
} do
  for name in pairs(option.set(names)) do unit_of[name] = unit end
end

---The unit of a last number without one.
local smaller = { h = "m", m = "s" }

---@param text string
---@return string? duration
return function(text)
  local rest = text:lower():gsub("^pt?(%d)", "%1"):gsub("(%dd)t(%d)", "%1%2"):gsub("(%d),(%d)", "%1.%2"):gsub("[%s,]+", "")
    :gsub("^(%d+):(%d%d):(%d%d)$", "%1h%2m%3s")
  local parts, unit = {}, nil
  while rest ~= "" do
    local number, name, behind = rest:match "^(%d+%.?%d*)(%a*)(.*)$"
    unit = number and (unit_of[name] or name == "" and smaller[unit])
    if not unit then return nil end
    if tonumber(number) > 0 then parts[#parts + 1] = number:gsub("^0+(%d)", "%1") .. unit end
    rest = behind
  end
  return parts[1] and table.concat(parts)
end
