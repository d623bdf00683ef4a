---Makes a spec of each check in a program of checks (spec/support/check.h), which make builds.

local luassert = require "luassert"
local process = require "spec.support.process"

local M = {}

---@param name string of the program in the build folder's `unit`
---@param it fun(title: string, body: fun())
function M.declare(name, it)
  local program = process.build .. "/unit/" .. name
  local names = process.run { program }
  assert(names.code == 0, names.stderr)
  for title in names.stdout:gmatch "[^\n]+" do
    it(title, function()
      local done = process.run { program, title }
      luassert.equal("", done.stdout .. done.stderr)
      luassert.equal(0, done.code)
    end)
  end
end

return M
