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

---Reports whether labels fit a requirement; those of a form that is not known do.
local function fit(labels, requirement)
  for _, form in ipairs(forms) do
    local key, other = requirement:match(form.pattern)
    if key then return form.fits(labels[key], other) end
  end
  return true
end

---Reports whether labels fit a selector.
---@param labels table<string, string>
---@param selector string
---@return boolean
function M.fit(labels, selector)
  local parts = selector:gsub("%b()", function(values) return (values:gsub(",", " ")) end)
  for part in parts:gmatch "[^,]+" do
    if not fit(labels, part:match "^%s*(.-)%s*$") then return false end
  end
  return true
end

return M
