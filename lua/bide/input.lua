---Checks the input of an operation from within its `call`. It warns once, and goes with the next release: `input` beside
---`call` declares what an operation takes, and is checked before anything is sent.

local core = require "bide.core"
local nearest = require("bide.core").names.nearest
local option = require "bide.text.option"
local shown = require "bide.text.shown"
local port = require("bide.probe.peer.options").port
local tables = require "bide.text.tables"

local describe = option.describe

local function refuse(format, ...)
  error({ type = "InvalidInput", message = format:format(...) }, 0)
end

---@class bide.input.Members
---@field required? string[] text, unless it is named below too
---@field optional? string[] text
---@field numbers? string[] optional; text from the command line becomes a number
---@field seconds? string[] the same, above 0
---@field ports? string[] the same, 1 to 65535
---@field choices? table<string, string[]> optional: one of these texts
---@field commands? string[] optional: a list of texts, the program first
---@field values? string[] optional, of any type

local function check_text(input, name)
  if type(input[name]) ~= "string" then refuse("%s: expected a string, found %s", name, describe(input[name])) end
end

---@param kind table of option.kinds
local function reader(kind)
  return function(input, name)
    local number = tonumber(input[name])
    if not number or not kind[2](number) then
      refuse("%s: expected %s, found %s", name, kind[1], describe(input[name]))
    end
    input[name] = number
  end
end

local read_number = reader { "a number", function() return true end }
local read_seconds, read_port = reader(option.kinds.seconds), reader(port)

---@param choices string[]
local function chooser(choices)
  return function(input, name)
    if tables.has(choices, input[name]) then return end
    local near = type(input[name]) == "string" and nearest(input[name], choices)
    refuse("%s: expected one of %s, found %s%s", name, table.concat(choices, ", "), describe(input[name]),
      near and (", did you mean %q?"):format(near) or "")
  end
end

local function check_command(input, name)
  local words = type(input[name]) == "table" and input[name] or {}
  local is_command = #words > 0 and words[1] ~= ""
  for _, word in ipairs(words) do is_command = is_command and type(word) == "string" end
  if not is_command then
    refuse("%s: expected a list of strings, the program first, found %s", name, core.json.encode(input[name]))
  end
end

local function check_nothing() end

---@param members bide.input.Members
---@return string[] names in the order in which messages list them
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
  add(members.seconds, read_seconds)
  add(members.ports, read_port)
  add(members.commands, check_command)
  for name, choices in pairs(members.choices or {}) do add({ name }, chooser(choices)) end
  add(members.values, check_nothing)
  return names, check_of
end

local function refuse_unknown(name, names)
  local near = nearest(name, names)
  refuse("unknown input %q, %s", name, near and ("did you mean %q?"):format(near)
    or "expected one of " .. table.concat(names, ", "))
end

local has_warned = false

local function warn()
  if has_warned then return end
  has_warned = true
  shown.warn "bide.input { … } is now declared as input = { … } beside call; the old function goes with the next release"
end

---Returns a check of inputs, which raises the operation error InvalidInput where one does not fit.
---@deprecated
---@param members bide.input.Members
---@return fun(input: table): table input the same one
return function(members)
  warn()
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
