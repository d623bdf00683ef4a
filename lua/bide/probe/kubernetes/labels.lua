---Compares the labels of objects with a selector: `app=web,tier!=cache,env in (test,live),!old`.

local M = {}

local KEY <const> = "([%w/_.-]+)"

---@param text string the values between parentheses
local function has(text, value)
  for word in text:gmatch "[^%s,()]+" do
    if word == value then return true end
  end
  return false
end

---The forms of a requirement, each with a function of the label's value, which may be nil, and of what it is compared with.
---@type { pattern: string, fits: fun(value: any, other: string?): boolean }[]
local forms = {
  { pattern = "^" .. KEY .. "$", fits = function(value) return value ~= nil end },
  { pattern = "^!%s*" .. KEY .. "$", fits = function(value) return value == nil end },
  { pattern = "^" .. KEY .. "%s*==?%s*([%w_.-]*)$", fits = function(value, other) return value == other end },
  { pattern = "^" .. KEY .. "%s*!=%s*([%w_.-]*)$", fits = function(value, other) return value ~= other end },
  { pattern = "^" .. KEY .. "%s+in%s*(%b())$", fits = function(value, other)
    return has(other, value) or value == "" -- as `in ()` has it
  end },
  { pattern = "^" .. KEY .. "%s+notin%s*(%b())$", fits = function(value, other) return not has(other, value) end },
}

---Reads a requirement; returns nil for one of a form that is not known.
---@param text string
---@return { key: string, other: string?, fits: function }?
local function requirement_of(text)
  for _, form in ipairs(forms) do
    local key, other = text:match(form.pattern)
    if key then return { key = key, other = other, fits = form.fits } end
  end
end

---Reads a selector: returns a function that reports whether labels fit it.
---@param selector string
---@return fun(labels: table<string, string>): boolean
function M.reader(selector)
  local requirements = {}
  local parts = selector:gsub("%b()", function(values) return (values:gsub(",", " ")) end)
  for part in parts:gmatch "[^,]+" do requirements[#requirements + 1] = requirement_of(part:match "^%s*(.-)%s*$") end
  return function(labels)
    for _, one in ipairs(requirements) do
      if not one.fits(labels[one.key], one.other) then return false end
    end
    return true
  end
end

return M
