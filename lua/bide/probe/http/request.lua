---A request as a transfer takes it.

local M = {}

---Returns a copy of a request, which can be changed: its transfer is not that of the request.
---@param request bide.transfer.Request
---@return bide.transfer.Request
function M.copy(request)
  local copied = {}
  for name, value in pairs(request) do copied[name] = value end
  copied.number = nil
  return copied
end

return M
