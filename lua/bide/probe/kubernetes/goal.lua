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
---@field name? string of the object; else all that match

---@return string? mistake
local function check_target(kind, name, input)
  local mistake = names.kind_mistake(kind)
  if mistake then return "resource: " .. mistake end
  local expected = name and names.expected(name, kinds.usual(kind))
  if expected and input.name then return "name: " .. option.expected(expected, name) end
  if expected then return "resource: " .. option.expected("KIND/NAME with " .. expected, input.resource) end
  if name and (input.selector or input.all) then return "a name, and selector or all, exclude each other" end
  mistake = input.selector and names.selector_mistake(input.selector)
  if mistake then return "selector: " .. mistake end
  if name or input.selector or input.all then return nil end
  return ("resource: which %s? Give %s/NAME, selector=LABELS or all=true"):format(kind, kind)
end

---Reads the resource: KIND/NAME, KIND NAME, or KIND with a selector or all=true.
---@param input table
---@return bide.kubernetes.Target?
---@return string? mistake
function M.target(input)
  local kind, name = input.resource:match "^([^/]+)/([^/]+)$"
  if not kind and input.resource:find "/" then return nil, "resource: " .. option.expected("KIND/NAME", input.resource) end
  if name and input.name then return nil, ("name: the name is %s already"):format(shown.quote(name)) end
  kind, name = kind or input.resource, name or input.name
  local mistake = check_target(kind, name, input)
  if mistake then return nil, mistake end
  return { kind = kind, name = name }
end

return M
