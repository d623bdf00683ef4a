---What is to be done before bide ends, or becomes another program.

local M = {}

---Lets the programs end that were told to; those of bide.exec are known where it was loaded.
function M.settle()
  local group = package.loaded["bide.exec.group"]
  if group then group.settle() end
end

---Ends the process where it stands, all that was written so far being out.
---@param code integer
function M.at_once(code)
  local core = require "bide.core"
  core.process.dismiss_supervisor()
  core.process.leave(code)
end

---Closing the Lua state would wait for what cannot be stopped, such as the resolving of a
---name. Where anything is still under way the process therefore ends here.
---@param code integer
---@return integer code
function M.exit(code)
  M.settle()
  local core = package.loaded["bide.core"]
  if core and require("luv").loop_alive() then M.at_once(code) end
  if core then core.process.dismiss_supervisor() end
  return code
end

return M
