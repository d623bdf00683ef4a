---Checks the input of an operation that people call by hand, as the recipes do that come
---with bide: a member that is mistyped would else be left out of the wait, in silence.

local nearest = require "bide.nearest"

local function refuse(format, ...)
  error({ type = "InvalidInput", message = format:format(...) }, 0)
end

---@class bide.input.Members
---@field required? string[]
---@field optional? string[]
---@field numbers? string[] optional as well; text from the command line becomes a number

---@param members bide.input.Members
local function list_names(members)
  local names = {}
  for _, list in ipairs { members.required or {}, members.optional or {}, members.numbers or {} } do
    table.move(list, 1, #list, #names + 1, names)
  end
  return names
end

local function refuse_unknown(name, names)
  for _, known in ipairs(names) do
    if name == known then return end
  end
  local near = nearest(name, names)
  refuse("unknown input %q, %s", name, near and ("did you mean %q?"):format(near)
    or "wanted one of " .. table.concat(names, ", "))
end

local function read_number(input, name)
  if input[name] == nil then return end
  local number = tonumber(input[name])
  if not number then refuse("the input %s must be a number, and is %q", name, tostring(input[name])) end
  input[name] = number
end

---Returns a check of inputs, which raises the operation error InvalidInput where one does not fit.
---@param members bide.input.Members
---@return fun(input: table)
return function(members)
  local names = list_names(members)
  return function(input)
    for name in pairs(input) do refuse_unknown(name, names) end
    for _, name in ipairs(members.required or {}) do
      if input[name] == nil then refuse("the input %s is missing", name) end
    end
    for _, name in ipairs(members.numbers or {}) do read_number(input, name) end
  end
end
