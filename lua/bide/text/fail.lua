---Raises an operation error, as the modules that ask servers do.
---
---    local fail = require "bide.text.fail"
---    fail("InvalidAnswer", "this is not the protocol of IMAP")

---@param type_of_error string
---@param message string?
---@param code? integer|string the service's own
return function(type_of_error, message, code)
  error({ type = type_of_error, message = message, code = code }, 0)
end
