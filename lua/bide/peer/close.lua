---Closes a handle of luv that may be closed already. Outside of any turn of the loop it is closed at once: plain
---lua5.4 may end next, and luv frees handles that are still closing then.

local core = require "bide.core"

---@param handle userdata
return function(handle)
  if not handle:is_closing() then handle:close() end
  core.loop.settle()
end
