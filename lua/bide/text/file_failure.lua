---The words of luv for what a file does not allow, "EACCES: permission denied: /run/app", as people read them.

local M = {}

---Returns only what is wrong.
---@param failure string of luv
---@return string reason "permission denied"
function M.reason(failure)
  return failure:match "^%u%w*: ([^:]+)" or failure
end

---Returns the file, and what is wrong with it.
---@param failure string of luv
---@return string mistake "/run/app: permission denied"
function M.named(failure)
  return (failure:gsub("^%u%w*: ([^:]+): (.+)$", "%2: %1"))
end

return M
