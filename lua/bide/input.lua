---Checks the input of an operation that people call by hand, as the recipes do that come
---with bide: a member that is mistyped would else be left out of the wait, in silence.

local describe = require("bide.option").describe
local nearest = require "bide.nearest"

local function refuse(format, ...)
  error({ type = "InvalidInput", message = format:format(...) }, 0)
end

---@class bide.input.Members
---@field required? string[] text, unless it is named below too
---@field optional? string[] text
---@field numbers? string[] optional; text from the command line becomes a number
---@field values? string[] optional, of any type

local function check_text(input, name)
  if type(input[name]) ~= "string" then refuse("the input %s must be a text, and is %s", name, describe(input[name])) end
end

local function read_number(input, name)
  local number = tonumber(input[name])
  if not number then refuse("the input %s must be a number, and is %s", name, describe(input[name])) end
  input[name] = number
end

local function check_nothing() end

---@param members bide.input.Members
---@return string[] names in the order in which they are told
---@return table<string, fun(input: table, name: string)> check_of
local function read_members(members)
  local names, check_of = {}, {}
  local function add(list, check)
    for _, name in ipairs(list or {}) do
      if not check_of[name] then names[#names + 1] = name end
      check_of[name] = check
    end
  end
  add(members.required, check_text)
  add(members.optional, check_text)
  add(members.numbers, read_number)
  add(members.values, check_nothing)
  return names, check_of
end

local function refuse_unknown(name, names)
  local near = nearest(name, names)
  refuse("unknown input %q, %s", name, near and ("did you mean %q?"):format(near)
    or "wanted one of " .. table.concat(names, ", "))
end

---Returns a check of inputs, which raises the operation error InvalidInput where one does not fit.
---@param members bide.input.Members
---@return fun(input: table): table gives the input back
return function(members)
  local names, check_of = read_members(members)
  return function(input)
    for name in pairs(input) do
      if not check_of[name] then refuse_unknown(name, names) end
    end
    for _, name in ipairs(members.required or {}) do
      if input[name] == nil then refuse("the input %s is missing", name) end
    end
    for _, name in ipairs(names) do
      if input[name] ~= nil then check_of[name](input, name) end
    end
    return input
  end
end
