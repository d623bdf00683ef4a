---Checks the names that people give for objects, before anything is sent. The API takes an empty name for all objects of a
---kind, and an empty selector for all objects; and no object ever has a name that the API does not allow, so a wait until
---it is gone would succeed at once.

local option = require "bide.text.option"

local M = {}

local function is_subdomain(text)
  if #text > 253 then return false end
  for label in (text .. "."):gmatch "([^.]*)%." do
    if not (label:find "^[a-z0-9][a-z0-9-]*$" and label:find "[a-z0-9]$") then return false end
  end
  return true
end

local function is_label(text)
  return #text <= 63 and not text:find(".", 1, true) and is_subdomain(text)
end

---Reports whether a text may be a segment of a path, as the names of roles and users are: `system:node`.
local function is_segment(text)
  return text ~= "." and text ~= ".." and text:find "^[%w:@_.~+=,-]+$" ~= nil
end

---Returns what the name of an object has to be, if it is not.
---@param name string
---@param usual? bide.kubernetes.Kind nil of a kind that only the cluster knows, whose objects may have other names
---@return string? expected
function M.expected(name, usual)
  if usual then
    if usual.name == "APIService" then name = name:gsub("^v%d%w*%.$", "%0core") end -- "v1." is that of the core
    local alone = name:match "^%l+/(.+)$" -- as in `kubectl rollout status deployment/web`
    if alone and is_subdomain(alone) then return "the name alone, " .. alone end
    return not is_subdomain(name) and "a name of lower-case letters, digits, - and ." or nil
  end
  return not is_segment(name) and "a name without / and blanks" or nil
end

---Finds what is wrong with the word for a kind.
---@param kind string
---@return string? mistake
function M.kind_mistake(kind)
  return not kind:find "^%w[%w.-]*$" and option.expected("a kind such as pod or certificates.cert-manager.io", kind) or nil
end

---@param namespace string
---@return string? mistake
function M.namespace_mistake(namespace)
  return not is_label(namespace) and option.expected("a name of lower-case letters, digits and -", namespace) or nil
end

---Finds what is wrong with a label selector: blanks select everything, and so does in effect a label without its value,
---which an unset variable leaves.
---@param selector string
---@return string? mistake
function M.selector_mistake(selector)
  if not selector:find "%S" then return option.expected("labels such as app=web", selector) end
  local label = (selector .. ","):match "([%w/_.-]+)%s*!?==?%s*,"
  if not label then return nil end
  return ("%s has no value: %s; %s in () selects objects whose label is empty"):format(label,
    option.expected("labels such as app=web", selector), label)
end

return M
