---Reads what a wait for objects of Kubernetes is for: a condition, the creation or deletion, or that the objects are
---ready as their kind understands it.

local kinds = require "bide.probe.kubernetes.kinds"
local names = require "bide.probe.kubernetes.names"
local option = require "bide.text.option"
local shown = require "bide.text.shown"

local M = {}

---@class bide.kubernetes.Goal
---@field is "ready"|"condition"|"deletion"|"creation"
---@field condition? string its name, in lower case
---@field status? string the status that it is to have, in lower case
---@field name? string of the condition, as it was given

local words = { delete = "deletion", deletion = "deletion", create = "creation", creation = "creation", ready = "ready" }

local function condition(text)
  local name, status = text:match "^([^=]+)=(.+)$"
  name = name or text
  if name:find "=" or not name:find "%S" then return nil, option.expected("NAME or NAME=STATUS", text) end
  return { is = "condition", condition = name:lower(), name = name, status = (status or "True"):lower() }
end

---@param text string of the input `for`
local function purpose(text)
  if words[text:lower()] then return { is = words[text:lower()] } end
  local of_condition = text:match "^condition=(.+)$"
  if of_condition then return condition(of_condition) end
  if text:find "^jsonpath=" then
    return nil, "bide reads JMESPath, not JSONPath: give for example --until 'status.phase=Running'"
  end
  return nil, option.expected("deletion, creation, ready or condition=NAME", text)
end

---Reads the inputs `condition` and `for`.
---@param input table
---@return bide.kubernetes.Goal?
---@return string? mistake
function M.of(input)
  if input.condition and input["for"] then return nil, "condition and for exclude each other" end
  local name = input.condition and "condition" or input["for"] and "for"
  if not name then return { is = "ready" } end
  local goal, mistake = (input.condition and condition or purpose)(input[name])
  return goal, mistake and ("%s: %s"):format(name, mistake)
end

---The objects of a wait.
---@class bide.kubernetes.Target
---@field kind string as it was given
---@field names string[] of the objects; empty for all that match

---@return string? mistake
local function check_target(kind, has_names, input)
  local mistake = names.kind_mistake(kind)
  if mistake then return "resource: " .. mistake end
  if has_names and (input.selector or input.all) then return "a name, and selector or all, exclude each other" end
  mistake = input.selector and names.selector_mistake(input.selector)
  if mistake then return "selector: " .. mistake end
  if has_names or input.selector or input.all then return nil end
  return ("resource: which %s? Give %s/NAME, selector=LABELS or all=true"):format(kind, kind)
end

---Adds a name that may be one of the kind, and was not given before.
---@param list string[]
---@param name string
---@param usual bide.kubernetes.Kind?
---@return string? mistake
local function add(list, name, usual)
  local expected = names.expected(name, usual)
  if expected then return option.expected(expected, name) end
  for _, other in ipairs(list) do
    if other == name then return shown.quote(name) .. " is given twice" end
  end
  list[#list + 1] = name
end

---Adds the names of the input `names`: names alone, or KIND/NAME where the resource has that form.
---@return string? mistake
local function add_all(list, kind, input)
  local is_long = #list > 0
  for _, word in ipairs(input.names or {}) do
    local of, name = word:match "^([^/]+)/([^/]+)$"
    if is_long and not of then return option.expected(kind .. "/NAME", word) end
    if of and not is_long and kind == "wait" then -- as kubectl has it
      return "expected names of the kind wait: leave the word wait out, as in bide kubernetes " .. word
    end
    if of and (not is_long or of:lower() ~= kind:lower()) then
      return ("%s; + joins waits for objects of several kinds"):format(
        option.expected(is_long and kind .. "/NAME" or "names of the kind " .. kind, word))
    end
    local mistake = add(list, name or word, kinds.usual(kind))
    if mistake then return mistake end
  end
end

---Adds all names that an input has.
---@param list string[]
---@param kind string
---@param name string? that the resource has
---@return string? mistake
local function collect(list, kind, name, input)
  local usual = kinds.usual(kind)
  local expected = name and names.expected(name, usual)
  if expected then return "resource: " .. option.expected("KIND/NAME with " .. expected, input.resource) end
  if name and input.name then return ("name: the name is %s already"):format(shown.quote(name)) end
  if input.name and input.names then return "name and names exclude each other" end
  list[1] = name
  local mistake = input.name and add(list, input.name, usual)
  if mistake then return "name: " .. mistake end
  mistake = add_all(list, kind, input)
  return mistake and "names: " .. mistake
end

---Reads the resource: KIND/NAME, KIND NAME, several of either, or KIND with a selector or all=true.
---@param input table
---@return bide.kubernetes.Target?
---@return string? mistake
function M.target(input)
  local kind, name = input.resource:match "^([^/]+)/([^/]+)$"
  if not kind and input.resource:find "/" then return nil, "resource: " .. option.expected("KIND/NAME", input.resource) end
  kind = kind or input.resource
  local list = {}
  local mistake = collect(list, kind, name, input) or check_target(kind, #list > 0, input)
  if mistake then return nil, mistake end
  return { kind = kind, names = list }
end

---Reports whether a goal is one for which the kind need not be there yet: only what is created later has it.
---@param goal bide.kubernetes.Goal
---@return boolean
function M.awaits_kind(goal)
  return goal.is == "creation" or goal.is == "condition"
end

return M
