---Adds an option to the words of a command line unless they have it, since an option given twice is a mistake.
---
---    local with_default = require "spec.support.with_default"
---    with_default("--max-wait", "5s", "redis", "host=cache")    --> "--max-wait", "5s", "redis", "host=cache"

---@param option string
---@param value string
---@param ... string
---@return string ...
return function(option, value, ...)
  for _, word in ipairs { ... } do
    if word == option then return ... end
  end
  return option, value, ...
end
