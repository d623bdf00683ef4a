---Writing to a program that has ended, or to a peer that has closed, raises SIGPIPE, which
---ends the whole process unless somebody handles it. While a guard is held the write fails
---and nothing else does; otherwise the signal keeps its meaning for bide's own output.
---It is handled and not ignored, since programs inherit what is ignored.

local uv = require "luv"

local M = {}

local held, handle = 0, nil

local function nothing() end

---Lets go of a guard; a second time does nothing.
---@param guard table
function M.release(guard)
  if guard.released then return end
  guard.released = true
  held = held - 1
  if held > 0 then return end
  handle:close()
  handle = nil
end

---@return table guard for M.release
function M.guard()
  held = held + 1
  if not handle then
    handle = uv.new_signal()
    handle:start("sigpipe", nothing)
    handle:unref()
  end
  return { released = false }
end

return M
