---Reads what a wait for objects of Kubernetes is for: a condition, the creation or deletion, or that the objects are
---ready as their kind understands it.

local option = require "bide.option"
local shown = require "bide.shown"

local M = {}

---The pattern of a name.
M.NAME = "^[^/]*[^/%s.][^/]*$"

---@class bide.kubernetes.Goal
---@field is "ready"|"condition"|"deletion"|"creation"
---@field condition? string its name, in lower case
---@field status? string the status that it is to have, in lower case
---@field name? string of the condition, as it was given

local words = { delete = "deletion", deletion = "deletion", create = "creation", creation = "creation", ready = "ready" }

local function condition(text)
  local name, status = text:match "^([^=]+)=(.+)$"
  name = name or text
  if name:find "=" then return nil, option.expected("NAME or NAME=STATUS", text) end
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

---Reads the resource: KIND/NAME, KIND NAME, or KIND with a selector or all=true.
---@param input table
---@return bide.kubernetes.Target?
---@return string? mistake
function M.target(input)
  local kind, name = input.resource:match "^([^/]+)/([^/]+)$"
  if not kind and input.resource:find "/" then return nil, "resource: " .. option.expected("KIND/NAME", input.resource) end
  if name and not name:find(M.NAME) then return nil, "resource: " .. option.expected("KIND/NAME", input.resource) end
  if name and input.name then return nil, ("name: the name is %s already"):format(shown.quote(name)) end
  name = name or input.name
  if name and (input.selector or input.all) then return nil, "a name, and selector or all, exclude each other" end
  if not name and not input.selector and not input.all then
    return nil, ("resource: which %s? Give %s/NAME, selector=LABELS or all=true"):format(input.resource, input.resource)
  end
  return { kind = kind or input.resource, name = name }
end

return M
