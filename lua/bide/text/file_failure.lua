---The words for what a file does not allow, as people read them: of luv, "EACCES: permission denied: /run/app", and of Lua,
---"/run/app: Permission denied".

local core = require "bide.core"

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

---Returns what the system says, as luv begins it.
---@param reason string "Permission denied"
---@return string reason "permission denied"
function M.lowered(reason)
  return (reason:gsub("^%u%l", string.lower))
end

local function opened(file, handle, mistake, code)
  if handle then return handle end
  return nil, file .. ": " .. M.lowered(mistake:sub(#file + 3)), code
end

---Opens a file as io.open does.
---@param file string
---@param mode string
---@return file*? handle
---@return string? mistake "/run/app: permission denied"
---@return integer? code
function M.open(file, mode) return opened(file, io.open(file, mode)) end

---Opens a file to be written from its beginning, which no other program inherits.
---@param file string
---@return file*? handle
---@return string? mistake "/run/app: permission denied"
---@return integer? code
function M.create(file) return opened(file, core.process.create_file(file)) end

return M
