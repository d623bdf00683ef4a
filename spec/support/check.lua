---luassert's assertions for loops over many seeds: they cost a comparison while they hold, and
---fail with luassert's own message. luassert itself takes microseconds for each, failed or not.

local luassert = require "luassert"

local M = {}

---@param value any
---@param message? any
function M.is_true(value, message)
  if value ~= true then luassert.is_true(value, message) end
end

---@param expected any
---@param got any
---@param message? any
function M.equal(expected, got, message)
  if expected ~= got then luassert.equal(expected, got, message) end
end

return M
