---Operation errors of bide itself, or of its use, whose types are those of answers, too: they are marked when they are raised.

local M = {}

local marked = setmetatable({}, { __mode = "k" })

---@generic T: table
---@param failure T an operation error
---@return T failure
function M.mark(failure)
  marked[failure] = true
  return failure
end

---@param failure table an operation error
---@return boolean
function M.is_marked(failure)
  return marked[failure] or false
end

return M
